package tierstest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

// Project and SessionID are the project and the session of every test event.
const (
	Project   = "p1"
	SessionID = "S1"
)

// epoch is the time before the first event.
var epoch = time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)

// ID returns the id of the n-th foreign event, counted from 1.
func ID(n int) string { return fmt.Sprintf("EV-%04d", n) }

// At returns the time of the n-th foreign event, counted from 1.
func At(n int) time.Time { return epoch.Add(time.Duration(n) * time.Second) }

// FactID returns the id of the fact with this index, counted from 0, that decider decides on the
// n-th foreign event.
func FactID(decider string, n, index int) string {
	return events.DecidedID(decider, events.Event{ID: ID(n), Time: At(n)}, index)
}

// History is a log that is being built: foreign events and the facts decided on them, in stream
// order.
type History struct {
	t        testing.TB
	registry *events.Registry
	foreign  int
	log      []events.Event
	prompts  events.Prompts[events.Part]
	requests []events.ModelRequested // the decided requests, each with its complete manifest
}

func newHistory(t testing.TB) *History {
	return &History{t: t, registry: events.Catalogue(), prompts: events.Prompts[events.Part]{}}
}

// Requests returns the requests to models, oldest first, each with its complete manifest.
func (h *History) Requests() []events.ModelRequested { return h.requests }

// LastRequest returns the newest request to a model; the test fails if there is none.
func (h *History) LastRequest() events.ModelRequested {
	h.t.Helper()
	require.NotEmpty(h.t, h.requests, "nothing was asked of a model")
	return h.requests[len(h.requests)-1]
}

// Events returns the log so far. The caller must not change it.
func (h *History) Events() []events.Event { return h.log }

// Last returns the newest event of a type; the test fails if there is none.
func (h *History) Last(typ string) events.Event {
	h.t.Helper()
	for i := len(h.log) - 1; i >= 0; i-- {
		if h.log[i].Type == typ {
			return h.log[i]
		}
	}
	h.t.Fatalf("no %s on the log", typ)
	return events.Event{}
}

// LastID returns the id of the newest event of a type; the test fails if there
// is none.
func (h *History) LastID(typ string) string {
	h.t.Helper()
	return h.Last(typ).ID
}

// All returns the payloads of a type, oldest first.
func All[P events.Payload](h *History) []P {
	var out []P
	for i := range h.log {
		if p, ok := h.log[i].Payload.(P); ok {
			out = append(out, p)
		}
	}
	return out
}

// add appends a foreign event to the log and returns it as a reader sees it.
func (h *History) add(p events.Payload) *events.Event {
	h.t.Helper()
	actor, cause := "", ""
	for p != nil {
		if s, ok := p.(said); ok {
			p, cause = s.Payload, s.id
			if s.cause == "" {
				actor = s.actor
			} else {
				cause = h.LastID(s.cause)
			}
			continue
		}
		c, ok := p.(computed)
		if !ok {
			break
		}
		p = c.make(h)
	}
	require.NotNil(h.t, p, "an event needs a payload")
	if actor == "" {
		actor = actorOf(h.registry, p)
	}
	h.foreign++
	e, err := events.New(events.Origin{ID: ID(h.foreign), Time: At(h.foreign), Project: Project, Session: SessionID,
		Actor: actor, Cause: cause}, p)
	require.NoError(h.t, err)
	return h.push(e)
}

// push stores an event and decodes it again, so that a decider reads what went through JSON, as
// from a real log.
func (h *History) push(e events.Event) *events.Event {
	h.t.Helper()
	e.Seq = uint64(len(h.log) + 1)
	switch e.Payload.(type) {
	case events.Unknown, events.Malformed:
	default:
		e.Payload = nil
		h.registry.Decode(&e)
	}
	h.log = append(h.log, e)
	return &h.log[len(h.log)-1]
}

// whole returns a decided payload. A request is returned with its complete manifest, as if it
// continued no other, after checking the recorded digest.
func (h *History) whole(e *events.Event) events.Payload {
	h.t.Helper()
	asked, ok := e.Payload.(events.ModelRequested)
	if !ok {
		return e.Payload
	}
	parts, err := h.prompts.Take(e.ID, &asked, events.Same)
	require.NoError(h.t, err)
	asked.Manifest, asked.Continues, asked.Keep = slices.Clone(parts), "", 0
	digest, err := events.ManifestDigest(parts)
	require.NoError(h.t, err)
	require.Equal(h.t, digest, asked.SHA256, "the digest is not that of the whole manifest")
	h.requests = append(h.requests, asked)
	return asked
}

// take passes an event to a machine, appends the decided facts to the log and returns them; the
// returned requests have complete manifests.
func (h *History) take(m *tiers.Machine, e *events.Event) []events.Payload {
	h.t.Helper()
	cause := *e
	facts, err := m.Take(&cause)
	require.NoError(h.t, err)
	payloads := make([]events.Payload, len(facts))
	for i, f := range facts {
		payloads[i] = h.whole(h.push(f))
	}
	return payloads
}

// wire returns the JSON of an event.
func wire(t testing.TB, e events.Event) string {
	t.Helper()
	b, err := json.Marshal(e)
	require.NoError(t, err)
	return string(b)
}
