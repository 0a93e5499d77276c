package llmtest

import (
	"slices"
	"strings"
)

// checkReasoning refuses what OpenAI's models that think do not take, see
// https://platform.openai.com/docs/guides/reasoning.
func (f Flavour) checkReasoning(r chatRequest) *refusal {
	if f.Name != "openai" {
		return nil
	}
	efforts := openAIEfforts(r.Model)
	switch {
	case respondsOnly(r.Model):
		return badChat("This model is only supported in v1/responses and not in v1/chat/completions.")
	case efforts == nil:
		return nil
	case len(r.Tools) > 0 && !completesWithTools(r.Model, r.Effort):
		return badChat("Function tools with reasoning_effort are not supported for %s in /v1/chat/completions. "+
			"To use function tools, use /v1/responses or set reasoning_effort to 'none'.", r.Model)
	case r.Temperature != nil && *r.Temperature != 1:
		return badChat("Unsupported value: 'temperature' does not support %v with this model. Only the default (1) value "+
			"is supported.", *r.Temperature)
	case r.TopP != nil && *r.TopP != 1:
		return badChat("Unsupported parameter: 'top_p' is not supported with this model.")
	case r.Effort != "" && !slices.Contains(efforts, r.Effort):
		return badChat("Unsupported value: '%s' is not supported with the '%s' model. Supported values are: %v.", r.Effort,
			r.Model, efforts)
	}
	return nil
}

// openAIEfforts are the efforts of a model that ours can be; nil: it does not think. See
// https://developers.openai.com/api/docs/models/gpt-6-sol and .../gpt-6.2-sol, openai/codex#6647 for
// the models of Codex, and anomalyco/models.dev#2296 for those with "pro" and "chat" in their names.
func openAIEfforts(model string) []string {
	is := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(model, n) })
	}
	later := is("gpt-5.")
	switch {
	case is("gpt-5-chat"):
		return nil
	case later && strings.Contains(model, "-chat"):
		return []string{"medium"}
	case is("gpt-5-pro"):
		return []string{"high"}
	case later && strings.Contains(model, "-pro"):
		return []string{"medium", "high", "xhigh"}
	case later && !strings.Contains(model, "-codex"), is("gpt-6-sol", "gpt-6-luna"):
		return []string{"none", "low", "medium", "high", "xhigh"}
	case later, respondsOnly(model), is("gpt-6", "o1", "o3", "o4"):
		return []string{"low", "medium", "high"}
	case is("gpt-5"):
		return []string{"minimal", "low", "medium", "high"}
	}
	return nil
}

// completesWithTools tells whether Chat Completions takes tools of a model: of 5.4
// without an effort, of later ones without thinking only. See
// https://github.com/openai/openai-openapi/issues/541 and https://github.com/BerriAI/litellm/pull/34569.
func completesWithTools(model, effort string) bool {
	switch {
	case strings.HasPrefix(model, "gpt-6") && !slices.Contains(openAIEfforts(model), "none"):
		return false
	case effort == "none":
		return true
	case strings.HasPrefix(model, "gpt-5.4"):
		return effort == ""
	}
	return !strings.HasPrefix(model, "gpt-5.5") && !strings.HasPrefix(model, "gpt-5.6") &&
		!strings.HasPrefix(model, "gpt-6")
}

// respondsOnly tells whether a model is on no other API than Responses. See
// https://github.com/alvinunreal/tmuxai/issues/82 and https://github.com/aaif-goose/goose/issues/2564.
func respondsOnly(model string) bool {
	return slices.ContainsFunc([]string{"gpt-5-codex", "gpt-5-pro", "o1-pro", "o3-pro", "codex-mini"},
		func(n string) bool { return strings.HasPrefix(model, n) })
}
