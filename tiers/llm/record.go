package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"manualslop/events"
)

// Record keeps the prompts of one session and the events that they refer to: replies, results,
// views, entries that people wrote, and the tools that were offered. It is a fold of the session's
// events and safe for concurrent use.
type Record struct {
	mu      sync.Mutex
	byID    map[string]*outcome
	recent  recent
	prompts events.Prompts[events.Part]
	refused map[string]error              // requests whose manifest cannot be assembled
	tools   []map[string]events.ToolOffer // every offer of tools, in order
	offer   map[string]int                // index in tools for each request that no other continues yet
	biased  []events.BiasProfile
	shown   map[showing]*Tool // tools already rendered
	begun   begun
}

// showing identifies one tool of an offer, as rendered for one bias profile.
type showing struct {
	offer         int
	tool, profile string
}

// Blob returns the bytes with a digest.
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
		if r.byID[e.ID] == nil { // the first report of an outcome counts
			r.byID[e.ID] = r.recent.keep(e)
		}
	}
}

// asked stores the whole manifest of a request.
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

// Manifest returns the whole manifest of a request. The request must have been taken, and no other
// request may continue it yet.
func (r *Record) Manifest(id string) ([]events.Part, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	parts, err := r.lent(id)
	return slices.Clone(parts), err
}

// lent is like Manifest, but returns the record's own slice. The caller holds r.mu.
func (r *Record) lent(id string) ([]events.Part, error) {
	if p, known := r.prompts[id]; known {
		return p.Parts, nil
	}
	if err := r.refused[id]; err != nil {
		return nil, Unsendable("request %s: %v", id, err)
	}
	return nil, Unsendable("request %s is not recorded, or another request has continued it", id)
}

// Newest returns the parts of the newest message of a request's prompt, for use with the function
// [Newest]; nil if the manifest is not known. It must be called before another request continues
// this one.
func (r *Record) Newest(id string) []events.Part {
	r.mu.Lock()
	defer r.mu.Unlock()
	return newestParts(r.prompts[id].Parts)
}

// Request builds the request that the event m with the given id asks for; it is the same each
// time. It returns the errors of [Record.Manifest] and [Assemble], and an error if the manifest
// does not have the digest that m records.
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

// prove checks that the manifest of a request, made of the parts in a and rest, has the recorded
// digest.
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
		return Unsendable("request %s: the digest of its manifest is %s, but the recorded one is %q", id, digest, m.SHA256)
	}
	a.sum = sum
	return nil
}

// offers returns the named tools in the given order, as they were offered when the request was
// made and as the bias profile shows them. Unknown names are left out.
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

// show returns a tool. Each is made only once, because schemas are long and every request contains
// all of them.
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

// Resolve returns a function that finds the content of a part in the events taken so far and,
// through blob, in the blob store.
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

// Shown is what a model reads for one part of a manifest.
type Shown struct {
	Text  string
	Image *Image // follows the text; nil: none
	Calls []events.ToolCall
	Bytes int // of the text, the calls and what the vendor needs back verbatim
}

// Show returns what a model reads for part i of a manifest, checked as in [Assemble].
func (r *Record) Show(i int, p events.Part, blob Blob) (Shown, error) {
	got, err := read(i, p, r.Resolve(blob))
	return Shown{got.text, got.image, got.calls, got.size()}, err
}

// contentOf returns the content of a part from the event that the part refers to.
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
