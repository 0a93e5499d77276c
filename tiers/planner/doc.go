// Package planner is the decider of tier 1: it cuts a goal into tracks.
//
// # Contract
//
//   - GoalSubmitted leads to ContextRequested, ContextBuilt to ModelRequested,
//     a usable reply to TracksProposed. After three unusable replies, or a model
//     error that no further attempt mends, PlanningFailed{tier 1} ends it.
//   - One goal at a time: a goal submitted while another is at work waits until
//     the conductor says GoalCompleted or GoalFailed of that other.
//   - Track ids are unique in the session; a track without an id gets TR-<n>.
//   - It sees names of files, the README and the project's rules, never source.
//   - SessionClosed ends its work.
package planner
