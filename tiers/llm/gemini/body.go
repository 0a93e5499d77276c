package gemini

import (
	"encoding/json"

	"manualslop/tiers/llm"
)

// request is the body of streamGenerateContent:
// https://ai.google.dev/api/generate-content. The order of the fields is the
// order of the bytes.
type request struct {
	SystemInstruction *content    `json:"systemInstruction,omitempty"`
	Tools             []toolbox   `json:"tools,omitempty"`
	Contents          []any       `json:"contents,omitempty"` // a content, or a reply verbatim
	GenerationConfig  *generation `json:"generationConfig,omitempty"`
}

type toolbox struct {
	FunctionDeclarations []declaration `json:"functionDeclarations"`
}

type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parametersJsonSchema,omitempty"` // JSON Schema, unchanged
}

type generation struct {
	Temperature     *float64        `json:"temperature,omitempty"`
	TopP            *float64        `json:"topP,omitempty"`
	MaxOutputTokens int             `json:"maxOutputTokens,omitempty"`
	ThinkingConfig  *thinkingConfig `json:"thinkingConfig,omitempty"`
}

// thinkingConfig has one of its two fields set.
type thinkingConfig struct {
	Budget *int   `json:"thinkingBudget,omitempty"` // tokens
	Level  string `json:"thinkingLevel,omitempty"`
}

// Body returns the request that Stream sends for r.
func (p Provider) Body(r llm.Request) ([]byte, error) {
	if err := checkModel(r.Model); err != nil {
		return nil, err
	}
	if err := imageLimits().Check(r); err != nil {
		return nil, err
	}
	var out request
	out.begin(r)
	var err error
	if out.Contents, err = contents(r); err != nil {
		return nil, err
	}
	g := generation{MaxOutputTokens: r.Params.MaxOutputTokens, ThinkingConfig: thinking(r.Model, r.Params.Effort,
		r.Params.MaxOutputTokens)}
	if familyOf(r.Model).samples() {
		g.Temperature, g.TopP = r.Params.Temperature, r.Params.TopP
	}
	if g != (generation{}) {
		out.GenerationConfig = &g
	}
	return llm.PlainJSON(out)
}

// imageLimits returns the API's limits for images inside a request; see
// https://ai.google.dev/gemini-api/docs/image-understanding.
func imageLimits() llm.ImageLimits {
	return llm.ImageLimits{Vendor: Name, Count: 3000, All: 20_000_000, Base64: true}
}

// begin sets what comes before the conversation.
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
