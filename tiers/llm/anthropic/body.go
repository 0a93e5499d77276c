package anthropic

import (
	"encoding/json"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// defaultRoom is the longest reply in tokens where nobody says how long, for
// the vendor wants a number.
const defaultRoom = 32_000

// body is a request of the Messages API. The order of its fields is part of the
// wire's version.
type body struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	Temperature  *float64      `json:"temperature,omitempty"`
	TopP         *float64      `json:"top_p,omitempty"`
	Thinking     *thinking     `json:"thinking,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
	Tools        []tool        `json:"tools,omitempty"`
	System       []*block      `json:"system,omitempty"`
	Messages     []turn        `json:"messages"`
	Stream       bool          `json:"stream"`
}

type thinking struct {
	Type         string   `json:"type"`
	BudgetTokens int      `json:"budget_tokens,omitempty"`
	BlockBinding *binding `json:"block_binding,omitempty"`
}

// binding says what becomes of thoughts that what comes before them no longer
// fits.
type binding struct {
	PrefixMismatchBehavior string `json:"prefix_mismatch_behavior"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

type tool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema"`
	CacheControl *mark           `json:"cache_control,omitempty"`
}

// mark is a cache breakpoint of five minutes.
type mark struct {
	Type string `json:"type"`
}

func breakpoint() *mark { return &mark{"ephemeral"} }

// Body returns the request as it is sent.
func (Provider) Body(r llm.Request) ([]byte, error) {
	c := newConversation(r)
	b := body{Model: r.Model, MaxTokens: r.Params.MaxOutputTokens, Stream: true}
	if b.MaxTokens <= 0 {
		b.MaxTokens = defaultRoom
	}
	for _, t := range r.Tools {
		b.Tools = append(b.Tools, tool{Name: t.Name, Description: t.Description, InputSchema: t.Schema})
	}
	b.System = system(r)
	b.think(r.Params, c.unthought)
	c.mark(&b)
	b.Messages = c.turns()
	return llm.PlainJSON(b)
}

// system returns the system message, block by block.
func system(r llm.Request) (out []*block) {
	if len(r.Messages) == 0 || r.Messages[0].Role != llm.RoleSystem {
		return nil
	}
	for _, b := range r.Messages[0].Blocks {
		if t, ok := b.(llm.Text); ok && !blank(string(t)) {
			out = append(out, &block{Type: "text", Text: string(t)})
		}
	}
	return out
}

// blank reports whether a text is none to the vendor, who refuses those.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// think says how much the model may think, and how it samples: most models take
// no temperature while they think, and the newest none at all. unthought says
// that calls were just answered before which this model thought nothing, so
// that it cannot begin to think within a budget now.
func (b *body) think(p events.ModelParams, unthought bool) {
	f := familyOf(b.Model)
	switch {
	case p.Effort == "":
	case p.Effort == "off":
		if f.off {
			b.Thinking = &thinking{Type: "disabled"}
		} else if f.adaptive {
			b.OutputConfig = &outputConfig{"low"} // the least there is
		}
	case f.adaptive:
		b.Thinking, b.OutputConfig = &thinking{Type: "adaptive"}, &outputConfig{p.Effort}
	case f.budget && !unthought:
		if n := budget(p.Effort, b.MaxTokens); n > 0 {
			b.Thinking = &thinking{Type: "enabled", BudgetTokens: n}
		}
	}
	if f.binds {
		b.Thinking = &thinking{Type: "adaptive", BlockBinding: &binding{"drop_block"}} // adaptive is their default
	}
	if !f.samples || b.Thinking != nil && b.Thinking.Type != "disabled" {
		return
	}
	b.Temperature, b.TopP = p.Temperature, p.TopP
	if b.Temperature != nil {
		warm := min(*b.Temperature, 1) // the vendor's most
		b.Temperature = &warm
		if !f.both {
			b.TopP = nil
		}
	}
}
