package openai

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"sync"

	"manualslop/tiers/llm"
)

// body is the request as it is sent.
type body struct {
	Model               string         `json:"model"`
	Messages            []message      `json:"messages"`
	Tools               []tool         `json:"tools,omitempty"`
	ParallelToolCalls   bool           `json:"parallel_tool_calls,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Temperature         *float64       `json:"temperature,omitempty"`
	TopP                *float64       `json:"top_p,omitempty"`
	ReasoningSplit      bool           `json:"reasoning_split,omitempty"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
	Effort
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type tool struct {
	Type     string       `json:"type"`
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// toolName matches the function names that OpenAI accepts; other servers follow it.
var toolName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
})

// anything is the schema of a tool that has none.
const anything = `{"type":"object","properties":{}}`

// build returns the body of a request. It fails if the server would reject it.
func (s Server) build(r llm.Request) ([]byte, error) {
	if err := s.imageLimits(r.Model).Check(r); err != nil {
		return nil, err
	}
	tools, err := s.tools(r.Tools)
	if err != nil {
		return nil, err
	}
	effort, err := s.effort(r)
	if err != nil {
		return nil, err
	}
	out := body{
		Model: r.Model, Messages: s.messages(r), Tools: tools, ParallelToolCalls: s.Parallel == ParallelAsked &&
			len(tools) > 0,
		ReasoningSplit: s.SplitReasoning, Stream: true, Effort: effort,
	}
	if s.family(r.Model).Samples {
		out.Temperature, out.TopP = r.Params.Temperature, r.Params.TopP
	}
	if s.MaxTokens == "max_completion_tokens" {
		out.MaxCompletionTokens = r.Params.MaxOutputTokens
	} else {
		out.MaxTokens = r.Params.MaxOutputTokens
	}
	if s.ReportsUsage {
		out.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	return llm.PlainJSON(out)
}

func (s Server) tools(offered []llm.Tool) ([]tool, error) {
	if s.MaxTools > 0 && len(offered) > s.MaxTools {
		return nil, llm.Unsendable("%s accepts at most %d tools, but the request has %d; offer fewer", s.Name, s.MaxTools,
			len(offered))
	}
	var out []tool
	for _, t := range offered {
		if !toolName().MatchString(t.Name) {
			return nil, llm.Unsendable("%s does not accept the tool name %q: it must be 1 to 64 letters, digits, "+
				"dashes and underscores",
				s.Name, t.Name)
		}
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(anything)
		}
		out = append(out, tool{"function", toolFunction{t.Name, t.Description, schema}})
	}
	return out, nil
}

func (s Server) effort(r llm.Request) (Effort, error) {
	word := r.Params.Effort
	if word == "" {
		return Effort{}, nil
	}
	e, ok := s.Efforts[word]
	if !ok {
		return Effort{}, llm.Unsendable("%s does not support effort %q; leave effort empty", s.Name, word)
	}
	f := s.family(r.Model)
	if ascending := []string{"none", "minimal", "low", "medium", "high"}; slices.Index(ascending,
		e.ReasoningEffort) < slices.Index(ascending, f.Least) {
		e.ReasoningEffort = f.Least
	}
	e.ReasoningEffort = cmp.Or(f.Only, e.ReasoningEffort)
	return e, nil
}
