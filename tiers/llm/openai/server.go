package openai

import (
	"slices"

	"manualslop/events"
)

// Server is what one server of the wire takes and gives.
type Server struct {
	// Name is the provider's name in the configuration and on the record.
	Name string
	// BaseURL is where it is reached where no other address is configured;
	// empty: it has to be configured.
	BaseURL string
	// NeedsKey says that it answers nobody without a key.
	NeedsKey bool
	// KeyPath is an address, after that of the API, that reports whether a key
	// works, of a server that shows its list of models to anybody; empty: the list
	// tells.
	KeyPath string
	// Local says that it runs on the person's own machine, so that its tokens
	// cost nothing.
	Local bool
	// SystemRole is the role of the system message: system or developer.
	SystemRole string
	// MaxTokens is the field that limits a reply: max_tokens or
	// max_completion_tokens.
	MaxTokens string
	// Parallel is how it makes several calls in one reply.
	Parallel Parallel
	// ToolChoice says that it takes tool_choice.
	ToolChoice bool
	// JSONSchema says that it takes a response_format of the type json_schema.
	JSONSchema bool
	// MaxTools limits the tools of a request; 0: no limit is known.
	MaxTools int
	// Reasoning is the field of its messages that holds what the model thought;
	// empty: it tells nothing.
	Reasoning string
	// Back says when that goes back.
	Back Back
	// SplitReasoning says that it has to be asked to keep thoughts out of the text.
	SplitReasoning bool
	// NeedsContent says that it refuses an assistant message of calls alone,
	// without any content.
	NeedsContent bool
	// ReportsUsage says that it takes stream_options.include_usage.
	ReportsUsage bool
	// Efforts are the fields that set how much a model thinks, by the words of
	// [events.Efforts]; nil: it cannot be set.
	Efforts map[string]Effort
	// Families are those of its models that take less than the others, in the order
	// in which they are searched for.
	Families []Family
}

// Parallel is how a server makes several calls in one reply.
type Parallel string

const (
	// ParallelAlways needs no asking.
	ParallelAlways Parallel = "always"
	// ParallelAsked needs parallel_tool_calls.
	ParallelAsked Parallel = "asked"
)

// Back says when a model's reasoning goes back to its server.
type Back string

const (
	// BackNever: the server ignores or refuses it.
	BackNever Back = "never"
	// BackKept: it goes back where there was some.
	BackKept Back = "kept"
	// BackWithCalls: every assistant message with calls carries it, even empty.
	BackWithCalls Back = "with calls"
)

// Effort is the fields of a request that set how much a model thinks.
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

// Generic returns a server that the table does not name: the least that servers
// of this wire agree about.
func Generic(name string) Server {
	return Server{
		Name: events.ProviderName(name), SystemRole: "system", MaxTokens: "max_tokens", Parallel: ParallelAlways,
		ToolChoice: true, MaxTools: 128, Reasoning: "reasoning_content", Back: BackNever, ReportsUsage: true,
		Efforts: wordEfforts("none"),
	}
}

// Find returns the row of a provider, in whatever spelling; false if there is
// none.
func Find(name string) (Server, bool) {
	table := Servers()
	i := slices.IndexFunc(table, func(s Server) bool { return s.Name == events.ProviderName(name) })
	if i < 0 {
		return Server{}, false
	}
	return table[i], true
}
