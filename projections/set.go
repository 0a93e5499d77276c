package projections

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"manualslop/events"
)

// ErrNoModel says that no read model has the asked name.
var ErrNoModel = errors.New("no such read model")

// Set is every read model of one session, folded up to Seq.
type Set struct {
	seq    uint64
	last   string
	models []Model
}

// NewSet starts every model of [Catalogue] on an empty session.
func NewSet() *Set {
	makers := Catalogue()
	s := &Set{models: make([]Model, len(makers))}
	for i, start := range makers {
		s.models[i] = start()
	}
	return s
}

// Seq is the sequence of the newest event applied, 0 before the first.
func (s *Set) Seq() uint64 { return s.seq }

// LastID is the id of the newest event applied.
func (s *Set) LastID() string { return s.last }

// Apply folds one decoded event of the session. An event at or before Seq was
// seen already and changes nothing; one with Seq 0 is not stored yet and counts.
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
	for _, m := range s.models {
		m.Apply(e)
	}
}

// View is the named model as a client of the gateway sees it; ErrNoModel.
func (s *Set) View(name string) (json.RawMessage, error) {
	for _, m := range s.models {
		if m.Name() == name {
			return m.View()
		}
	}
	return nil, fmt.Errorf("%w: %q", ErrNoModel, name)
}

// Names lists the models in the order of [Catalogue].
func (s *Set) Names() []string {
	names := make([]string, len(s.models))
	for i, m := range s.models {
		names[i] = m.Name()
	}
	return names
}

// Digest is the SHA-256, in hexadecimal, of each model's JSON by name. Every
// state built from decoded events has a JSON form, so it cannot fail.
func (s *Set) Digest() map[string]string {
	out := make(map[string]string, len(s.models))
	for _, m := range s.models {
		raw, err := m.JSON()
		if err != nil {
			panic("projections: " + err.Error()) // payloads come from JSON
		}
		out[m.Name()] = events.Digest(raw)
	}
	return out
}

// Sum is one digest of all models: the SHA-256 over their names, versions and
// digests. Two logs of one session that fold alike have the same Sum.
func (s *Set) Sum() string {
	digests := s.Digest()
	h := sha256.New()
	for _, m := range s.models {
		fmt.Fprintf(h, "%s %d %s\n", m.Name(), m.Version(), digests[m.Name()])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// stateOf finds a fold's state in a set.
func stateOf[S any](s *Set, f Fold[S]) S {
	for _, m := range s.models {
		if x, ok := m.(*model[S]); ok && x.fold.Name == f.Name {
			return x.state
		}
	}
	panic("projections: " + f.Name + " is not in the catalogue") // a programmer's error
}
