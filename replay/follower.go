package replay

import (
	"manualslop/events"
	"manualslop/tiers"
)

// intention names a decision in words: type, id and cause.
func intention(e *events.Event) string {
	if e == nil {
		return "nothing"
	}
	return e.Type + " " + e.ID + " on " + e.Cause
}

// follower runs one decider along the record and holds what it decided and the
// record has not shown yet.
type follower struct {
	machine *tiers.Machine
	due     []events.Event
	head    int // first of due that is not recorded yet
}

// next returns the decision that must be recorded next, nil if none is due.
func (f *follower) next() *events.Event {
	if f.head == len(f.due) {
		return nil
	}
	return &f.due[f.head]
}

// pay takes the next decision off the list.
func (f *follower) pay() {
	f.due[f.head] = events.Event{}
	f.head++
	if f.head == len(f.due) {
		f.due, f.head = f.due[:0], 0
	}
}

// owes reports whether a decision with that id is due later than the next one.
func (f *follower) owes(id string) bool {
	for i := f.head + 1; i < len(f.due); i++ {
		if f.due[i].ID == id {
			return true
		}
	}
	return false
}

// owed returns what is due and not recorded.
func (f *follower) owed() []events.Event { return f.due[f.head:] }
