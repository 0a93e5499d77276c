package replay

import (
	"manualslop/events"
	"manualslop/tiers"
)

// intention describes a decision: type, id and cause.
func intention(e *events.Event) string {
	if e == nil {
		return "nothing"
	}
	return e.Type + " " + e.ID + " on " + e.Cause
}

// follower runs one decider along the record and keeps its decisions that the record has not shown yet.
type follower struct {
	machine *tiers.Machine
	due     []events.Event
	head    int // index of the first unrecorded decision in due
}

// next returns the decision that must be recorded next, or nil if none is due.
func (f *follower) next() *events.Event {
	if f.head == len(f.due) {
		return nil
	}
	return &f.due[f.head]
}

// pay removes the next decision from the list.
func (f *follower) pay() {
	f.due[f.head] = events.Event{}
	f.head++
	if f.head == len(f.due) {
		f.due, f.head = f.due[:0], 0
	}
}

// owes reports whether a decision with that id is due after the next one.
func (f *follower) owes(id string) bool {
	for i := f.head + 1; i < len(f.due); i++ {
		if f.due[i].ID == id {
			return true
		}
	}
	return false
}

// owed returns the decisions that are due and not recorded.
func (f *follower) owed() []events.Event { return f.due[f.head:] }
