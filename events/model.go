package events

import (
	"cmp"
	"encoding/json"
	"time"
)

// Part is one part of a prompt: inline text, or bytes in an earlier event or the blob store,
// referred to by digest.
type Part struct {
	// Role is system, user, assistant or tool.
	Role string `json:"role"`
	// Text is the inline text; unset if SHA256 is set.
	Text string `json:"text,omitempty"`
	// SHA256 and Size identify the bytes.
	SHA256 string `json:"sha256,omitempty"`
	Size   int64  `json:"size,omitempty"`
	// From is the id of the event that holds the bytes: the reply's text and calls for an
	// assistant part, the result's text for a tool part, the view with index Index of a
	// ContextBuilt, the content of an entry of a discussion, or the text of a turn. Empty means
	// the blob store.
	From  string `json:"from,omitempty"`
	Index int    `json:"index,omitempty"`
	// Prefix and Suffix are inline text around the bytes, such as a hint after a tool's result.
	Prefix string `json:"prefix,omitempty"`
	Suffix string `json:"suffix,omitempty"`
	// Head limits how many characters of the bytes are shown, from the start; 0 shows all. Digest
	// and size are those of all bytes.
	Head int `json:"head,omitempty"`
	// Origin is the source of the text or bytes if it is not the engine: repo, program, web or
	// mcp. They are then shown inside a fence with the code Fence, and text in them that looks
	// like the engine's own markers is neutralised; Prefix and Suffix are outside. Empty means
	// text of the engine.
	Origin string `json:"origin,omitempty"`
	// Fence is the code of that fence, derived from the id of the event that holds the text. It is
	// set exactly if Origin is.
	Fence string `json:"fence,omitempty"`
	// Call is the tool call that a tool part answers.
	Call string `json:"call,omitempty"`
	// Failed marks a tool part as an error.
	Failed bool `json:"failed,omitempty"`
	// Kind is "refresh" for the block of changed files, which is the last part, after the last
	// cache breakpoint; "entry" for an entry of a discussion; "image" for an image, which follows
	// its Prefix; else empty.
	Kind string `json:"kind,omitempty"`
}

// Kinds of parts.
const (
	PartRefresh = "refresh" // the block of changed files
	// PartEntry is an entry of a discussion: only the text, even of a reply with calls.
	PartEntry = "entry"
	PartImage = "image" // a PNG, JPEG or WebP image
)

// ImageTokens is roughly the maximum that vendors count for one image, whatever its size: Claude
// counts up to 4,784 tokens, Gemini 2,240, and most models of OpenAI fewer than 4,000. gpt-4o-mini
// counts more.
const ImageTokens = 5000

// ModelRequested asks for one model reply; each attempt is an event of its own.
type ModelRequested struct {
	StreamID      string `json:"stream_id"` // "Tier 1", "Tier 3 (Worker): T-001" …
	Goal          string `json:"goal,omitempty"`
	Track         string `json:"track,omitempty"`
	Ticket        string `json:"ticket,omitempty"`
	Call          string `json:"call,omitempty"` // tier 4: the failed call
	Attempt       int    `json:"attempt"`        // number of the attempt at this reply, from 1
	TicketAttempt int    `json:"ticket_attempt,omitempty"`
	Round         int    `json:"round,omitempty"` // from 1
	Tier          int    `json:"tier"`
	Provider      string `json:"provider"`
	Model         string `json:"model"`
	// program of a provider that runs as a subprocess; empty means the provider's default
	Command     string      `json:"command,omitempty"`
	NotBefore   *time.Time  `json:"not_before,omitempty"` // for a retry: the earliest time to send it
	Params      ModelParams `json:"params"`
	Guarded     bool        `json:"guarded,omitempty"`      // waits for ModelApproved because the session has a budget
	Tools       []string    `json:"tools,omitempty"`        // names from ToolsOffered
	Persona     string      `json:"persona,omitempty"`      // the persona and presets of the roster
	BiasProfile string      `json:"bias_profile,omitempty"` // of the roster: marks the descriptions of Tools
	Note        string      `json:"note,omitempty"`         // why a requested persona or preset is not used
	// Continues is the id of the previous request of the same conversation, and Keep how many
	// parts of that request's complete manifest come first, unchanged; see [Prompts]. If unset,
	// Manifest is complete.
	Continues string `json:"continues,omitempty"`
	Keep      int    `json:"keep,omitempty"`
	Manifest  []Part `json:"manifest"` // the parts after those that are kept
	SHA256    string `json:"sha256"`   // of the whole manifest's canonical JSON
}

