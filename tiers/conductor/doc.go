// Package conductor is the decider that runs goals, tracks and tickets: it decides what is ready,
// starts, is blocked or completed, and what a user's control requests change.
//
// # Contract
//
// Tickets. A ticket is todo until all of its dependencies are completed, and then becomes
// TicketReady once. Ready tickets start by priority, then in planned order, while fewer than
// MaxWorkers are between SpawnRequested and their end: SpawnRequested, SpawnApproved,
// TicketStarted. If the session needs no approval for a start, the request is ungated and
// TicketStarted follows at once (since decisions 2). An attempt that gives up is retried
// automatically while retry_count < MaxRetries, each time with the next model of the list; then
// TicketBlocked{worker} follows. An attempt that ended because a user said no is not retried
// automatically: TicketBlocked{denied}. Events about an attempt that is not the current one are
// ignored.
//
// Blocks. A todo ticket with a blocked dependency becomes TicketBlocked{dependency}, one
// dependency at a time, and TicketUnblocked when none of its dependencies is blocked any more.
// Blocks of the kinds worker, killed, denied and manual wait for a user: UnblockRequested
// restores the ticket's earlier state, and RetryRequested starts another attempt with the next
// model of the list. Both are refused while a dependency is blocked.
//
// Tracks run one after another. A track is blocked if no ticket in it is running, waits for a slot
// or waits for approval, and some are not completed; TrackBlocked names these tickets and the
// reasons, and GoalFailed follows at once. Neither is final: if a user's retry or unblock gets
// the track going again, its tickets continue without another TrackStarted, and TrackCompleted and
// GoalCompleted may follow a GoalFailed. If the track gets stuck again, TrackBlocked and
// GoalFailed are emitted again. A goal that failed in planning is over. A dependency on a ticket
// that did not exist when it was planned is never completed.
//
// Workers. WorkerSpawnRequested becomes TicketsAdded: a new track with one ticket, which belongs
// to no goal and is otherwise treated like every other ticket. Of several requests with the same
// request_id, the first counts.
//
// Isolation. A ready ticket whose target file is that of a running one waits until that attempt
// has ended; so does the next attempt of a ticket that was denied a file which another one
// changes. OverlapWarned reports this. Only tickets that have not started wait, and those lock
// nothing, so they cannot deadlock. With worktrees, running tickets do not lock files:
// WorkspaceRequested comes before TicketStarted, and MergeRequested before TicketCompleted, one
// merge at a time in the order in which attempts ended. A ticket starts when its dependencies are
// completed, so they are merged by then. Work that cannot be merged waits for MergeAnswered and
// does not use a slot. A workspace that cannot be created blocks the ticket:
// TicketBlocked{workspace}.
//
// Reviews. With Settings.Review, ReviewRequested follows a finished attempt, before anything is
// merged or completed. An attempt that is sent back counts as one that gave up: the next attempt
// gets the reasons, and nothing else about the earlier one. If the review approves or is
// skipped, the ticket is completed.
//
// Solo goals. A GoalSubmitted with Solo has no tracks of tier 1: TicketsAdded adds its only ticket.
// The same follows if tier 1 answers a goal with PlanSkipped.
//
// Notes. NoteRequested and the notes of RetryRequested and UnblockRequested become TicketNoted, up to
// [events.MaxNotes] for a ticket that is not completed. Reviews read the newest
// [events.MaxNotes] notes and answers to a model's questions with the description.
//
// Changes. GraphMutationRequested is carried out completely, as GraphMutated, or refused
// completely. Only tickets that are todo, ready or blocked can be changed; one that waits for
// approval to start must be blocked first. A ready ticket that gets an unfinished dependency waits
// again. If dependencies or tickets of a stuck track change, its TrackBlocked no longer holds, and
// is emitted again if the track is still stuck. If other tickets depend on an id that does not
// exist, and a ticket with that id is added, they depend on it from then on. An id is never
// used twice, not even that of a removed ticket.
//
// Pause holds back SpawnRequested and TicketStarted and nothing else: running attempts finish,
// plans are made, tickets become ready.
//
// Control requests count only if they come from a user. A request that would change nothing, or
// an acceptance of tracks that no goal waits for, is answered with ControlRefused.
//
// After SessionClosed nothing is decided.
package conductor
