package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"manualslop/events/chars"
)

// Type identifies a message: a name that never changes, and a version from 1.
type Type struct {
	Name    string
	Version int
}

// Payload is a message body. EventType must not depend on the value.
type Payload interface{ EventType() Type }

// NameOf returns the type name of a payload's events.
func NameOf[P Payload]() string {
	var p P
	return p.EventType().Name
}

// Names returns the set of type names of payloads.
func Names(payloads ...Payload) map[string]bool {
	out := make(map[string]bool, len(payloads))
	for _, p := range payloads {
		out[p.EventType().Name] = true
	}
	return out
}

// Class says who writes a type and how replay treats it.
type Class int

const (
	// Decision is a fact that a decider decided; replay recomputes it.
	Decision Class = iota + 1
	// Outcome is what an effect learned about the outside world: a model's reply, a tool's result.
	Outcome
	// Command is input from a person or an external program: goals, answers, control.
	Command
	// Notice is an operational message; replay does not recompute it.
	Notice
)

// String returns the class as the catalogue prints it.
func (c Class) String() string {
	if c < Decision || c > Notice {
		return "invalid"
	}
	return [...]string{"decision", "outcome", "command", "notice"}[c-Decision]
}

// Lift converts the body of one version to the next. It must not change what [Attributes] returns for the body.
type Lift func(json.RawMessage) (json.RawMessage, error)

// optional is the lift to a version that only adds optional fields.
func optional(body json.RawMessage) (json.RawMessage, error) { return body, nil }

// Def is one registered message type.
type Def struct {
	Type   Type
	Class  Class
	Writer string // who may write it: actors, or person, worker, agent, "any decider", joined by ", "
	Doc    string // one sentence for the catalogue
	Sample Payload
	lifts  []Lift
	decode func(json.RawMessage) (Payload, error)
	actors []string
}

// MayWrite reports whether actor may write events of this type.
func (d Def) MayWrite(actor string) bool {
	for _, w := range d.actors {
		switch {
		case w == actor,
			w == "person" && IsPerson(actor),
			w == "worker" && IsWorker(actor),
			w == "agent" && IsAgent(actor),
			w == "any decider" && IsDecider(actor):
			return true
		}
	}
	return false
}

// Define defines a message type with a sample value. The sample is used for the frozen body, the
// schema and the catalogue.
func Define[P Payload](class Class, writer, doc string, sample P, lifts ...Lift) Def {
	return Def{
		Type: sample.EventType(), Class: class, Writer: writer, Doc: doc, Sample: sample, lifts: lifts,
		actors: strings.Split(writer, ", "),
		decode: func(b json.RawMessage) (Payload, error) {
			var p P
			err := Unmarshal(b, &p)
			return p, err
		},
	}
}

// Unknown is a payload whose type or version this program does not know.
type Unknown struct {
	Name    string
	Version int
	Raw     json.RawMessage
}

// EventType returns the name and version in the stored event.
func (u Unknown) EventType() Type { return Type{u.Name, u.Version} }

// Malformed is a payload that stays in the log but has no effect: its bytes cannot be decoded as
// its type, or its actor may not write that type.
type Malformed struct {
	Name    string
	Version int
	Raw     json.RawMessage
	// Reason says why it has no effect. Decisions quote it, so the text is the same wherever the
	// event is read.
	Reason string
	// Detail is the decoding error, for people. It varies with library versions, so
	// no decision depends on it.
	Detail string
}

// Unreadable returns the payload of an event whose bytes cannot be decoded as its type.
func Unreadable(name string, version int, raw json.RawMessage, detail string) Malformed {
	return Malformed{Name: name, Version: version, Raw: raw, Reason: "it cannot be read as " + name, Detail: detail}
}

// EventType returns the name and version in the stored event.
func (m Malformed) EventType() Type { return Type{m.Name, m.Version} }

// ErrNewer means that a session needs a newer program: it holds an event whose type or version
// this program does not know, or its decisions need a newer version.
var ErrNewer = errors.New("newer than this program")

// ErrRegistry means that a set of definitions is invalid, which is a bug.
var ErrRegistry = errors.New("bad registry")

// Registry decodes payloads.
type Registry struct {
	defs    map[string]Def
	decoded atomic.Uint64
}

// NewRegistry checks and combines definitions: each type must occur once and have a class and
// exactly version-1 lifts.
func NewRegistry(groups ...[]Def) (*Registry, error) {
	r := &Registry{defs: map[string]Def{}}
	for _, g := range groups {
		for _, d := range g {
			if err := d.check(); err != nil {
				return nil, err
			}
			if _, dup := r.defs[d.Type.Name]; dup {
				return nil, fmt.Errorf("%w: %s is defined twice", ErrRegistry, d.Type.Name)
			}
			if slices.Contains(offers, d.Type.Name) {
				d.decode = repeated(d.decode)
			}
			r.defs[d.Type.Name] = d
		}
	}
	return r, nil
}