// EventType returns the type name and version.
func (ModelRequested) EventType() Type { return Type{"ModelRequested", 1} }

// EventCorr returns the most specific of call, ticket, track and goal.
func (e ModelRequested) EventCorr() string { return cmp.Or(e.Call, e.Ticket, e.Track, e.Goal) }

// EventTopic returns the tier.
func (m ModelRequested) EventTopic() string { return tierTopic(m.Tier) }

// EventTier returns the tier.
func (m ModelRequested) EventTier() int { return m.Tier }

// ModelParams are the parameters of a model call.
type ModelParams struct {
	Temperature     *float64 `json:"temperature,omitempty"`
	TopP            *float64 `json:"top_p,omitempty"`
	MaxOutputTokens int      `json:"max_output_tokens,omitempty"`
	// how much the model may think: one of [Efforts]; empty means the provider's default
	Effort string `json:"effort,omitempty"`
}

// Efforts returns the values of how much a model may think before it answers, lowest first.
func Efforts() []string { return []string{"off", "low", "medium", "high"} }

// ToolCall is a model's request to run a tool. Its id is [CallID] of the
// request.
type ToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"` // always valid JSON
	// Malformed says why the arguments from the model are not a JSON object. The call is answered
	// with it and never run; Args is then {}.
	Malformed string `json:"malformed,omitempty"`
}

// Usage counts tokens as the provider reported them. The prompt's tokens are Input + CacheRead +
// CacheWrite: no token is counted twice.
type Usage struct {
	Input      int64 `json:"input"`                 // not from the cache, at the full price
	Output     int64 `json:"output"`                // including thinking tokens
	CacheRead  int64 `json:"cache_read,omitempty"`  // read from the provider's cache
	CacheWrite int64 `json:"cache_write,omitempty"` // written to the cache for minutes or for an hour
	// CacheWriteHour is the part of CacheWrite that is cached for an hour.
	CacheWriteHour int64 `json:"cache_write_hour,omitempty"`
	// Thinking is the part of Output that is thinking, not text.
	Thinking  int64 `json:"thinking,omitempty"`
	Estimated bool  `json:"estimated,omitempty"` // not reported by the provider; four characters per token
	// CostMicroDollars is the cost that the provider reported for the call; nil if
	// it did not.
	CostMicroDollars *int64 `json:"cost_micro_dollars,omitempty"`
	// Price is the id of the price in ModelsOffered that applies to the call, and
	// PricedMicroDollars the cost at that price; unset if no price is known.
	Price              string `json:"price,omitempty"`
	PricedMicroDollars *int64 `json:"priced_micro_dollars,omitempty"`
}

// Prompt returns the number of tokens of the whole prompt.
func (u Usage) Prompt() int64 { return u.Input + u.CacheRead + u.CacheWrite }

// ModelStarted says that an attempt is about to be sent; it is stored before the first byte is
// sent. If no outcome follows, it is not known whether the model answered. The scripted model
// sends nothing and has no such event.
type ModelStarted struct {
	Request string `json:"request"`
	// Delivery is how often the request had been delivered by then.
	Delivery int `json:"delivery"`
	// MaxUsage is the maximum usage of the attempt. It counts if the attempt ends and its actual
	// usage is not known.
	MaxUsage Usage `json:"max_usage"`
	// Process is the connection that sends it; other processes check it before they record that
	// the attempt was interrupted.
	Process string `json:"process,omitempty"`
}

