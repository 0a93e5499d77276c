// Package tierstest runs deciders in tests: given foreign events, when one
// more comes, then these facts are decided on it.
//
// # Contract
//
//   - Nothing here decides: facts of the decider under test come from its own
//     [tiers.Machine]; the test writes foreign events only.
//   - Foreign events get counted ids ([ID]), a fixed clock that moves one second
//     an event, and the actor that writes their type ([By] names another).
//     Each passes through its JSON form and the registry, as from a log.
//   - A payload that needs the id of an earlier event is written with [With];
//     an expected fact that is easier to check than to write, with [Check].
//   - [Run] is the table of one decider, [Laws] what every decider must keep,
//     [Session] several machines that feed each other until they are quiet.
package tierstest
