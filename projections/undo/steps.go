// Package undo stores the changes of a read model that a user can undo and redo.
//
// A read model keeps one [Steps]. Each step holds what its read model needs to go back: the previous state of what
// was changed. Going back swaps that state with the current one, which the step then holds for the way forward. A
// step is therefore as small as its change, and an undo needs nothing but the read model's own state.
package undo

import (
	"slices"
	"time"
)

// Limits of the steps of one read model. Beyond them, the oldest steps are dropped.
const (
	// MaxSteps limits the number of steps.
	MaxSteps = 100
	// MaxBytes limits the total size of the steps' contents.
	MaxBytes = 8 << 20
)

// Info describes a user's change.
type Info struct {
	ID   string    `json:"id"`  // of the event that requested the change
	Seq  uint64    `json:"seq"` // of the event that made the change
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	What string    `json:"what"` // such as: edited entry 3 of main
}

// Step is a change that can be undone, or an undone change that can be redone.
type Step[T any] struct {
	Info
	// Moved is the sequence of the newest undo or redo of the change; Seq if there was none.
	Moved uint64 `json:"moved"`
	// Other is the state to swap in: the state before the change, or the one after it if the
	// change is undone.
	Other T   `json:"other"`
	Size  int `json:"size"` // approximate size of Other in bytes
}

// Steps are the newest changes of a read model.
type Steps[T any] struct {
	Done   []Step[T] `json:"done,omitempty"`   // oldest first
	Undone []Step[T] `json:"undone,omitempty"` // the newest undo last
	// Newest is the sequence of the newest change, even of a dropped one.
	Newest uint64 `json:"newest,omitempty"`
	// Position is the sequence of the newest change, undo or redo.
	Position uint64 `json:"position,omitempty"`
}

// Add adds a change. Undone changes can no longer be redone.
func (s *Steps[T]) Add(of Info, before T, size int) {
	s.Undone, s.Newest, s.Position = nil, of.Seq, of.Seq
	s.Done = append(slices.Clip(s.Done), Step[T]{of, of.Seq, before, size})
	s.bound()
}

// bound drops the oldest steps beyond the limits.
func (s *Steps[T]) bound() {
	count, size := len(s.Done)+len(s.Undone), 0
	for _, n := range s.Done {
		size += n.Size
	}
	for _, n := range s.Undone {
		size += n.Size
	}
	drop := 0
	for drop < len(s.Done) && (count-drop > MaxSteps || size > MaxBytes) {
		size -= s.Done[drop].Size
		drop++
	}
	if drop > 0 {
		s.Done = slices.Clone(s.Done[drop:])
	}
	if size > MaxBytes { // only if what a redo needs is too large
		s.Undone = nil
	}
}

// Has reports whether the change is known.
func (s *Steps[T]) Has(id string) bool {
	is := func(n Step[T]) bool { return n.ID == id }
	return slices.ContainsFunc(s.Done, is) || slices.ContainsFunc(s.Undone, is)
}

// Clear forgets all changes.
func (s *Steps[T]) Clear() { s.Done, s.Undone = nil, nil }

// Next returns the next change to undo or redo in this read model, or nil if there is none.
func (s *Steps[T]) Next(redo bool) *Step[T] {
	from := s.Done
	if redo {
		from = s.Undone
	}
	if len(from) == 0 {
		return nil
	}
	return &from[len(from)-1]
}

// Move moves the next change to the other side. other is the state that the opposite move needs.
func (s *Steps[T]) Move(redo bool, seq uint64, other T, size int) {
	from, to := &s.Done, &s.Undone
	if redo {
		from, to = to, from
	}
	last := len(*from) - 1
	n := (*from)[last]
	n.Moved, n.Other, n.Size, s.Position = seq, other, size, seq
	*from = slices.Clone((*from)[:last])
	*to = append(slices.Clip(*to), n)
	s.bound()
}