// offers are types with long bodies that are often the same in many sessions.
var offers = []string{ToolsOffered{}.EventType().Name, ModelsOffered{}.EventType().Name}

// repeated is like decode, but a body that equals the previous one gets the same payload, so that
// sessions share it.
func repeated(decode func(json.RawMessage) (Payload, error)) func(json.RawMessage) (Payload, error) {
	type decoded struct {
		body    []byte
		payload Payload
	}
	var newest atomic.Pointer[decoded]
	return func(body json.RawMessage) (Payload, error) {
		if last := newest.Load(); last != nil && bytes.Equal(last.body, body) {
			return last.payload, nil
		}
		p, err := decode(body)
		if err == nil {
			newest.Store(&decoded{bytes.Clone(body), p})
		}
		return p, err
	}
}

func (d Def) check() error {
	switch {
	case !ValidToken(d.Type.Name):
		return fmt.Errorf("%w: the name must be a subject token, got %s", ErrRegistry, chars.Quote(d.Type.Name))
	case d.Class < Decision || d.Class > Notice:
		return fmt.Errorf("%w: %s has no class", ErrRegistry, d.Type.Name)
	case d.Type.Version < 1 || len(d.lifts) != d.Type.Version-1:
		return fmt.Errorf("%w: %s has version %d but %d lifts", ErrRegistry, d.Type.Name, d.Type.Version, len(d.lifts))
	}
	return nil
}

// Defs returns the definitions, sorted by name.
func (r *Registry) Defs() []Def {
	out := make([]Def, 0, len(r.defs))
	for _, d := range r.defs {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b Def) int { return strings.Compare(a.Type.Name, b.Type.Name) })
	return out
}

// Lookup returns a definition by type name.
func (r *Registry) Lookup(name string) (Def, bool) {
	d, ok := r.defs[name]
	return d, ok
}

// Knows returns nil if the registry has the event's type and version, else an ErrNewer that says
// which version is needed. The event must be decoded.
func (r *Registry) Knows(e *Event) error {
	u, unknown := e.Payload.(Unknown)
	if !unknown {
		return nil
	}
	if d, known := r.defs[u.Name]; known {
		return fmt.Errorf("%w: session %s needs slop that reads version %d of %s (event %s); this program knows up to %d",
			ErrNewer, e.Session, u.Version, u.Name, e.ID, d.Type.Version)
	}
	return fmt.Errorf("%w: session %s needs slop that knows events of the type %s (event %s); this program does not",
		ErrNewer, e.Session, u.Name, e.ID)
}

// Decoded returns how many events were decoded, for tests that limit it.
func (r *Registry) Decoded() uint64 { return r.decoded.Load() }

// Decode sets e.Payload: to the typed body, lifted to the current version, to [Unknown], or to
// [Malformed]. An event whose actor may not write its type is also Malformed: it stays in the log
// but has no effect. Decode never fails, so that one bad message cannot stop a reader. It does not
// change an event that already has a payload.
func (r *Registry) Decode(e *Event) {
	if e.Payload != nil {
		return
	}
	r.decoded.Add(1)
	if e.V < 1 || bytes.Equal(bytes.TrimSpace(e.Data), []byte("null")) {
		e.Payload = Unreadable(e.Type, e.V, e.Data, "a body must be an object with a version of at least 1")
		return
	}
	d, ok := r.defs[e.Type]
	if !ok || e.V > d.Type.Version {
		e.Payload = Unknown{e.Type, e.V, e.Data}
		return
	}
	if !d.MayWrite(e.Actor) {
		e.Payload = Malformed{Name: e.Type, Version: e.V, Raw: e.Data, Reason: fmt.Sprintf("%s may not write %s", e.Actor,
			e.Type)}
		return
	}
	body := e.Data
	var err error
	for v := e.V; v < d.Type.Version; v++ {
		if body, err = d.lifts[v-1](body); err != nil {
			e.Payload = Unreadable(e.Type, e.V, e.Data, fmt.Sprintf("lift from version %d: %v", v, err))
			return
		}
	}
	if e.Payload, err = d.decode(body); err != nil {
		// our words: text for people; no decision depends on it.
		e.Payload = Unreadable(e.Type, e.V, e.Data, err.Error())
	}
}

// Catalogue returns the registry of all event types of slop. It is shared by all callers.
func Catalogue() *Registry { return catalogue() }

// catalogue is built once, because every decider of every session uses it.
var catalogue = sync.OnceValue(func() *Registry {
	r, err := NewRegistry(sessionDefs(), basisDefs(), changeDefs(), goalDefs(), ticketDefs(), controlDefs(), reviewDefs(),
		modelDefs(), moneyDefs(), toolDefs(), externalDefs(), undoDefs(), patchDefs(), askDefs(), fileDefs(), hookDefs(),
		logsDefs(), guiDefs(), projectDefs(), discussionDefs(), turnDefs(), contextDefs(), workerDefs(), graphDefs(),
		isolationDefs())
	if err != nil {
		panic(err) // a bug that the first test finds
	}
	return r
})
