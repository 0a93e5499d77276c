// Package lead is the decider of tier 2: it divides a track into a graph of tickets, and reviews
// the changes of an attempt at a ticket.
//
// # Contract
//
//   - TrackStarted leads to ContextRequested, ContextBuilt to ModelRequested, and
//     a usable reply to TicketsPlanned. After three unusable replies, or a model
//     error that further attempts cannot solve, PlanningFailed{tier 2} ends it.
//   - A reply {"show": ["path", ...]} leads to ContextRequested and does not
//     count as one of the three: at most [planning.MaxShows] times per plan.
//   - For a goal with Plan the reply leads to PlanProposed, and approval's
//     PlanAnswered to TicketsPlanned, to another request with the user's reason
//     (at most [planning.MaxRefusals] times), or to PlanningFailed. Tickets that
//     the user wrote and that cannot be planned are proposed again with the reason.
//   - A recorded plan has no cycle, and no ticket id occurs twice in the
//     session. A dependency on a missing ticket is accepted: a ticket with one
//     never becomes ready, and the conductor reports that.
//   - Each plan has the context of one track only: its prompts contain nothing of other tracks
//     except the ids already taken and, since decisions 3, one line about each earlier goal of
//     the session.
//   - ReviewRequested ends with exactly one TicketReviewed, unless the attempt is
//     killed. The review sees the ticket, the final report of the attempt, the
//     project's rules and the diffs of at most [MaxDiffs] files, and nothing of
//     how they came about. A reply without a verdict is requested again; if there
//     is still none, the verdict is skipped, with the reason. A review is not a
//     security boundary.
//   - SessionClosed ends its work.
package lead
