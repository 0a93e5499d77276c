package llmtest

import (
	"slices"
	"strings"
)

// Flavour describes how one server implements OpenAI's Chat Completions: what it rejects and how
// it writes. The facts are measured or documented. They repeat the adapter's table on purpose, so
// that a mistake there is detected.
type Flavour struct {
	Name string
	// Keyless accepts requests without a key.
	Keyless bool
	// OpenList serves the list of models without a valid key, and reports on the key at /key.
	OpenList bool
	// CompletionTokens rejects max_tokens: only max_completion_tokens is accepted.
	CompletionTokens bool
	// KnownFieldsOnly rejects fields that OpenAI does not document.
	KnownFieldsOnly bool
	// ReasoningBack rejects an assistant message with calls but without reasoning_content, unless
	// thinking is disabled.
	ReasoningBack bool
	// Content rejects a message whose content is null, missing or empty.
	Content bool
	// AsksForParallel makes one call per reply unless parallel_tool_calls is true.
	AsksForParallel bool
	// Reasoning is the field that holds reasoning: reasoning_content, reasoning or
	// reasoning_details; empty if none is returned.
	Reasoning string
	// ThoughtsBack says that reasoning goes back in the field Reasoning. A fake rejects it in any
	// other field, and any reasoning if this is false, because a real server would at best ignore
	// it.
	ThoughtsBack bool
	// SplitsWhenAsked puts reasoning into its field only with reasoning_split, and otherwise into
	// the text.
	SplitsWhenAsked bool
	// ObjectCalls writes each call complete: index 0, its own id, the arguments as an object.
	ObjectCalls bool
	// StopsWithCalls uses finish_reason "stop" even if there are calls.
	StopsWithCalls bool
	// Comments writes comment lines between events.
	Comments bool
	// HitAndMiss reports cached tokens as prompt_cache_hit_tokens.
	HitAndMiss bool
	// ThoughtsBeside does not include thinking tokens in completion_tokens.
	ThoughtsBeside bool
	// MaxTools limits the number of tools; 0 means no limit.
	MaxTools int
	// Errors is the format of its errors.
	Errors errorShape
}

// errorShape is the format of a server's errors.
type errorShape string

const (
	// errorsOfOpenAI is {"error":{message, type, param, code}}.
	errorsOfOpenAI errorShape = ""
	// errorsInWords is the same, without a meaningful code.
	errorsInWords errorShape = "in words"
	// errorsFlat is {"object":"error", message, type, code}.
	errorsFlat errorShape = "flat"
	// errorsShort is {"code":…, "error":"…"}, with status 400 for a wrong key.
	errorsShort errorShape = "short"
)

// Flavours returns the servers that can be faked, by name.
func Flavours() map[string]Flavour {
	out := map[string]Flavour{}
	for _, f := range []Flavour{
		{Name: "openai", CompletionTokens: true, KnownFieldsOnly: true, MaxTools: 128},
		{Name: "deepseek", ReasoningBack: true, Reasoning: "reasoning_content", ThoughtsBack: true, HitAndMiss: true,
			MaxTools: 128, Errors: errorsInWords},
		{Name: "grok", Content: true, Reasoning: "reasoning_content", ThoughtsBeside: true, MaxTools: 128,
			Errors: errorsShort},
		{Name: "qwen", AsksForParallel: true, Reasoning: "reasoning_content", MaxTools: 128},
		{Name: "llama", Keyless: true, Reasoning: "reasoning", ThoughtsBack: true, ObjectCalls: true, StopsWithCalls: true},
		{Name: "minimax", CompletionTokens: true, Reasoning: "reasoning_details", ThoughtsBack: true, SplitsWhenAsked: true,
			MaxTools: 128},
		{Name: "openrouter", OpenList: true, Reasoning: "reasoning_details", ThoughtsBack: true, Comments: true,
			MaxTools: 128},
		{Name: "vllm", Keyless: true, Reasoning: "reasoning", ThoughtsBack: true, StopsWithCalls: true, Errors: errorsFlat},
		{Name: "llama_cpp", Keyless: true, Reasoning: "reasoning_content", ThoughtsBack: true, AsksForParallel: true},
	} {
		out[f.Name] = f
	}
	return out
}

// checkReasoning rejects what OpenAI's reasoning models do not accept, see
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

// openAIEfforts returns those of our efforts that a model accepts; nil if it does not think. See
// https://developers.openai.com/api/docs/models/gpt-6-sol and
// .../gpt-6.2-sol, openai/codex#6647 for the models of Codex, and
// anomalyco/models.dev#2296 for those with "pro" and "chat" in their names.
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

// completesWithTools reports whether Chat Completions accepts tools for a model: for 5.4 without
// an effort, for later ones only without thinking. See
// https://github.com/openai/openai-openapi/issues/541 and
// https://github.com/BerriAI/litellm/pull/34569.
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

// respondsOnly reports whether a model is only available on the Responses API. See
// https://github.com/alvinunreal/tmuxai/issues/82 and
// https://github.com/aaif-goose/goose/issues/2564.
func respondsOnly(model string) bool {
	return slices.ContainsFunc([]string{"gpt-5-codex", "gpt-5-pro", "o1-pro", "o3-pro", "codex-mini"},
		func(n string) bool { return strings.HasPrefix(model, n) })
}
