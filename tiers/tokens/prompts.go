package tokens

import (
	"slices"

	"manualslop/events"
)

// Prompts computes bounds for the prompts of a session. It is a fold: call [Prompts.Take] for
// every event in order, and [Prompts.Ask] when a request is folded.
type Prompts struct {
	texts    texts
	manifest events.Prompts[part]
	bounds   map[string]*bound // by request, for requests that no other continues yet
	tools    map[string]int64  // tokens of each offered tool, by name
	// by model: the vendor's count per computed token, in percent, if above 100
	scale map[string]int64
}

// bound is the maximum number of tokens of a prompt.
type bound struct {
	most  int64
	sum   int64 // computed tokens of its content
	tools int64 // the part of sum for tools
	named []string
	model string
	done  bool // final: it was counted, or a program that sends more than this prompt counts it
}

// NewPrompts returns an empty Prompts.
func NewPrompts() *Prompts {
	return &Prompts{texts: texts{}, manifest: events.Prompts[part]{}, bounds: map[string]*bound{},
		tools: map[string]int64{}, scale: map[string]int64{}}
}

// Take folds an event that is not a request.
func (all *Prompts) Take(e *events.Event) {
	all.texts.note(e)
	switch p := e.Payload.(type) {
	case events.ToolsOffered:
		clear(all.tools)
		for _, o := range p.Tools {
			all.tools[o.Name] = ofTool + Most(o.Name) + Most(o.Description) + Most(string(o.Schema))
		}
	case events.ModelReplied:
		all.heard(p)
	}
	all.forget(e)
}

// forget drops the conversations that an event ends.
func (all *Prompts) forget(e *events.Event) {
	if !events.EndsPrompts(e.Payload) {
		return
	}
	all.manifest.Forget(e)
	// order-independent: each is checked on its own
	for id := range all.bounds {
		if _, known := all.manifest[id]; !known {
			delete(all.bounds, id)
		}
	}
}

// Ask folds the request with this id and returns the maximum number of tokens of its prompt,
// including its tools. It returns an error if the content of the prompt is not known; see
// [events.Prompts].
func (all *Prompts) Ask(id string, m *events.ModelRequested) (int64, error) {
	var gone []part // the parts of the previous request that this one does not repeat
	if before := all.manifest[m.Continues].Parts; m.Keep > 0 && m.Keep <= len(before) {
		gone = slices.Clone(before[m.Keep:])
	}
	parts, err := all.manifest.Take(id, m, all.texts.measure)
	if err != nil {
		return 0, err
	}
	b := &bound{model: m.Provider + "/" + m.Model, named: m.Tools, done: events.RunsProgram(m.Provider)}
	for _, name := range m.Tools {
		b.tools += all.tools[name]
	}
	b.sum = ofPrompt + b.tools
	if len(m.Tools) > 0 {
		b.sum += ofTools
	}
	for _, p := range parts {
		b.sum += p.text + p.around
	}
	b.most = all.scaled(b.model, b.sum)
	if last := all.bounds[m.Continues]; last != nil && last.model == b.model && goesOn(last.named, m.Tools) {
		b.most = min(b.most, last.most+all.scaled(b.model, b.tools-last.tools+fresh(parts[m.Keep:], gone)))
	}
	delete(all.bounds, m.Continues)
	all.bounds[id] = b
	return b.most, nil
}

// goesOn reports whether the tools are those of the previous request, possibly with more at the
// end.
func goesOn(before, tools []string) bool {
	switch {
	case len(before) == 0: // the first tool adds the text that surrounds all tools
		return len(tools) == 0
	case len(tools) < len(before):
		return false
	}
	return slices.Equal(before, tools[:len(before)])
}

// fresh returns how much of parts is new compared with gone, the parts of the previous prompt at
// the same positions. A text that was there before, even if it is cut now, has no more tokens than
// before.
func fresh(parts, gone []part) int64 {
	seen := map[string]int64{}
	for _, p := range gone {
		if p.from != "" {
			seen[p.from] = p.text
		}
	}
	sum := int64(0)
	for _, p := range parts {
		if sum += p.around; p.text > seen[p.from] {
			sum += p.text
		}
		delete(seen, p.from)
	}
	return sum
}

// Limits of a plausible vendor's count, relative to the computed bound.
const (
	leastShare = 16      // a lower count cannot be of the whole prompt
	mostTokens = 1 << 40 // a higher count is not plausible
	maxScale   = 1000    // percent
)

// heard records a vendor's count of a prompt.
func (all *Prompts) heard(p events.ModelReplied) {
	b, tokens := all.bounds[p.Request], p.Usage.Prompt()
	if b == nil || b.done || p.Usage.Estimated || tokens < b.sum/leastShare || tokens > mostTokens {
		return
	}
	b.done, b.most = true, tokens
	if percent := tokens*100/b.sum + 1; tokens > b.sum {
		all.scale[b.model] = min(max(all.scale[b.model], percent), maxScale)
	}
}

// scaled converts a computed number of tokens to the vendor's counting for a model.
func (all *Prompts) scaled(model string, tokens int64) int64 {
	if percent, more := all.scale[model]; more {
		return tokens*percent/100 + 1
	}
	return tokens
}
