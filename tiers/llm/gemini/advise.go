package gemini

import (
	"fmt"

	"manualslop/events"
	"manualslop/tiers/llm"
)

var _ llm.Adviser = Provider{}

// Advise returns the differences between p and what [thinking] sends.
func (Provider) Advise(model string, p events.ModelParams) (api string, limits []string) {
	sent := thinking(model, p.Effort, p.MaxOutputTokens)
	switch {
	case p.Effort == "":
	case sent == nil:
		limits = append(limits, "effort has no effect: the model does not think")
	case p.Effort == "off" && sent.Level != "":
		limits = append(limits, fmt.Sprintf(`effort "off" is sent as %q: the model cannot stop thinking`, sent.Level))
	case p.Effort == "off" && *sent.Budget > 0:
		limits = append(limits, fmt.Sprintf(`effort "off" is sent as %d tokens: the model cannot stop thinking`,
			*sent.Budget))
	case p.Effort == "medium" && sent.Level == "HIGH":
		limits = append(limits, `effort "medium" is sent as "HIGH": the model supports LOW and HIGH`)
	case p.Effort != "off" && sent.Budget != nil && *sent.Budget == familyOf(model).budget("off", 0):
		limits = append(limits, "effort has no effect: max_output_tokens leaves no room to think")
	}
	if (p.Temperature != nil || p.TopP != nil) && !familyOf(model).samples() {
		limits = append(limits, "temperature and top_p are not sent: Google has deprecated them for this model")
	}
	return llm.APIGemini, limits
}
