package llm

import "manualslop/events"

// APIs that models are reached over.
const (
	APIChat      = "Chat Completions"
	APIResponses = "Responses"
	APIMessages  = "Messages"
	APIGemini    = "Gemini"
)

// Adviser is a [Provider] that knows what its models take.
type Adviser interface {
	// Advise names the API that a model is reached over, and says in a sentence each
	// what will not work with it as it is configured. It asks nobody.
	Advise(model string, p events.ModelParams) (api string, limits []string)
}
