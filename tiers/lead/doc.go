// Package lead is the decider of tier 2: it cuts a track into a graph of tickets,
// and reviews what an attempt at a ticket changed.
//
// # Contract
//
//   - TrackStarted leads to ContextRequested, ContextBuilt to ModelRequested, a
//     usable reply to TicketsPlanned. After three unusable replies, or a model
//     error that no further attempt mends, PlanningFailed{tier 2} ends it.
//   - A reply that is {"show": ["path", ...]} leads to ContextRequested, and counts
//     as none of the three: at most [planning.MaxShows] times in a plan.
//   - A plan on record has no cycle, and no ticket id occurs twice in the
//     session. A dependency that names no ticket is let through: such a ticket
//     never becomes ready, and the conductor says so.
//   - It keeps context for one track only: nothing of another track is in its
//     prompts but the ids already taken.
//   - ReviewRequested ends with exactly one TicketReviewed, unless the attempt is
//     killed. The review sees the ticket, the attempt's last word, the project's
//     rules and the differences of at most [MaxDiffs] files, and nothing of how
//     they came about. A reply that is no verdict is asked for again; where no
//     verdict comes it says skipped, and why. It is no gate of security.
//   - SessionClosed ends its work.
package lead
