// Package approval is the decider that approves or denies: the only one that writes ToolApproved,
// and only if a rule or a user's answer justifies it.
//
// # Contract
//
// Calls. Every tool call gets ToolApproved or ToolDenied. Unknown tools and arguments that violate
// the schema are denied. By default reads and public look-ups run, writes ask with a preview of
// their changes, and shells and unknown effects ask at once. The user's rules override this:
// deny beats ask, and ask beats allow. A call whose preview shows that it would fail is denied, and
// the model gets the reason. If a rule cannot be evaluated for a call, because its glob
// is invalid or the call's paths are not known, a deny rule becomes an ask and an allow rule is
// ignored. A glob in an allow rule never covers a shell.
//
// Taint. Once a model has read text from files, programs, the web or an external server in an
// attempt at a ticket, no allow rule applies to its later calls that write outside the workspace,
// change files that steer programs or agents, or reach hosts that the user did not list; after
// text from the web or an external server, the same holds for shells. Such an ask names what was
// read. Deny rules still apply.
//
// Asks. An ask is settled once, by the first valid answer or timer in stream order; an expired ask
// counts as no. Every other answer gets an AnswerRefused that says why, and who settled the ask
// and when. Asks are independent: answering one never answers another, and no two asks share an
// id.
//
// Bytes. A yes covers exact bytes: ToolApproved carries the digest of the arguments. Arguments
// that the user edited are checked against the schema again. Deny rules are checked once more
// when the yes arrives.
//
// Patches and undo. A PatchProposed is judged like a call that may write any file, with a preview,
// under the current rules. UndoRequested is a user's own decision and raises no ask: it becomes
// an approved call that restores the files, or UndoRefused. Both calls run tools of the engine
// that are never offered to a model. A ticket's work in a worktree is undone there; once it is
// merged, it is undone on the branch into which it was merged.
//
// Budgets. With a budget, every ModelRequested waits for ModelApproved or ModelDenied. The
// decision uses the maximum cost of the request on top of the requests in progress. BudgetWarned
// is written once, at 80 percent. A request that does not fit raises an ask: set a higher limit,
// stop, or finish this ticket. Everything but an approval stops the waiting requests.
// BudgetRaiseRequested needs no ask.
//
// Interrupted calls. A call whose worker died while it changed something, or that the queue gave
// up on, raises an ask: retry runs it as the next generation, done and fail settle it. A no, an
// expired ask and a killed ticket mean fail.
//
// Files in the shared folder. An approved call locks the files that it changes for the calls of
// other tickets until its attempt ends; such a call is denied with the name of the ticket
// (ToolDenied.HeldBy). It does not wait instead, because its arguments were written for a file
// that will have changed, and because tickets that never wait for files cannot deadlock. Scripts
// and programs name no files and are not subject to this.
//
// Merges. Work that could not be merged raises an ask; yes tries again, everything else gives up
// (MergeAnswered).
//
// Starts and steps. An ask about a start shows the prompt and the files; an ask about a step shows
// the new messages of a request or the calls of a reply. A yes may contain edited versions of
// these; SpawnApproved and StepApproved carry only what the user changed. Calls are judged after
// their step, with the edited arguments.
//
// A rule that allows everything for the session (--yes) answers tool, step and spawn gates, and
// nothing else.
//
// The end of an attempt settles its asks as rejected and denies its calls that wait for a preview; the
// end of the session does the same for all attempts. After that, only a user's undo is decided.
//
// Every fact fits into one event: texts from people, programs and workers are limited (limits.go).
// Longer ones are refused, or cut and marked.
package approval
