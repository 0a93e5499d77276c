// Package contributor is the decider of tier 3: the loop of model replies and tool calls that
// carries out a ticket. The original system calls it the worker, and so do its stream ids: "Tier 3
// (Worker): <ticket id>".
//
// # Contract
//
// Each TicketStarted begins a run with an empty conversation: nothing of an earlier attempt or of
// another ticket reaches the model. A round is one reply and its calls, which run in parallel. The
// next round waits until every call has an outcome, every failed shell call has a hint or the
// reason why there is none, and the files that the conversation knows were read again. In step
// mode each request and the calls of each reply wait for a user, who sees and may edit the new
// messages or the calls (StepRequested); edited calls are judged like any other.
//
// Each request goes to the provider, the program and the model that the current settings name for
// tier 3 and the ticket's retries, even if they changed during the attempt. A recorded request
// does not change.
//
// Each prompt begins with exactly the parts of the previous one, so that a provider can use its
// cache. Only the block of changed files, the last part, is in one prompt and in no later one. A
// prompt that exceeds the limit of its model, or that its provider found too long, is shortened
// first, enough for the next rounds to fit too: ConversationShortened says which results were cut
// and which rounds were left out. Role, brief, views and the newest round stay.
//
// Users' notes on the ticket are in the next request that is not a repetition, and at the
// beginning of every later attempt; they are never left out. While the model has not been shown a
// note, its reply does not end the run as done or blocked, except in the last round.
//
// A BLOCKED: with a question asks a user (QuestionRequested), at most MaxQuestions times, and the
// run continues with the answer. Later attempts see the answer too, and the question in a fence.
// Without an answer the run ends for good.
//
// The run ends with exactly one TicketResolved, or without one if its ticket is killed or the
// session is closed. A reply without a call ends the run if it begins with DONE: or BLOCKED:. Any
// other such reply is answered with a reminder, at most MaxReminders times in a row. If a user
// refuses a round, the run ends for good (TicketResolved.Final).
//
// Every fact fits into one event: the conversation, the block of changed files and the list of
// known files are limited (limits.go).
package contributor
