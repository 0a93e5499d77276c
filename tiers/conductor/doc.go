// Package conductor is the decider that runs goals, tracks and tickets: who is
// ready, who starts, who is blocked, what is completed, and what a person's
// control requests change.
//
// # Contract
//
// Tickets. A ticket is todo until each dependency is completed, then TicketReady
// once. Ready tickets start by priority, then in planned order, while fewer than
// MaxWorkers are between SpawnRequested and their end: SpawnRequested,
// SpawnApproved, TicketStarted. Where the session asks nobody before a start, the
// request is ungated and TicketStarted follows at once (since decisions 2). An
// attempt that gives up is retried by itself
// while retry_count < MaxRetries, each time one step up the model ladder; then
// TicketBlocked{worker}. One that ended on a person's no is not retried by itself:
// TicketBlocked{denied}. Words about an attempt that is not the current one do not
// count.
//
// Blocks. A todo ticket with a blocked dependency becomes TicketBlocked{dependency},
// hop by hop, and TicketUnblocked when none of its dependencies is blocked any
// more. Blocks of the kinds worker, killed, denied and manual wait for a person:
// UnblockRequested puts the ticket back as it was, RetryRequested gives it another
// attempt one step up the ladder. Both are refused while a dependency is blocked.
//
// Tracks run one after another. A track is blocked when nothing in it runs, waits
// for a slot or for approval, and something is not completed; TrackBlocked names
// the tickets and why, and GoalFailed follows at once. Neither is final: if a
// person's retry or unblock sets the track going, no TrackStarted is repeated, its
// tickets just continue, and TrackCompleted and GoalCompleted may follow a
// GoalFailed. If it gets stuck again, TrackBlocked and GoalFailed are said again.
// A goal that failed in planning is over. A dependency that named no ticket when
// it was planned is never completed.
//
// Workers. WorkerSpawnRequested becomes TicketsAdded: its own track with one
// ticket, which belongs to no goal and goes the way of every other ticket. Of
// several requests with one request_id the first counts.
//
// Isolation. A ready ticket whose target file is that of one at work waits until
// that attempt has ended, and so does the next attempt of one that was refused a
// file which another one changes; OverlapWarned says so. Only tickets that are not
// started wait, and those hold nothing, so no two can wait for each other. With
// worktrees nobody waits: WorkspaceRequested comes before TicketStarted, and
// MergeRequested, one at a time in the order in which attempts ended, before
// TicketCompleted. A ticket starts when those it depends on are completed, so they
// are merged by then. What cannot be merged waits for MergeAnswered, without a slot.
// A place that cannot be made blocks the ticket: TicketBlocked{workspace}.
//
// Reviews. With Settings.Review, ReviewRequested comes when an attempt is done,
// before anything is merged or completed. Sent back counts as an attempt that gave
// up: the next one is told the reasons, and nothing else of the one before.
// Approved and skipped complete the ticket.
//
// Changes. GraphMutationRequested is carried out whole, as GraphMutated, or refused
// whole. Only tickets that are todo, ready or blocked can be changed; one that waits
// for approval to start has to be blocked first. A ready ticket that gets an open
// dependency waits again. What was said of a stuck track no longer holds when its
// dependencies or tickets change, and is said again where it still does. A ticket
// that is added under an id for which others wait in vain is what they wait for.
// An id is never used twice, also not that of a ticket that was removed.
//
// Pause holds SpawnRequested and TicketStarted and nothing else: running attempts
// finish, plans are made, tickets become ready.
//
// Control counts only from persons. A request that changes nothing, and an
// acceptance of tracks that nobody waits for, is answered with ControlRefused.
//
// After SessionClosed nothing is decided.
package conductor
