package llmtest

// Flavour is how one server speaks OpenAI's Chat Completions: what it refuses
// and how it writes. The facts are measured or documented; they are written here
// anew, so that a mistake in the adapter's table does not hide itself.
type Flavour struct {
	Name string
	// Keyless answers without a key.
	Keyless bool
	// OpenList shows the list of models to anybody, whatever key he brings, and
	// what is known of a key under /key.
	OpenList bool
	// CompletionTokens refuses max_tokens: only max_completion_tokens is taken.
	CompletionTokens bool
	// KnownFieldsOnly refuses fields that OpenAI does not document.
	KnownFieldsOnly bool
	// ReasoningBack refuses an assistant message with calls that does not carry
	// reasoning_content, unless thinking is disabled.
	ReasoningBack bool
	// Content refuses a message whose content is null, missing or empty.
	Content bool
	// AsksForParallel makes one call a reply unless parallel_tool_calls is true.
	AsksForParallel bool
	// Reasoning is the field in which thoughts are told: reasoning_content,
	// reasoning or reasoning_details; empty: they are not told.
	Reasoning string
	// ThoughtsBack says that thoughts go back in the field Reasoning. A fake
	// refuses them in any other field and from any other server, which would at
	// best read past them.
	ThoughtsBack bool
	// SplitsWhenAsked tells thoughts in their field only with reasoning_split,
	// and else within the text.
	SplitsWhenAsked bool
	// ObjectCalls writes each call whole: index 0, an id of its own, the
	// arguments as an object.
	ObjectCalls bool
	// StopsWithCalls says finish_reason "stop" where there are calls.
	StopsWithCalls bool
	// Comments writes comment lines between the events.
	Comments bool
	// HitAndMiss tells cached tokens as prompt_cache_hit_tokens.
	HitAndMiss bool
	// ThoughtsBeside counts thoughts beside completion_tokens and not in them.
	ThoughtsBeside bool
	// MaxTools bounds the tools; 0: no bound.
	MaxTools int
	// Errors is the shape of its errors.
	Errors errorShape
}

// errorShape is how a server writes an error.
type errorShape string

const (
	// errorsOfOpenAI are {"error":{message, type, param, code}}.
	errorsOfOpenAI errorShape = ""
	// errorsInWords are the same without a code that says anything.
	errorsInWords errorShape = "in words"
	// errorsFlat are {"object":"error", message, type, code}.
	errorsFlat errorShape = "flat"
	// errorsShort are {"code":…, "error":"…"}, with status 400 for a wrong key.
	errorsShort errorShape = "short"
)

// Flavours are the servers that can be played, by name.
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
