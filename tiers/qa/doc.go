// Package qa is the decider of tier 4: it has the cheapest model read each failed shell call and
// write a hint of about twenty words, proposes patches if a user asks for one, and reports flaky
// commands.
//
// # Contract
//
// Hints. For every failed shell outcome that counts, qa emits exactly one of HintGiven and
// HintSkipped, unless the session is closed. Tier 4 sees the exit status and the end of the error
// output of that one call, the project's rules and the user's instructions. It has no tools and no
// memory. Nothing is sent for a killed ticket. If the script runs a linter, a formatter or a
// commit hook, the hint names what fixes the finding; a command for that comes from a fixed table,
// not from the model (linter.go).
//
// Flaky commands. If a shell call passes although the same command failed in the same workspace,
// and no file change is recorded in between, FlakyNoticed follows, even if tier 4 is off,
// because no model is needed. The contributor tells its model the same (tiers.Reruns).
//
// Patches. PatchRequested for a failed shell call ends with exactly one of PatchProposed and
// PatchSkipped. Tier 4 sees the same output and the complete content of at most three files that
// it names; its reply must hold a unified diff. qa applies nothing: package approval decides on
// the proposal.
package qa
