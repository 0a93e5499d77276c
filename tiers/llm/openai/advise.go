package openai

import (
	"fmt"
	"path"

	"manualslop/events"
	"manualslop/tiers/llm"
)

var _ llm.Adviser = Provider{}

// Advise returns the differences between params and what is sent, and a warning for models that
// their vendor does not serve over the API that this server uses.
func (p Provider) Advise(model string, params events.ModelParams) (api string, limits []string) {
	s, f := p.Server, p.Server.family(model)
	api = llm.APIChat
	if f.Responses {
		api = llm.APIResponses
		if p.Endpoint.BaseURL != "" {
			limits = append(limits, "the server at base_url must speak the Responses API for this model")
		}
	}
	if _, known := Find(s.Name); !known {
		limits = append(limits, elsewhere(model, params.Effort)...)
	}
	if (params.Temperature != nil || params.TopP != nil) && (f.Responses || !f.Samples) {
		limits = append(limits, "temperature and top_p are not sent: the model rejects them")
	}
	switch {
	case f.Only != "" && params.Effort != "" && params.Effort != f.Only:
		limits = append(limits, fmt.Sprintf("effort %q is sent as %q: the model supports no other", params.Effort, f.Only))
	case params.Effort == "off" && f.Least != "":
		limits = append(limits, fmt.Sprintf(`effort "off" is sent as %q: the model cannot stop thinking`, f.Least))
	case params.Effort == "low" && f.Least == "medium":
		limits = append(limits, `effort "low" is sent as "medium": the model supports nothing lower`)
	case params.Effort != "" && params.Effort != "off" && s.Efforts["low"] == s.Efforts["high"]:
		limits = append(limits, "effort low, medium and high are the same to this server")
	}
	return api, limits
}

// elsewhere returns what OpenAI's models cannot do on Chat Completions, the only API that is used
// for a server that the user configured. Gateways prefix model names with the vendor.
func elsewhere(model, effort string) []string {
	const instead = "it cannot work on tickets; set provider to openai, with the base_url of a gateway that speaks " +
		"the Responses API"
	switch f := openAI().family(path.Base(model)); {
	case f.Tools == ToolsNever:
		return []string{"OpenAI offers this model only on the Responses API: " + instead}
	case f.Tools == ToolsUnthought && (effort != "off" || f.Least != ""), f.Tools == ToolsWithoutEffort && effort != "" &&
		effort != "off":
		return []string{"OpenAI rejects function tools for this model on Chat Completions while it thinks: " + instead}
	}
	return nil
}
