package anthropic

import (
	"manualslop/events"
	"manualslop/tiers/llm"
)

var _ llm.Adviser = Provider{}

// Advise returns the differences between p and what [body.think] sends.
func (Provider) Advise(model string, p events.ModelParams) (api string, limits []string) {
	f := familyOf(model)
	room := p.MaxOutputTokens
	if room <= 0 {
		room = defaultRoom
	}
	asked := p.Effort != "" && p.Effort != "off"
	switch {
	case p.Effort == "off" && !f.off && f.adaptive:
		limits = append(limits, `effort "off" is sent as "low": the model cannot stop thinking`)
	case asked && !f.budget && !f.adaptive:
		limits = append(limits, "effort has no effect: the model does not think")
	case asked && f.budget && budget(p.Effort, room) == 0:
		limits = append(limits, "effort has no effect: max_output_tokens leaves no room to think")
	}
	thinks := asked && (f.adaptive || f.budget && budget(p.Effort, room) > 0)
	switch {
	case p.Temperature == nil && p.TopP == nil:
	case !f.samples:
		limits = append(limits, "temperature and top_p are not sent: the model rejects them")
	case thinks:
		limits = append(limits, "temperature and top_p are not sent while the model thinks")
	case p.Temperature != nil && p.TopP != nil && !f.both:
		limits = append(limits, "top_p is not sent with temperature: the model rejects both together")
	}
	if p.Temperature != nil && *p.Temperature > 1 && f.samples && !thinks {
		limits = append(limits, "temperature is sent as 1, the maximum of the API")
	}
	return llm.APIMessages, limits
}
