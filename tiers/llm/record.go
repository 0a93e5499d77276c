package llm

import (
	"encoding/json"
	"fmt"
	"sync"

	"manualslop/events"
)

// Record keeps what the prompts of one session refer to: replies, results,
// views and the tools that were offered. It is a fold of the session's events
// and safe for concurrent use.
type Record struct {
	mu     sync.Mutex
	byID   map[string]*events.Event
	tools  map[string]events.ToolOffer
	biased []events.BiasProfile
}

// Blob reads the bytes of a digest.
type Blob func(sha256 string) ([]byte, error)

// Take folds the next event.
func (r *Record) Take(e *events.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		r.biased = p.Settings.Roster.BiasProfiles
	case events.ToolsOffered:
		r.tools = make(map[string]events.ToolOffer, len(p.Tools))
		for _, o := range p.Tools {
			r.tools[o.Name] = o
		}
	case events.ModelReplied, events.ToolSettled, events.ContextBuilt:
		if r.byID == nil {
			r.byID = map[string]*events.Event{}
		}
		if r.byID[e.ID] == nil { // an outcome that was told twice counts as it was told first
			r.byID[e.ID] = e
		}
	}
}

// Request builds the request that m asks for, the same whenever it is built.
// Errors are those of [Assemble].
func (r *Record) Request(m events.ModelRequested, blob Blob) (Request, error) {
	out, err := Assemble(m.Manifest, r.offers(m.Tools, m.BiasProfile), r.Resolve(blob))
	if err != nil {
		return Request{}, err
	}
	out.Model, out.Params, out.Command = m.Model, m.Params, m.Command
	return out, nil
}

// offers are the tools with these names, in their order, as the bias profile
// shows them; unknown ones are left out.
func (r *Record) offers(names []string, biased string) []events.ToolOffer {
	r.mu.Lock()
	defer r.mu.Unlock()
	profile, _ := events.Roster{BiasProfiles: r.biased}.BiasProfile(biased)
	var out []events.ToolOffer
	for _, n := range names {
		if o, ok := r.tools[n]; ok {
			out = append(out, Nudge(o, profile))
		}
	}
	return out
}

// Resolve finds what a part names in the events that were taken so far and, by
// blob, in the blob store.
func (r *Record) Resolve(blob Blob) Resolve {
	return func(p events.Part) (string, []events.ToolCall, json.RawMessage, error) {
		if p.From == "" {
			b, err := blob(p.SHA256)
			return string(b), nil, nil, err
		}
		r.mu.Lock()
		e := r.byID[p.From]
		r.mu.Unlock()
		if e == nil {
			return "", nil, nil, fmt.Errorf("no event %s to take text from", p.From)
		}
		return contentOf(e, p, blob)
	}
}

// contentOf is what a part takes from an event.
func contentOf(e *events.Event, p events.Part, blob Blob) (string, []events.ToolCall, json.RawMessage, error) {
	switch x := e.Payload.(type) {
	case events.ModelReplied:
		if x.RawBlob == nil {
			return x.Text, x.Calls, x.Raw, nil
		}
		raw, err := blob(x.RawBlob.SHA256)
		return x.Text, x.Calls, raw, err
	case events.ToolSettled:
		if x.TextBlob == nil {
			return x.Text, nil, nil, nil
		}
		b, err := blob(x.TextBlob.SHA256)
		return string(b), nil, nil, err
	case events.ContextBuilt:
		if p.Index < 0 || p.Index >= len(x.Views) {
			return "", nil, nil, fmt.Errorf("event %s has no view %d", p.From, p.Index)
		}
		v := x.Views[p.Index]
		if !v.Blob {
			return v.Text, nil, nil, nil
		}
		b, err := blob(v.SHA256)
		return string(b), nil, nil, err
	}
	return "", nil, nil, fmt.Errorf("event %s of type %s holds no text", p.From, e.Type)
}
