// Package qa is the decider of tier 4: it has each failed shell call read by
// the cheapest model and turned into a hint of about twenty words, proposes
// patches where a person asks for one, and names commands that are flaky.
//
// # Contract
//
// Hints. For every failed shell outcome that counts, qa ends with exactly one
// of HintGiven and HintSkipped; only a closed session goes without. Tier 4 sees
// the exit status and the end of the error output of that one call, the
// project's rules and what the person told it, has no tools, and keeps no
// memory. Nothing is sent for a ticket once it was killed. Where the script
// runs a linter, a formatter or a commit hook, the hint names what fixes the
// finding; a command that does so comes from a table of ours and not from the
// model (linter.go).
//
// Flaky commands. A shell call that passes although the same command failed, in
// the same place and with no change of a file on record in between, becomes
// FlakyNoticed, also where tier 4 is off: no model is asked. The contributor
// says the same to its model (tiers.Reruns).
//
// Patches. PatchRequested of a failed shell call ends with exactly one of
// PatchProposed and PatchSkipped. Tier 4 sees the same output and, whole, at most
// three files that it names; its reply must hold a unified diff. qa applies
// nothing: what approval makes of the proposal is in package approval.
package qa
