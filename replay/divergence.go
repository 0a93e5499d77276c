package replay

import (
	"fmt"
	"strings"

	"manualslop/events"
)

// Code is the permanent name of a kind of divergence. Codes are never renumbered or reused.
type Code string

// The codes. [Codes] returns their meanings.
const (
	CodeMissing    Code = "R001"
	CodeExtra      Code = "R002"
	CodeDifferent  Code = "R003"
	CodeOrder      Code = "R004"
	CodeDuplicate  Code = "R005"
	CodeGap        Code = "R006"
	CodeCause      Code = "R007"
	CodeChain      Code = "R008"
	CodeOwed       Code = "R009"
	CodeNewer      Code = "R010"
	CodeSequence   Code = "R011"
	CodeEnvelope   Code = "R012"
	CodeNotOpened  Code = "R013"
	CodeDigest     Code = "R014"
	CodeUnapproved Code = "R015"
	CodeWriter     Code = "R016"
	CodeAnswer     Code = "R017"
	CodeDecider    Code = "R018"
	CodePrompt     Code = "R019"
)

// CodeMeaning is one line of the table of codes.
type CodeMeaning struct {
	Code    Code
	Name    string // two or three words
	Meaning string // one sentence
}

// Codes lists every code with its meaning, sorted by number.
func Codes() []CodeMeaning {
	return []CodeMeaning{
		{CodeMissing, "missing decision", "A decision that follows from the record is missing, although the decider " +
			"wrote later ones."},
		{CodeExtra, "extra decision", "A recorded decision does not follow from anything that was recorded before it."},
		{CodeDifferent, "different decision", "A recorded decision differs from the one that follows from the record; the " +
			"detail names the attributes."},
		{CodeOrder, "order of decisions", "A decision is recorded before one that the decider made earlier."},
		{CodeDuplicate, "duplicate id", "An event that is not a notice has the id of an earlier event."},
		{CodeGap, "gap in n", "The ordinals of a decider or worker do not count up by one from 1: one of its events was " +
			"lost or inserted."},
		{CodeCause, "unknown cause", "An event names a cause that is not an earlier event of the session."},
		{CodeChain, "broken chain", "The hash chain of an exported file does not match: an event, its position " +
			"or the number " +
			"of events was changed."},
		{CodeOwed, "owed", "The record ends although decisions on it are still due: it was cut, or the session was still " +
			"running."},
		{CodeNewer, "newer event", "The record holds a type or version that this program does not know, so it cannot " +
			"decide on it."},
		{CodeSequence, "sequence", "The stream sequence does not increase from event to event."},
		{CodeEnvelope, "wrong envelope", "An event has no id, belongs to another project or session than the first one, or " +
			"the envelope of an outcome does not match its body."},
		{CodeNotOpened, "not opened", "The session does not begin with SessionOpened, or is opened twice."},
		{CodeDigest, "wrong digest", "The digest of arguments, a text, a view or a whole manifest " +
			"does not match its bytes, or a manifest cannot be assembled."},
		{CodeUnapproved, "unapproved outcome", "A tool's outcome is recorded without an earlier approval of the same call " +
			"with the same arguments."},
		{CodeWriter, "forged decision", "An event of the class decision was written by an actor that may not write it."},
		{CodeAnswer, "unjustified answer", "An ask is settled, or something is approved, without the earlier " +
			"event that justifies it, or contrary to that event."},
		{CodeDecider, "decider failed", "A decider failed to decide: an error in the program, not in the record."},
		{CodePrompt, "different prompt", "The body of a request to a model, built again from the record, is not the one " +
			"that was sent."},
	}
}

// Divergence is the first place where the record differs from what follows from it.
type Divergence struct {
	Code Code
	// Seq is the stream sequence of the event at fault. If something is missing at the end, it is the sequence of
	// the last event.
	Seq uint64
	// Position is the 0-based index of that event in the history. If something is missing at the end, it is the
	// length of the history.
	Position int
	// Actor is the author of the event at fault or of the missing decision.
	Actor string
	// Cause is the id of the event on which the decision was, or should have been, made.
	Cause string
	// Recorded is the event at fault, or nil if nothing was recorded.
	Recorded *events.Event
	// Attempted is the decision that follows from the record, or nil if there is none.
	Attempted *events.Event
	// Detail describes the difference.
	Detail string
}

// Error returns the divergence in one line.
func (d *Divergence) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s at position %d, sequence %d", d.Code, d.Code.Name(), d.Position, d.Seq)
	if d.Actor != "" {
		fmt.Fprintf(&b, ", %s", d.Actor)
	}
	if d.Detail != "" {
		fmt.Fprintf(&b, ": %s", d.Detail)
	}
	return b.String()
}

// Name returns the name of the code in words, or "" for an unknown code.
func (c Code) Name() string {
	for _, m := range Codes() {
		if m.Code == c {
			return m.Name
		}
	}
	return ""
}
