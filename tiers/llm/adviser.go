package llm

import "manualslop/events"

// The APIs through which models are reached.
const (
	APIChat      = "Chat Completions"
	APIResponses = "Responses"
	APIMessages  = "Messages"
	APIGemini    = "Gemini"
)

// Adviser is a [Provider] that knows the limits of its models.
type Adviser interface {
	// Advise returns the name of the API that serves the model, and one sentence for each setting
	// of p that is ignored or sent as something else. It makes no network request.
	Advise(model string, p events.ModelParams) (api string, limits []string)
}
