package openai

import (
	"slices"
	"strings"
)

// Family is what some models of a server take in another way than its others.
type Family struct {
	// Names are the beginnings of its models' names.
	Names []string
	// Samples says that its models take temperature and top_p.
	Samples bool
	// Least is the smallest reasoning_effort of models that cannot stop to think, which
	// stands for every smaller one; empty: that of the server.
	Least string
	// Only is the one reasoning_effort that its models know; empty: there are several.
	Only string
	// Responses says that its models are reached over the Responses API.
	Responses bool
	// Tools says when Chat Completions takes function tools of its models.
	Tools ChatTools
}

// ChatTools says when Chat Completions takes function tools of a model. See
// openai/openai-openapi#541 and BerriAI/litellm#34569.
type ChatTools string

const (
	// ToolsAlways: they are always taken.
	ToolsAlways ChatTools = ""
	// ToolsWithoutEffort: no effort may be set beside them but "none".
	ToolsWithoutEffort ChatTools = "without effort"
	// ToolsUnthought: the effort has to be "none", because the model thinks by itself.
	ToolsUnthought ChatTools = "unthought"
	// ToolsNever: Chat Completions has no such model.
	ToolsNever ChatTools = "never"
)

// openAIFamilies returns the models that think, which refuse every temperature
// but their own, and of which many cannot do without thinking. See
// https://platform.openai.com/docs/guides/reasoning, the models' pages such as
// https://developers.openai.com/api/docs/models/gpt-6.2-sol, openai/codex#6647
// and anomalyco/models.dev#2296.
func openAIFamilies() []Family {
	return []Family{
		{Names: []string{"gpt-5-chat"}, Samples: true},
		{Names: []string{"gpt-5.1-chat", "gpt-5.2-chat", "gpt-5.3-chat"}, Responses: true, Only: "medium"},
		{Names: []string{"gpt-5.1-codex", "gpt-5.2-codex", "gpt-5.3-codex"}, Responses: true, Least: "low"},
		{Names: []string{"gpt-5.2-pro", "gpt-5.4-pro", "gpt-5.5-pro"}, Responses: true, Least: "medium"},
		{Names: []string{"gpt-6-sol", "gpt-6-luna", "gpt-5.5", "gpt-5.6"}, Responses: true, Tools: ToolsUnthought},
		{Names: []string{"gpt-6"}, Responses: true, Tools: ToolsUnthought, Least: "low"},
		{Names: []string{"gpt-5.4"}, Responses: true, Tools: ToolsWithoutEffort},
		{Names: []string{"gpt-5."}, Responses: true},
		{Names: []string{"gpt-5-pro"}, Responses: true, Tools: ToolsNever, Only: "high"},
		{Names: []string{"gpt-5-codex", "o1-pro", "o3-pro", "codex-mini"}, Responses: true, Tools: ToolsNever, Least: "low"},
		{Names: []string{"gpt-5"}, Least: "minimal"},
		{Names: []string{"o1", "o3", "o4"}, Least: "low"},
	}
}

// family returns the first one of a model; a model of none takes all that its
// server takes.
func (s Server) family(model string) Family {
	i := slices.IndexFunc(s.Families, func(f Family) bool {
		return slices.ContainsFunc(f.Names, func(n string) bool { return strings.HasPrefix(model, n) })
	})
	if i < 0 {
		return Family{Samples: true}
	}
	return s.Families[i]
}