// EventType returns the type name and version.
func (ModelStarted) EventType() Type { return Type{"ModelStarted", 1} }

// EventCorr returns the request.
func (e ModelStarted) EventCorr() string { return e.Request }

// ModelReplied is a complete reply of a model.
type ModelReplied struct {
	Request    string          `json:"request"`
	Text       string          `json:"text"`
	SHA256     string          `json:"sha256"` // of Text
	Calls      []ToolCall      `json:"tool_calls,omitempty"`
	Finish     string          `json:"finish"` // stop, tool_calls, max_tokens
	Usage      Usage           `json:"usage"`
	Model      string          `json:"model,omitempty"`       // as the provider named it
	BodySHA256 string          `json:"body_sha256,omitempty"` // of the request's body on the wire
	Wire       string          `json:"wire,omitempty"`        // the body's format with its version, such as "anthropic/1"
	ScriptLine int             `json:"script_line,omitempty"` // from 1, scripted provider only
	Raw        json.RawMessage `json:"raw,omitempty"`         // opaque blocks for the same vendor
	RawBlob    *BlobRef        `json:"raw_blob,omitempty"`    // set instead of Raw if the blocks are too long
	DurationMS int64           `json:"duration_ms,omitempty"`
	CLI        *CLICall        `json:"cli,omitempty"` // of a provider that runs as a subprocess
}

// CLICall is one run of a provider's program.
type CLICall struct {
	Command     []string `json:"command"` // program and arguments
	StdinSHA256 string   `json:"stdin_sha256,omitempty"`
	StdinSize   int64    `json:"stdin_size,omitempty"`
	Stdout      string   `json:"stdout,omitempty"` // head and tail, with a marker if bytes were dropped
	Stderr      string   `json:"stderr,omitempty"` // likewise
	Exit        *int     `json:"exit,omitempty"`   // unset if it was not started or was stopped by the engine
	LatencyMS   int64    `json:"latency_ms"`
	Session     string   `json:"session,omitempty"`   // the program's id of the run
	OwnTools    []string `json:"own_tools,omitempty"` // tools that the program reports having run itself, not our calls
}

// EventType returns the type name and version.
func (ModelReplied) EventType() Type { return Type{"ModelReplied", 1} }

// EventCorr returns the request.
func (e ModelReplied) EventCorr() string { return e.Request }

// Kinds of model errors, by what to do about them instead of by the vendor's names.
const (
	ModelRateLimited    = "rate_limited"
	ModelOverloaded     = "overloaded"
	ModelContextTooLong = "context_too_long"
	ModelAuth           = "auth"
	ModelInvalidRequest = "invalid_request"
	ModelRefused        = "refused"
	ModelIncomplete     = "incomplete"
	ModelNetwork        = "network"
	ModelCancelled      = "cancelled"
	ModelInterrupted    = "interrupted" // the caller stopped or died after it was sent
	ModelExhausted      = "script_exhausted"
	ModelOverBudget     = "budget" // not sent; see ModelDenied
)

// ModelFailed says that an attempt at a reply failed.
type ModelFailed struct {
	Request      string   `json:"request"`
	Kind         string   `json:"kind"`
	Message      string   `json:"message"`
	RetryAfterMS int64    `json:"retry_after_ms,omitempty"`
	ScriptLine   int      `json:"script_line,omitempty"`
	Usage        *Usage   `json:"usage,omitempty"`
	CLI          *CLICall `json:"cli,omitempty"`
}

// EventType returns the type name and version.
func (ModelFailed) EventType() Type { return Type{"ModelFailed", 1} }

// EventCorr returns the request.
func (e ModelFailed) EventCorr() string { return e.Request }

