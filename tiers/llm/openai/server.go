package openai

import (
	"slices"

	"manualslop/events"
)

// Server describes what one server accepts and returns.
type Server struct {
	// Name is the provider's name in the configuration and in the record.
	Name string
	// BaseURL is the default address; empty if the address must be configured.
	BaseURL string
	// NeedsKey reports whether the server requires a key.
	NeedsKey bool
	// KeyPath is a path below the API's address that shows whether a key works, for servers that
	// list their models without a valid key. Empty means that listing the models checks the key.
	KeyPath string
	// Local reports whether the server runs on the user's own machine, so that its tokens are
	// free.
	Local bool
	// SystemRole is the role of the system message: system or developer.
	SystemRole string
	// MaxTokens is the field that limits the length of a reply: max_tokens or
	// max_completion_tokens.
	MaxTokens string
	// Parallel says how to get several calls in one reply.
	Parallel Parallel
	// ToolChoice reports whether the server accepts tool_choice.
	ToolChoice bool
	// JSONSchema reports whether the server accepts a response_format of type json_schema.
	JSONSchema bool
	// MaxTools limits the tools of a request; 0 means no known limit.
	MaxTools int
	// Reasoning is the field of its messages that holds reasoning; empty if it returns none.
	Reasoning string
	// Back says when reasoning goes back to the server.
	Back Back
	// SplitReasoning reports whether the server must be asked to keep reasoning out of the text.
	SplitReasoning bool
	// NeedsContent reports whether the server rejects an assistant message with calls but no
	// content.
	NeedsContent bool
	// ReportsUsage reports whether the server accepts stream_options.include_usage.
	ReportsUsage bool
	// Efforts are the fields that set how much a model thinks, for each of [events.Efforts]; nil
	// if it cannot be set.
	Efforts map[string]Effort
	// Blind reports whether its models accept no images.
	Blind bool
	// Embeds is how many texts a request for embeddings takes; 0 if the server does not offer
	// embeddings.
	Embeds int
	// EmbedModel is the default model for embeddings; empty if it must be configured.
	EmbedModel string
	// Families are the models whose limits differ from the rest. The first match counts.
	Families []Family
}

// Parallel says how to get several calls in one reply from a server.
type Parallel string

const (
	// ParallelAlways: replies may have several calls by default.
	ParallelAlways Parallel = "always"
	// ParallelAsked: the request must set parallel_tool_calls.
	ParallelAsked Parallel = "asked"
)

// Back says when a model's reasoning goes back to its server.
type Back string

const (
	// BackNever: the server ignores or rejects it.
	BackNever Back = "never"
	// BackKept: reasoning goes back if the reply had any.
	BackKept Back = "kept"
	// BackWithCalls: every assistant message with calls must have it, even if empty.
	BackWithCalls Back = "with calls"
)

// Effort holds the request fields that set how much a model thinks.
type Effort struct {
	ReasoningEffort string       `json:"reasoning_effort,omitempty"`
	Thinking        *thinking    `json:"thinking,omitempty"`
	EnableThinking  *bool        `json:"enable_thinking,omitempty"`
	Reasoning       *routeEffort `json:"reasoning,omitempty"`
}

type thinking struct {
	Type string `json:"type"`
}

type routeEffort struct {
	Effort string `json:"effort"`
}

// Generic returns a server that is not in the table, with only the features that servers of this
// API have in common.
func Generic(name string) Server {
	return Server{
		Name: events.ProviderName(name), SystemRole: "system", MaxTokens: "max_tokens", Parallel: ParallelAlways,
		ToolChoice: true, MaxTools: 128, Reasoning: "reasoning_content", Back: BackNever, ReportsUsage: true,
		Efforts: wordEfforts("none"), Embeds: genericEmbeds,
	}
}

// genericEmbeds is how many texts a server that is not in the table takes in a request for embeddings:
// the default of https://github.com/huggingface/text-embeddings-inference.
const genericEmbeds = 32

// Find returns the server of a provider, in any accepted spelling of the name; false if it is not
// in the table.
func Find(name string) (Server, bool) {
	table := Servers()
	i := slices.IndexFunc(table, func(s Server) bool { return s.Name == events.ProviderName(name) })
	if i < 0 {
		return Server{}, false
	}
	return table[i], true
}
