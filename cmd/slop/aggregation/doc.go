// Package aggregation shows the context of a request to a model as Markdown, in numbered parts with tokens and prices.
//
// # Contract
//
//   - The context of the next turn is not an estimate: a machine of the contributor folds the session's
//     events, takes the turn as if it were requested now, and what it then asks of the model is assembled as a
//     request that is sent. Nothing is recorded and nothing is sent.
//   - Files that the turn would show are read by the code of workers, through the same gate, in this process; their
//     bytes stay in memory.
//   - The context of a recorded request is read from the log, by digest, as a replay does.
//   - A preview differs from the prompt that is sent in one thing: the codes of fences around files that are read
//     for it, because these derive from ids of events that do not exist yet.
package aggregation
