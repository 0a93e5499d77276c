package gemini

import (
	"encoding/json"

	"manualslop/tiers/llm"
)

// request is the body of streamGenerateContent and, with a model and a ttl, of
// cachedContents: https://ai.google.dev/api/generate-content,
// https://ai.google.dev/api/caching. The order of the fields is the order of
// the bytes.
type request struct {
	Model             string      `json:"model,omitempty"`
	DisplayName       string      `json:"displayName,omitempty"`
	CachedContent     string      `json:"cachedContent,omitempty"`
	SystemInstruction *content    `json:"systemInstruction,omitempty"`
	Tools             []toolbox   `json:"tools,omitempty"`
	Contents          []any       `json:"contents,omitempty"` // content, or a reply verbatim
	GenerationConfig  *generation `json:"generationConfig,omitempty"`
	TTL               string      `json:"ttl,omitempty"`
}

type toolbox struct {
	FunctionDeclarations []declaration `json:"functionDeclarations"`
}

type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parametersJsonSchema,omitempty"` // JSON Schema as it is
}

type generation struct {
	Temperature     *float64        `json:"temperature,omitempty"`
	TopP            *float64        `json:"topP,omitempty"`
	MaxOutputTokens int             `json:"maxOutputTokens,omitempty"`
	ThinkingConfig  *thinkingConfig `json:"thinkingConfig,omitempty"`
}

// thinkingConfig has one of its two.
type thinkingConfig struct {
	Budget *int   `json:"thinkingBudget,omitempty"` // tokens
	Level  string `json:"thinkingLevel,omitempty"`
}

// Body is what Stream sends for r. Where the vendor keeps the beginning of r,
// the body names it and holds neither the system message nor the tools, which
// the API refuses beside it.
func (p Provider) Body(r llm.Request) ([]byte, error) {
	if err := checkModel(r.Model); err != nil {
		return nil, err
	}
	var out request
	from := 0
	if c := r.Cached; c != nil {
		if c.Messages < 1 || c.Messages >= len(r.Messages) {
			return nil, llm.Unsendable("the kept beginning of %d messages is not one of a prompt of %d", c.Messages, len(r.Messages))
		}
		out.CachedContent, from = c.Name, c.Messages
	} else {
		out.begin(r)
	}
	var err error
	if out.Contents, err = contents(r, from, len(r.Messages)); err != nil {
		return nil, err
	}
	g := generation{MaxOutputTokens: r.Params.MaxOutputTokens, ThinkingConfig: thinking(r.Model, r.Params.Effort, r.Params.MaxOutputTokens)}
	if familyOf(r.Model).samples() {
		g.Temperature, g.TopP = r.Params.Temperature, r.Params.TopP
	}
	if g != (generation{}) {
		out.GenerationConfig = &g
	}
	return llm.PlainJSON(out)
}

// begin puts what stands before the conversation.
func (out *request) begin(r llm.Request) {
	if s := r.System(); s != "" {
		out.SystemInstruction = &content{Parts: []part{{Text: s}}}
	}
	if len(r.Tools) == 0 {
		return
	}
	box := toolbox{}
	for _, t := range r.Tools {
		box.FunctionDeclarations = append(box.FunctionDeclarations, declaration{t.Name, t.Description, t.Schema})
	}
	out.Tools = []toolbox{box}
}