// Retryable reports whether another attempt at the same request may succeed.
func (m ModelFailed) Retryable() bool {
	switch m.Kind {
	case ModelRateLimited, ModelOverloaded, ModelIncomplete, ModelNetwork, ModelInterrupted:
		return true
	}
	return false
}

// HintGiven is tier 4's short explanation of a failed shell call.
type HintGiven struct {
	Call   string `json:"call"`
	Ticket string `json:"ticket"`
	Hint   string `json:"hint"`
}

// EventType returns the type name and version.
func (HintGiven) EventType() Type { return Type{"HintGiven", 1} }

// EventCorr returns the call.
func (e HintGiven) EventCorr() string { return e.Call }

// HintSkipped says why a failed shell call gets no hint.
type HintSkipped struct {
	Call   string `json:"call"`
	Ticket string `json:"ticket"`
	Reason string `json:"reason"`
}

// EventType returns the type name and version.
func (HintSkipped) EventType() Type { return Type{"HintSkipped", 1} }

// EventCorr returns the call.
func (e HintSkipped) EventCorr() string { return e.Call }

// FlakyNoticed says that a shell call passed after the same command had failed,
// in the same workspace, although no file change was recorded in between.
type FlakyNoticed struct {
	Call   string `json:"call"`   // the call that passed
	Failed string `json:"failed"` // the newest earlier call that failed
	Ticket string `json:"ticket"`
}

// EventType returns the type name and version.
func (FlakyNoticed) EventType() Type { return Type{"FlakyNoticed", 1} }

// EventCorr returns the call that passed.
func (e FlakyNoticed) EventCorr() string { return e.Call }

func tierTopic(tier int) string {
	return [...]string{"-", "tier1", "tier2", "tier3", "tier4"}[min(max(tier, 0), 4)]
}

func modelDefs() []Def {
	return []Def{
		Define(Decision, "planner, lead, contributor, qa", "A model is asked for one reply; one event per attempt.",
			ModelRequested{
				StreamID: "Tier 3 (Worker): T-001", Ticket: "T-001", Attempt: 1, TicketAttempt: 1, Round: 2, Tier: 3,
				Provider: "script", Model: "m",
				Params: ModelParams{MaxOutputTokens: 8192}, Tools: []string{"read_file"},
				Continues: "01H", Keep: 3, Manifest: []Part{{Role: "assistant", SHA256: "ef", Size: 4, From: "01J"},
					{Role: "tool", SHA256: "ab", Size: 2, From: "01J", Call: "01J-0"}}, SHA256: "cd"}),
		Define(Outcome, "models", "An attempt at a reply is about to be sent.", ModelStarted{Request: "01J", Delivery: 1,
			MaxUsage: Usage{Input: 900, Output: 8192, Estimated: true}}),
		Define(Outcome, "models", "A model's complete reply.", ModelReplied{Request: "01J", Text: "ok", SHA256: "ab",
			Finish: "tool_calls",
			Calls:  []ToolCall{{ID: "01J-0", Name: "read_file", Args: json.RawMessage(`{"path":"a"}`)}}, Usage: Usage{Input: 10,
				Output: 2}, ScriptLine: 1}),
		Define(Outcome, "models", "An attempt at a reply failed.", ModelFailed{Request: "01J", Kind: ModelRateLimited,
			Message: "429", RetryAfterMS: 1000}),
		Define(Decision, "qa", "Tier 4's hint about a failed shell call.", HintGiven{"01J-0", "T-001", "missing import"}),
		Define(Decision, "qa", "A failed shell call gets no hint.", HintSkipped{"01J-0", "T-001", "model failed"}),
		Define(Decision, "qa", "A command that had failed passed, with no recorded file change in between: it is "+
			"flaky, or depends on something else.", FlakyNoticed{"01K-0", "01J-0", "T-001"}),
	}
}
