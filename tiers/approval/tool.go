package approval

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"manualslop/events"
	"manualslop/tiers"
)

// Names of effects in a tool's offer. Any other name is an unknown effect.
const (
	effectReads   = "reads"
	effectWrites  = "writes"
	effectNetwork = "network"
	effectWide    = "wide"
)

// tool is one offered tool.
type tool struct {
	offer   events.ToolOffer
	effects []string
	schema  *jsonschema.Resolved `snapshot:"-"` // set by resolve; restored from the offer
	broken  string               // why the schema cannot be used; then the tool never runs
}

// offer replaces the tools of the session. Existing calls keep their tool.
func (s *State) offer(p events.ToolsOffered) {
	s.tools = make(map[string]*tool, len(p.Tools))
	for _, o := range p.Tools {
		s.tools[o.Name] = newTool(o)
	}
}

func newTool(o events.ToolOffer) *tool {
	return &tool{offer: o, effects: strings.Split(o.Effect, "|")}
}

// resolve prepares the schema. It runs at the first call, because it is expensive and most tools
// of a session are never called.
func (t *tool) resolve() {
	if t.schema != nil || t.broken != "" {
		return
	}
	if t.broken = events.SchemaFault(t.offer.Schema); t.broken != "" {
		return
	}
	var schema jsonschema.Schema
	err := json.Unmarshal(t.offer.Schema, &schema)
	if err == nil {
		t.schema, err = schema.Resolve(nil)
	}
	if err != nil {
		t.broken = "it is not a JSON Schema"
	}
}

// only reports whether the tool has no effects other than these. A tool without a known effect has
// others.
func (t *tool) only(known ...string) bool {
	return !slices.ContainsFunc(t.effects, func(e string) bool { return !slices.Contains(known, e) })
}

// has reports whether the tool has an effect.
func (t *tool) has(effect string) bool { return slices.Contains(t.effects, effect) }

// harmless reports whether a call of the tool runs without an ask: it only reads, or only accesses
// public addresses.
func (t *tool) harmless() bool { return t.only(effectReads, effectNetwork, effectWide) }

// confined reports whether a call touches only files that its arguments name.
func (t *tool) confined() bool { return t.only(effectReads, effectNetwork, effectWrites) }

// previews reports whether a worker can show what a call would change.
func (t *tool) previews() bool { return slices.Contains(t.effects, effectWrites) }

// tries reports whether a worker can find out, without changing anything, whether a call would fail. A call of an
// external server cannot be tried, because what it does there is known to nobody.
func (t *tool) tries() bool {
	external := strings.HasPrefix(t.offer.Name, events.ExternalToolPrefix)
	return !external && (t.previews() || t.only(effectReads, effectWide))
}

// check returns why arguments do not match, or their digest if they do.
func (t *tool) check(args json.RawMessage) (digest, problem string) {
	t.resolve()
	if t.broken != "" {
		return "", "the schema of the tool cannot be used: " + t.broken
	}
	if len(args) > events.MaxArgs {
		return "", fmt.Sprintf("%d bytes are over the limit of %d", len(args), events.MaxArgs)
	}
	var v any
	switch {
	case !json.Valid(args):
		return "", "they are not JSON"
	case json.Unmarshal(args, &v) != nil:
		return "", "a number in them is out of range"
	}
	if t.schema.Validate(v) != nil {
		return "", tiers.Clip(t.misfit(v), 500)
	}
	digest, err := events.CanonicalDigest(args)
	if err != nil {
		return "", "there is no canonical form of them"
	}
	return digest, ""
}
