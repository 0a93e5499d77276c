// Package projections holds the read models of a session: pure folds of its events into the state
// that people and programs view.
//
// # Contract
//
//   - A read model is one [Fold]: a name, a version, an initial state and a
//     function. It uses no clock, no I/O and no map order, and never converts time
//     zones. Folding the same events gives the same bytes on every machine.
//   - A [Set] holds all models of one session. It takes decoded events in stream
//     order, each once; a repeated sequence changes nothing.
//   - If a fact may count only once, the first valid one in stream order counts.
//     Events of an unknown type, with an undecodable body, or of an actor that may
//     not write them (the registry decodes all of these to [events.Unknown] or
//     [events.Malformed]) change nothing.
//   - Applying an event takes amortised constant time. Texts are kept by reference
//     to the decoded payload, and are not copied or rendered before they are
//     requested.
//   - The JSON of a model is its complete state: what a snapshot stores and a
//     digest covers. The view is what a client of the gateway sees. Increasing a
//     fold's Version discards its snapshots; read models are never migrated.
//
// A Set is not safe for concurrent use; package live guards it with a lock. The results of getters
// may share memory with the payloads of events and must not be modified.
//
// To add a model, add one file with its fold and its getter, and one line in [Catalogue].
package projections

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"manualslop/events"
)

// ErrNoModel means that there is no read model with the given name.
var ErrNoModel = errors.New("no such read model")

// Set holds every read model of one session, folded up to Seq.
type Set struct {
	makers  []func() Model
	seq     uint64
	last    string
	applied uint64 // number of events passed to any model
	slots   []slot
	byName  map[string]int
}

// slot is one model in a set.
type slot struct {
	Model
	changed uint64        // Set.applied at its newest event
	stopped *StoppedError // nil unless the model has stopped
}

// NewSet returns a set with every model of [Catalogue] for a new session.
func NewSet() *Set { return NewSetOf(Catalogue()) }

// NewSetOf returns a set with other models than [Catalogue]. Getters of models that it does not
// have panic.
func NewSetOf(makers []func() Model) *Set {
	s := &Set{makers: makers, slots: make([]slot, len(makers)), byName: make(map[string]int, len(makers))}
	for i, start := range makers {
		s.slots[i].Model = start()
		s.byName[s.slots[i].Name()] = i
	}
	return s
}

// Seq returns the sequence of the newest event applied; 0 before the first.
func (s *Set) Seq() uint64 { return s.seq }

// LastID returns the id of the newest event applied.
func (s *Set) LastID() string { return s.last }

// Apply folds one decoded event of the session. An event at or before Seq was applied before and
// changes nothing; one with Seq 0 is not stored yet and is applied. If a model panics, only that
// model stops; see [Set.Stopped].
func (s *Set) Apply(e *events.Event) {
	if e.Seq != 0 {
		if e.Seq <= s.seq {
			return
		}
		s.seq, s.last = e.Seq, e.ID
	}
	switch e.Payload.(type) {
	case nil, events.Unknown, events.Malformed:
		return
	}
	s.applied++
	for i := range s.slots {
		if m := &s.slots[i]; m.stopped == nil && m.Takes(e.Payload) {
			m.changed = s.applied
			m.give(e)
		}
	}
}

// Revision returns a number that grows with every event that was passed to one of the named
// models, or to any model if no names are given. As long as it stays the same, so do the views of
// these models. For an unknown model it never changes.
func (s *Set) Revision(models ...string) uint64 {
	if len(models) == 0 {
		return s.applied
	}
	var newest uint64
	for _, name := range models {
		if i, ok := s.byName[name]; ok {
			newest = max(newest, s.slots[i].changed)
		}
	}
	return newest
}

// View returns the named model as a client of the gateway sees it. It returns ErrNoModel, or a
// *StoppedError.
func (s *Set) View(name string) (json.RawMessage, error) {
	i, ok := s.byName[name]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrNoModel, name)
	}
	if stopped := s.slots[i].stopped; stopped != nil {
		return nil, stopped
	}
	return s.slots[i].View()
}

// Names returns the names of the models in the order of [Catalogue].
func (s *Set) Names() []string {
	names := make([]string, len(s.slots))
	for i := range s.slots {
		names[i] = s.slots[i].Name()
	}
	return names
}

// Digest returns the SHA-256, in hexadecimal, of each model's state by name; for a stopped model,
// the reason. It is computed from the state's JSON, in which each entry of the discussions is
// represented by the digest of its content. It cannot fail, because every state built from decoded
// events can be encoded as JSON.
func (s *Set) Digest() map[string]string {
	digests := make([]string, len(s.slots))
	err := s.each(func(i int) error {
		m := &s.slots[i]
		if m.stopped != nil {
			digests[i] = m.stopped.Error()
			return nil
		}
		var err error
		digests[i], err = m.Digest()
		return err
	})
	if err != nil {
		panic("projections: " + err.Error()) // payloads were read from JSON, so this cannot fail
	}
	out := make(map[string]string, len(s.slots))
	for i := range s.slots {
		out[s.slots[i].Name()] = digests[i]
	}
	return out
}

