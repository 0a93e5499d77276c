// Package contributor is the decider of tier 3: the loop of model replies and
// tool calls that carries out a ticket. The original calls it the worker, and
// so do its stream ids: "Tier 3 (Worker): <ticket id>".
//
// # Contract
//
// Each TicketStarted begins a run with an empty conversation: nothing of an
// earlier attempt or of another ticket reaches the model. A round is one reply
// and its calls, which run in parallel; the next round waits until every call
// has an outcome, every failed shell call has its hint or the reason why it
// gets none, and the files the conversation knows were reread. In step mode it
// also waits for a person's yes.
//
// Each request goes to the provider, the program and the model that the
// settings of now name for tier 3 and the ticket's retries, whatever the attempt
// began with; a request on record keeps what it has.
//
// Each prompt begins with exactly the parts of the one before it, so that a
// provider may reuse what it has read; only the block of changed files, the
// last part, is in one prompt and in no later one. A prompt that would be over
// what its model takes, or that its provider found too long, is shortened first,
// far enough that the next rounds fit too: ConversationShortened says which
// results are cut and which rounds are gone. Role, brief, views and the newest
// round stay.
//
// The run ends with exactly one TicketResolved, or silently when its ticket is
// killed or the session closed. A reply without a call is its last word where it
// begins with DONE: or BLOCKED:; any other is answered with what it lacks, at most
// MaxReminders times in a row. A round that a person refuses ends the run for
// good (TicketResolved.Final).
//
// Every fact fits one event: the conversation, the block of changed files and
// the list of known files are bounded (limits.go).
package contributor
