// Package hookclient is a Go client of the Hook API: it has every method of Manual Slop's ApiHookClient, of all its
// versions, under the same names in Go spelling, and newer methods.
//
//	c, err := hookclient.New(hookclient.Options{TokenFile: ".slop/tokens/human.token"})
//	if err != nil { … }
//	if err := c.WaitForServer(ctx, 3*time.Second); err != nil { … }
//	if err := c.SetValue(ctx, "mma_epic_input", "make the tests pass"); err != nil { … }
//	if err := c.Click(ctx, "btn_mma_plan_epic"); err != nil { … }
//
// # Contract
//
//   - Every method takes a context and ends with it. A method without its own
//     limit waits as long as its context allows.
//   - A request that did not reach the gateway is repeated, MaxRetries times with
//     waits that double from RetryDelay. A reading request is also repeated if
//     its answer was lost or the gateway answered 503. A writing request is
//     repeated after that only if it carries a request_id, so that nothing is done
//     twice: see [Client.RequestConfirmation] and [Client.SpawnMMAWorker].
//   - A refusal is an [*Error] with the gateway's own message and hint.
//   - Answers are limited by [MaxAnswer]. Redirects are not followed and no proxy
//     is used, so that a token is only sent to the gateway.
//   - A Client is safe for concurrent use.
//
// [Methods] lists the methods as data, by their names in Manual Slop; `slop hook` uses it to call them.
package hookclient
