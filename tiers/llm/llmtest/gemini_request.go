package llmtest

import (
	"encoding/json"
	"strings"

	"manualslop/events"
)

// geminiRequest is the body of streamGenerateContent.
type geminiRequest struct {
	SystemInstruction *geminiContent   `json:"systemInstruction"`
	Tools             []geminiTool     `json:"tools"`
	ToolConfig        json.RawMessage  `json:"toolConfig"`
	Contents          []geminiContent  `json:"contents"`
	GenerationConfig  *geminiGenerates `json:"generationConfig"`
	SafetySettings    json.RawMessage  `json:"safetySettings"`

	model string // from the URL
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text             *string             `json:"text,omitempty"`
	Thought          bool                `json:"thought,omitempty"`
	ThoughtSignature string              `json:"thoughtSignature,omitempty"`
	InlineData       *geminiInline       `json:"inlineData,omitempty"`
	FunctionCall     *geminiCall         `json:"functionCall,omitempty"`
	FunctionResponse *geminiFunctionDone `json:"functionResponse,omitempty"`
}

type geminiInline struct {
	MIMEType string `json:"mimeType"`
	Data     string `json:"data"`
}

type geminiCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

type geminiFunctionDone struct {
	ID       string                     `json:"id,omitempty"`
	Name     string                     `json:"name"`
	Response map[string]json.RawMessage `json:"response"`
}

type geminiTool struct {
	FunctionDeclarations []geminiFunction `json:"functionDeclarations"`
}

type geminiFunction struct {
	Name                 string          `json:"name"`
	Description          string          `json:"description"`
	Parameters           json.RawMessage `json:"parameters"`
	ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`
}

type geminiGenerates struct {
	Temperature     *float64 `json:"temperature"`
	TopP            *float64 `json:"topP"`
	TopK            *float64 `json:"topK"`
	MaxOutputTokens *int     `json:"maxOutputTokens"`
	ThinkingConfig  *struct {
		IncludeThoughts bool   `json:"includeThoughts"`
		ThinkingBudget  *int   `json:"thinkingBudget"`
		ThinkingLevel   string `json:"thinkingLevel"`
	} `json:"thinkingConfig"`
}

// pieces returns the prompt in cache order: system, tools, contents.
func (q *geminiRequest) pieces() []string {
	var out []string
	if s := q.SystemInstruction; s != nil {
		out = append(out, "system "+string(mustJSON(s)))
	}
	for _, t := range q.Tools {
		out = append(out, "tools "+string(mustJSON(t)))
	}
	for _, c := range q.Contents {
		role := c.Role
		for _, p := range c.Parts {
			out = append(out, role+" "+string(mustJSON(p)))
			role = ""
		}
	}
	return out
}

func (q *geminiRequest) view() View {
	v := View{Model: q.model, wire: q}
	if q.GenerationConfig != nil {
		v.Limit = limitOf(q.GenerationConfig.MaxOutputTokens)
	}
	if s := q.SystemInstruction; s != nil {
		v.System = s.text()
	}
	for _, t := range q.Tools {
		for _, f := range t.FunctionDeclarations {
			v.Tools = append(v.Tools, f.Name)
		}
	}
	for _, c := range q.Contents {
		v.Messages = append(v.Messages, c.said())
	}
	return v
}

func (c geminiContent) text() string {
	var out []string
	for _, p := range c.Parts {
		switch {
		case p.Text != nil && *p.Text != "" && !p.Thought:
			out = append(out, *p.Text)
		case p.FunctionResponse != nil:
			text, _ := p.FunctionResponse.said()
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// said returns a result's text, and whether it is an error.
func (f geminiFunctionDone) said() (text string, failed bool) {
	raw, failed := f.Response["error"]
	if !failed {
		raw = f.Response["output"]
	}
	_ = json.Unmarshal(raw, &text) // a value that is not a string is not shown
	return text, failed
}

func (c geminiContent) said() Said {
	out := Said{Role: "user", Text: c.text()}
	if c.Role == "model" {
		out.Role = "assistant"
	}
	for _, p := range c.Parts {
		out.Opaque = out.Opaque || p.ThoughtSignature != "" && p.ThoughtSignature != geminiUnsigned
		if image := p.InlineData; image != nil {
			shown, _ := imageOf(image.MIMEType, image.Data) // checked before
			out.Images = append(out.Images, shown)
		}
		if f := p.FunctionCall; f != nil {
			out.Calls = append(out.Calls, Call{f.ID, f.Name, string(f.Args)})
		}
		if f := p.FunctionResponse; f != nil {
			text, failed := f.said()
			out.Results = append(out.Results, Result{f.ID, text, failed})
		}
	}
	return out
}

// minimum returns the number of tokens below which the model's prompts are not cached.
func (g *gemini) minimum(model string) int64 {
	switch {
	case g.min > 0:
		return g.min
	case strings.HasPrefix(model, "gemini-2.5"):
		return 2048
	}
	return 4096
}

// cacheBlock is the unit in which the fake compares prefixes, in bytes, because the API caches
// tokens rather than parts.
const cacheBlock = 1024

// blocks splits pieces into units of cacheBlock.
func blocks(pieces []string) []string {
	var out []string
	for _, p := range pieces {
		for len(p) > cacheBlock {
			out, p = append(out, p[:cacheBlock]), p[cacheBlock:]
		}
		out = append(out, p)
	}
	return out
}

// count finds the longest prefix that the prompt shares with an earlier one, which the API reads
// from its implicit cache.
func (g *gemini) count(v View) events.Usage {
	q, _ := v.wire.(*geminiRequest)
	pieces := blocks(q.pieces())
	var size, cached int64
	for i, digest := range chain(q.model, pieces) {
		size += tokens(pieces[i])
		if size >= g.minimum(q.model) {
			if g.seen.has(digest) {
				cached = size
			}
			g.seen.put(digest)
		}
	}
	return events.Usage{Input: size - cached, CacheRead: cached}
}
