package llmtest

import (
	"slices"
	"strings"
)

// checkReasoning refuses what OpenAI's models that think do not take, see
// https://platform.openai.com/docs/guides/reasoning.
func (f Flavour) checkReasoning(r chatRequest) *refusal {
	if f.Name != "openai" || strings.HasPrefix(r.Model, "gpt-5-chat") {
		return nil
	}
	efforts := []string{"", "low", "medium", "high"}
	switch {
	case strings.HasPrefix(r.Model, "gpt-5."):
		efforts = append(efforts, "none")
	case strings.HasPrefix(r.Model, "gpt-5"):
		efforts = append(efforts, "minimal")
	case !strings.HasPrefix(r.Model, "o1") && !strings.HasPrefix(r.Model, "o3") && !strings.HasPrefix(r.Model, "o4"):
		return nil
	}
	switch {
	case r.Temperature != nil && *r.Temperature != 1:
		return badChat("Unsupported value: 'temperature' does not support %v with this model. Only the default (1) value is supported.", *r.Temperature)
	case r.TopP != nil && *r.TopP != 1:
		return badChat("Unsupported parameter: 'top_p' is not supported with this model.")
	case !slices.Contains(efforts, r.Effort):
		return badChat("Unsupported value: '%s' is not supported with the '%s' model. Supported values are: %v.", r.Effort, r.Model, efforts[1:])
	}
	return nil
}
