// Package planner is the decider of tier 1: it divides a goal into tracks.
//
// # Contract
//
//   - GoalSubmitted leads to ContextRequested, ContextBuilt to ModelRequested,
//     and a usable reply to TracksProposed. After three unusable replies, or a
//     model error that further attempts cannot solve, PlanningFailed{tier 1}
//     ends it. A usable reply that says that one ticket is enough leads to
//     PlanSkipped, since decisions 2, unless a user reviews the plan.
//   - One goal at a time: a goal that is submitted meanwhile waits for the
//     conductor's GoalCompleted or GoalFailed.
//   - Track ids are unique in the session; a track without an id gets TR-<n>.
//   - Since decisions 2 the prompt has one line about each earlier goal of the session.
//   - It sees names of files, the README and the project's rules, never source.
//   - SessionClosed ends its work.
package planner
