// Package approval is the decider that says yes or no: the only one that
// writes ToolApproved, and only what a rule or an answer of a person justifies.
//
// # Contract
//
// Calls. Every tool call gets ToolApproved or ToolDenied. Unknown tools and
// arguments that break the schema are denied. Reads and public look-ups run;
// writes ask with a preview of what they would change, shells and unknown
// effects ask at once, unless a rule of the person speaks: deny beats ask beats
// allow. A rule that cannot be judged about a call, because its glob is broken
// or the call's paths are not known, is a question when it would refuse and
// nothing when it would allow. A glob of an allow rule never covers a shell.
//
// Taint. Once a model was shown text of files, programs, the web or an external
// server in an attempt at a ticket, no rule answers for its later calls that
// write outside the workspace, change what steers programs or agents, or reach
// hosts that the person did not list; after text from the web or an external
// server, nor for shells. Such an ask names what was read. Deny stays deny.
//
// Asks. An ask is settled once, by the first valid answer or timer in stream
// order; expired means no. Every other answer gets an AnswerRefused that says
// why, and who settled the ask and when. Asks are independent: answering one
// never answers another, and the id of one can be taken by no other.
//
// Bytes. A yes covers exact bytes: ToolApproved carries the digest of the
// arguments, also of those that the person edited, which pass the schema again.
// Deny rules are held against the bytes once more when the yes comes.
//
// Patches and undo. A PatchProposed is judged as a call that may write any file,
// with a preview, under the rules of now. UndoRequested is a person's own word and
// asks nobody: it becomes an approved call that restores the files as they were, or
// UndoRefused. Both calls run tools of the engine that no model is offered. What a
// ticket did in a worktree is undone there, and once it is merged where it was merged.
//
// Budgets. With a budget every ModelRequested waits for ModelApproved or
// ModelDenied, judged by the worst case that it can cost on top of what is under
// way. BudgetWarned comes once at 80 percent; what does not fit asks: a higher
// limit, stop, or finish this ticket. Everything but a yes stops what waits.
// BudgetRaiseRequested needs no ask.
//
// Interrupted calls. A call whose worker died while it changed something, or
// that the queue gave up, asks: retry runs it as the next generation, done and
// fail settle it. No, expired and a killed ticket mean fail.
//
// Files in the shared folder. An approved call closes the files that it changes
// to the calls of other tickets until its attempt ends; such a call is denied with
// the name of the ticket (ToolDenied.HeldBy). It is never kept waiting: its
// arguments were written for a file that will have changed, and tickets that do
// not wait for files cannot wait in a circle. Scripts and programs name no files
// and are not held against this.
//
// Merges. Work that could not be merged asks; yes tries again, everything else
// gives up (MergeAnswered).
//
// A rule that allows everything for the session (--yes) answers the gates of
// tools, steps and spawns, and nothing else.
//
// The end of an attempt withdraws its asks as a no and denies its calls that
// wait for a preview; so does the end of the session for all of them. After it
// nothing is decided but what a person wants undone.
//
// Every fact fits one event: what people, programs and workers say is bounded
// (limits.go), and what is over is refused or cut with a note.
package approval
