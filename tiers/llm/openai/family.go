package openai

import (
	"slices"
	"strings"
)

// Family describes models of a server that accept different parameters from the rest.
type Family struct {
	// Names are prefixes of the model names.
	Names []string
	// Samples reports whether the models accept temperature and top_p.
	Samples bool
	// Blind reports whether the models accept no images.
	Blind bool
	// Least is the smallest reasoning_effort of models whose thinking cannot be switched off; it
	// replaces every smaller one. If empty, none is replaced.
	Least string
	// Only is the single reasoning_effort that the models accept; empty if there are several.
	Only string
	// Responses reports whether the models are reached through the Responses API.
	Responses bool
	// Tools says when Chat Completions accepts function tools for the models.
	Tools ChatTools
}

// ChatTools says when Chat Completions accepts function tools for a model. See
// openai/openai-openapi#541 and BerriAI/litellm#34569.
type ChatTools string

const (
	// ToolsAlways: tools are always accepted.
	ToolsAlways ChatTools = ""
	// ToolsWithoutEffort: with tools, no effort except "none" may be set.
	ToolsWithoutEffort ChatTools = "without effort"
	// ToolsUnthought: with tools, the effort must be "none", because the model thinks by default.
	ToolsUnthought ChatTools = "unthought"
	// ToolsNever: the model is not available on Chat Completions.
	ToolsNever ChatTools = "never"
)

// openAIFamilies returns the families of reasoning models, which accept only their default
// temperature, and many of which cannot switch off thinking. See
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
		{Names: []string{"o1-mini", "o1-preview", "o3-mini"}, Least: "low", Blind: true},
		{Names: []string{"o1", "o3", "o4"}, Least: "low"},
		{Names: []string{"gpt-3.5", "gpt-4-0"}, Samples: true, Blind: true},
	}
}

// family returns the first family that matches a model. A model without a family accepts
// everything that its server accepts.
func (s Server) family(model string) Family {
	i := slices.IndexFunc(s.Families, func(f Family) bool {
		return slices.ContainsFunc(f.Names, func(n string) bool { return strings.HasPrefix(model, n) })
	})
	if i < 0 {
		return Family{Samples: true}
	}
	return s.Families[i]
}
