package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"manualslop/events"
)

// Record keeps the prompts of one session and what they refer to: replies,
// results, views, entries that persons wrote, and the tools that were offered. It is a fold of the session's
// events and safe for concurrent use.
type Record struct {
	mu      sync.Mutex
	byID    map[string]*outcome
	recent  recent
	prompts events.Prompts[events.Part]
	refused map[string]error              // requests whose manifest cannot be put together
	tools   []map[string]events.ToolOffer // as they were offered, one time after the other
	offer   map[string]int                // which of them held when a request was made that no other continues yet
	biased  []events.BiasProfile
	shown   map[showing]*Tool // tools as they were shown before
	begun   begun
}

// showing is a tool of an offer as a bias profile shows it.
type showing struct {
	offer         int
	tool, profile string
}

// Blob reads the bytes of a digest.
type Blob func(sha256 string) ([]byte, error)

// Take folds the next event.
func (r *Record) Take(e *events.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		r.biased, r.shown = p.Settings.Roster.BiasProfiles, nil
	case events.ToolsOffered:
		offered := make(map[string]events.ToolOffer, len(p.Tools))
		for _, o := range p.Tools {
			offered[o.Name] = o
		}
		r.tools = append(r.tools, offered)
	case events.ModelRequested:
		r.asked(e.ID, &p)
	case events.GoalCompleted, events.GoalFailed:
		r.begun = begun{}
	case events.ModelReplied, events.ToolSettled, events.ContextBuilt, events.TurnRequested, events.DiscussionChanged:
		if r.byID == nil {
			r.byID = map[string]*outcome{}
		}
		if r.byID[e.ID] == nil { // an outcome that was told twice counts as it was told first
			r.byID[e.ID] = r.recent.keep(e)
		}
	}
}

// asked notes the whole manifest of a request.
func (r *Record) asked(id string, p *events.ModelRequested) {
	if r.prompts == nil {
		r.prompts, r.refused, r.offer = events.Prompts[events.Part]{}, map[string]error{}, map[string]int{}
	}
	delete(r.offer, p.Continues)
	r.offer[id] = len(r.tools) - 1
	if _, err := r.prompts.Take(id, p, events.Same); err != nil {
		r.refused[id] = err
	}
}

// Manifest returns the whole manifest of a request that was taken and that no
// other continues yet.
func (r *Record) Manifest(id string) ([]events.Part, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	parts, err := r.lent(id)
	return slices.Clone(parts), err
}

// lent returns the whole manifest of a request; r.mu is held.
func (r *Record) lent(id string) ([]events.Part, error) {
	if p, known := r.prompts[id]; known {
		return p.Parts, nil
	}
	if err := r.refused[id]; err != nil {
		return nil, Unsendable("request %s: %v", id, err)
	}
	return nil, Unsendable("request %s is not on record, or another one continues it", id)
}

// Newest returns the parts of the newest message of a request's prompt, for
// [Newest]; nil if its manifest is not known. Ask while no other request
// continues it.
func (r *Record) Newest(id string) []events.Part {
	r.mu.Lock()
	defer r.mu.Unlock()
	return newestParts(r.prompts[id].Parts)
}

// Request builds the request that m, the event with this id, asks for, the same
// whenever it is built. Errors are those of [Record.Manifest] and [Assemble]; a
// manifest without the digest that m says is one too.
func (r *Record) Request(id string, m events.ModelRequested, blob Blob) (Request, error) {
	a, rest, err := r.beginning(id, m)
	if err != nil {
		return Request{}, err
	}
	if err := r.prove(id, m, a, rest); err != nil {
		return Request{}, err
	}
	out, err := a.extend(rest, r.Resolve(blob))
	if err != nil {
		return Request{}, err
	}
	r.keep(id, a)
	out.Tools = r.offers(id, m.Tools, m.BiasProfile)
	out.Model, out.Params, out.Command = m.Model, m.Params, m.Command
	return out, nil
}

// prove checks that the manifest of a request, which is what a begins and rest, has
// the digest that is on record.
func (r *Record) prove(id string, m events.ModelRequested, a *assembler, rest []events.Part) error {
	digest, sum, ok := "", events.ManifestSum{}, false
	if a.sum.Parts() == a.parts {
		digest, sum, ok = a.sum.After(rest)
	}
	if !ok {
		whole, err := r.Manifest(id)
		if err != nil {
			return err
		}
		if digest, err = events.ManifestDigest(whole); err != nil {
			return Unsendable("request %s: %v", id, err)
		}
	}
	if digest != m.SHA256 {
		return Unsendable("request %s: the digest of its manifest is %s, recorded is %s", id, digest, m.SHA256)
	}
	a.sum = sum
	return nil
}

// offers returns the tools with these names as they were offered when the
// request was made, in their order, as the bias profile shows them; unknown
// ones are left out.
func (r *Record) offers(request string, names []string, biased string) []Tool {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Tool
	for _, n := range names {
		if t := r.show(showing{r.offer[request], n, biased}); t != nil {
			out = append(out, *t)
		}
	}
	return out
}

// show returns a tool, made once: schemas are long, and every request has them
// all.
func (r *Record) show(s showing) *Tool {
	if t, known := r.shown[s]; known {
		return t
	}
	if s.offer < 0 || s.offer >= len(r.tools) {
		return nil
	}
	o, ok := r.tools[s.offer][s.tool]
	if !ok {
		return nil
	}
	profile, _ := events.Roster{BiasProfiles: r.biased}.BiasProfile(s.profile)
	t := toolOf(Nudge(o, profile))
	t.wire = wireOf(&t)
	if r.shown == nil {
		r.shown = map[showing]*Tool{}
	}
	r.shown[s] = &t
	return &t
}

// Resolve finds what a part names in the events that were taken so far and, by
// blob, in the blob store.
func (r *Record) Resolve(blob Blob) Resolve {
	return func(p events.Part) (string, []events.ToolCall, json.RawMessage, error) {
		if p.From == "" {
			b, err := blob(p.SHA256)
			return string(b), nil, nil, err
		}
		e, err := r.outcome(p.From)
		if err != nil {
			return "", nil, nil, err
		}
		return contentOf(e, p, blob)
	}
}

// contentOf returns what a part takes from an event.
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
	case events.TurnRequested:
		return x.Text, nil, nil, nil
	case events.DiscussionChanged:
		if x.Content == nil {
			break
		}
		return *x.Content, nil, nil, nil
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
