// Package tierstest runs deciders in tests: given some foreign events, when one more arrives, then
// these facts are decided.
//
// # Contract
//
//   - Nothing here decides: facts of the decider under test come from its own
//     [tiers.Machine]; the test writes foreign events only.
//   - Foreign events get numbered ids ([ID]), a clock that advances one second
//     per event, and the actor that usually writes their type ([By] sets another).
//     Each is converted to JSON and decoded by the registry, as from a log.
//   - [With] makes a payload that needs the id of an earlier event. [Check]
//     makes an expected fact that is easier to check than to write.
//   - [Run] runs the table of one decider, [Laws] checks what every decider must
//     guarantee, and [Session] runs several machines that react to each other
//     until nothing more happens.
package tierstest
