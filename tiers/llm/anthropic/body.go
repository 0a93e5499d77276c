package anthropic

import (
	"encoding/json"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// defaultRoom is the maximum length of a reply, in tokens, if none is configured; the API requires
// a number.
const defaultRoom = 32_000

// body is a request of the Messages API. The order of its fields is part of the wire format.
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

// binding says what happens to thinking blocks if the conversation before them has changed.
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

// mark is a cache breakpoint with a lifetime of five minutes.
type mark struct {
	Type string `json:"type"`
}

func breakpoint() *mark { return &mark{"ephemeral"} }

// Body returns the request as it is sent.
func (Provider) Body(r llm.Request) ([]byte, error) {
	if err := imageLimits(r.Model).Check(r); err != nil {
		return nil, err
	}
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

// imageLimits returns the limits for images in requests to a model; see
// https://platform.claude.com/docs/en/build-with-claude/vision and
// kolega-ai/kolega-code#354, which measured that the size in base64 counts.
func imageLimits(model string) llm.ImageLimits {
	return llm.ImageLimits{Vendor: Name, None: familyOf(model).blind, Count: 100, Each: 10 << 20, Base64: true}
}

// system returns the blocks of the system message.
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

// blank reports whether a text is only white space, which the API rejects.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// think sets how much the model may think, and how it samples: most models accept no temperature
// while they think, and the newest none at all. unthought means that the calls just answered came
// without thinking, so this model cannot start to think within a budget now.
func (b *body) think(p events.ModelParams, unthought bool) {
	f := familyOf(b.Model)
	switch {
	case p.Effort == "":
	case p.Effort == "off":
		if f.off {
			b.Thinking = &thinking{Type: "disabled"}
		} else if f.adaptive {
			b.OutputConfig = &outputConfig{"low"} // the lowest effort
		}
	case f.adaptive:
		b.Thinking, b.OutputConfig = &thinking{Type: "adaptive"}, &outputConfig{p.Effort}
	case f.budget && !unthought:
		if n := budget(p.Effort, b.MaxTokens); n > 0 {
			b.Thinking = &thinking{Type: "enabled", BudgetTokens: n}
		}
	}
	if f.binds {
		b.Thinking = &thinking{Type: "adaptive", BlockBinding: &binding{"drop_block"}} // their default mode
	}
	if !f.samples || b.Thinking != nil && b.Thinking.Type != "disabled" {
		return
	}
	b.Temperature, b.TopP = p.Temperature, p.TopP
	if b.Temperature != nil {
		warm := min(*b.Temperature, 1) // the API's maximum
		b.Temperature = &warm
		if !f.both {
			b.TopP = nil
		}
	}
}