// each calls work for every model, on all processors in parallel.
func (s *Set) each(work func(slot int) error) error {
	errs := make([]error, len(s.slots))
	var group sync.WaitGroup
	for i := range s.slots {
		group.Go(func() { errs[i] = work(i) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// Sum returns one digest of all models: the SHA-256 of their names, versions and digests. Two logs
// of one session with the same folded state have the same Sum.
func (s *Set) Sum() string { return s.SumOf(s.Digest()) }

// SumOf is like [Set.Sum], for digests that are already computed.
func (s *Set) SumOf(digests map[string]string) string {
	h := sha256.New()
	for i := range s.slots {
		m := &s.slots[i]
		fmt.Fprintf(h, "%s %d %s\n", m.Name(), m.Version(), digests[m.Name()])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// stateOf returns a fold's state in a set. It panics with a *StoppedError if the model has
// stopped; [Set.Show] returns that as an error.
func stateOf[S any](s *Set, f Fold[S]) S {
	i, ok := s.byName[f.Name]
	if !ok {
		panic("projections: " + f.Name + " is not in the catalogue") // a bug
	}
	if stopped := s.slots[i].stopped; stopped != nil {
		panic(stopped)
	}
	return inner[S](s.slots[i].Model).state
}

// inner returns the model inside models that wrap another one.
func inner[S any](m Model) *model[S] {
	for {
		if x, ok := m.(*model[S]); ok {
			return x
		}
		m = m.(interface{ Unwrap() Model }).Unwrap()
	}
}

// StoppedError means that a read model could not fold an event and has stopped there. It is the
// error of all later views of the model.
type StoppedError struct {
	// Model is the model's name.
	Model string
	// Seq, ID and Type identify the event that it could not fold.
	Seq  uint64
	ID   string
	Type string
	// Reason says what went wrong, for the operator.
	Reason string
}

// Error returns which model stopped, where and why.
func (e *StoppedError) Error() string {
	return fmt.Sprintf("the read model %s stopped at event %d (%s): %s", e.Model, e.Seq, e.Type, e.Reason)
}

func stoppedAt(model string, e *events.Event, reason any) *StoppedError {
	return &StoppedError{model, e.Seq, e.ID, e.Type, fmt.Sprint(reason)}
}

// give folds an event, and stops the model if that panics.
func (m *slot) give(e *events.Event) {
	defer func() {
		if reason := recover(); reason != nil {
			m.stopped = stoppedAt(m.Name(), e, reason)
		}
	}()
	m.Apply(e)
}

// Stopped returns the models that have stopped, in the order in which they stopped. The rest of
// the set is not affected. Folding the session again with a program without the bug restores them.
func (s *Set) Stopped() []*StoppedError {
	var out []*StoppedError
	for i := range s.slots {
		if stopped := s.slots[i].stopped; stopped != nil {
			out = append(out, stopped)
		}
	}
	slices.SortStableFunc(out, func(a, b *StoppedError) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

// Show calls fn with the set. If fn uses a stopped model, fn is aborted there and Show returns the
// *StoppedError.
func (s *Set) Show(fn func(*Set)) (err error) {
	defer func() {
		reason := recover()
		if reason == nil {
			return
		}
		stopped, ok := reason.(*StoppedError)
		if !ok {
			panic(reason)
		}
		err = stopped
	}()
	fn(s)
	return nil
}

// Settings are the recorded settings on which the session's decisions depend.
type Settings struct {
	events.Settings
	Basis     events.Basis       `json:"basis"`
	Workspace string             `json:"workspace,omitempty"`
	Tools     []events.ToolOffer `json:"tools"` // by name
	Paused    bool               `json:"paused"`
	// Retrieval says whether turns of discussions retrieve passages of files, and how.
	Retrieval events.RetrievalSettings `json:"retrieval"`
}

var settings = Fold[*Settings]{
	Name: "settings", Version: 5,
	Takes: ofTheWork,
	New: func() *Settings {
		return &Settings{Tools: []events.ToolOffer{}, Retrieval: events.DefaultRetrieval()}
	},
	Apply: func(s *Settings, e *events.Event) *Settings {
		switch p := e.Payload.(type) {
		case events.SessionOpened:
			s.Basis, s.Settings, s.Workspace = p.Basis, p.Settings, p.Workspace
			s.Rules = append([]events.Rule{}, p.Settings.Rules...)
		case events.DecisionsUpgraded:
			s.Basis = p.Basis
		case events.RuleAdded:
			s.Rules = append(s.Rules, p.Rule)
		case events.ToolsOffered:
			s.Tools = p.Tools
		case events.RulesReplaced:
			s.Rules = append([]events.Rule{}, p.Rules...)
		case events.Paused:
			s.Paused = true
		case events.Resumed:
			s.Paused = false
		case events.RetrievalChanged:
			if p.Check() == nil {
				s.Retrieval = s.Retrieval.Changed(p)
			}
		default:
			s.Settings, _ = s.Settings.Changed(e.Payload)
		}
		return s
	},
}

// Settings returns the session's settings with all changes, the current rules and the offered
// tools. They are shared and must not be modified.
func (s *Set) Settings() Settings { return *stateOf(s, settings) }
