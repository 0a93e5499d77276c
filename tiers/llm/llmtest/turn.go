package llmtest

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"manualslop/events"
)

// Turn is one scripted reply.
type Turn struct {
	// Thinking is signed thinking before the text; Redacted is thinking that is not shown.
	Thinking, Redacted string
	Text               string
	Calls              []Call
	// Usage is what the vendor reports; nil means that it is counted, including the cache.
	Usage *events.Usage
	// cut means that the reply ended at the request's limit.
	cut bool
	// Stop is the vendor's stop reason; empty means the one that fits.
	Stop string
	// Fault goes wrong in this turn. Faults in the stream happen before frame At, counted from 0;
	// a negative At means the middle.
	Fault Fault
	At    int
	// Error is a kind of error to return instead of a reply, in the vendor's format; empty if
	// none. RetryAfter belongs to it.
	Error, Message string
	RetryAfter     time.Duration
	// Delay is the time before the reply begins.
	Delay time.Duration
	// Gate lets one frame of the stream out for each value received; nil means no gate.
	Gate <-chan struct{}
}

// Call is a tool call of a turn.
type Call struct {
	// ID is the vendor's id of the call; empty means a unique one.
	ID, Name string
	// Args is the text of the arguments as the model writes it.
	Args string
}

// View is the content of a request in a vendor-neutral form.
type View struct {
	Number   int // of the accepted requests, from 0
	Model    string
	System   string
	Messages []Said
	Tools    []string
	// Limit is the maximum number of reply tokens, including thinking; 0 if not given.
	Limit int
	// Body is the exact body of the request.
	Body []byte
	// wire holds the vendor-specific form of the request.
	wire any
}

// Said is one message of a request.
type Said struct {
	Role string // user or assistant
	// Text is the message's texts and results, joined by line breaks.
	Text    string
	Calls   []Call
	Results []Result
	// Images holds the media type and size of each image.
	Images []string
	// Opaque reports whether it holds data that only its vendor can read.
	Opaque bool
}

// Result is a tool result in a request.
type Result struct {
	Call, Text string
	Failed     bool
}

// Newest returns the text of the last message.
func (v View) Newest() string {
	if len(v.Messages) == 0 {
		return ""
	}
	return v.Messages[len(v.Messages)-1].Text
}

// Options configure a server.
type Options struct {
	// Vendor selects the API for [Start]: anthropic, gemini, or the name of one of the [Flavours].
	Vendor string
	// Key is the valid key; empty means the constant [Key].
	Key string
	// Models are the models to serve; nil means the vendor's.
	Models []string
	// Turns are the replies, in order. If Answer is set, it is used instead; if Script is set, the
	// text of a script file, it is used instead of both. Answer is called for one request at a
	// time and must not call the server.
	Turns  []Turn
	Answer func(View) Turn
	Script string
	// Thinking is added before each turn of Script, unless empty.
	Thinking string
	// Tier finds the tier of a request from its system prompt, for Script; nil means that the
	// tiers' own prompts are recognised.
	Tier func(system string) int
	// MinPrefix is the number of tokens below which nothing is cached; 0 means the vendor's.
	MinPrefix int64
	// EmbedError returns the kind of error with which a request for embeddings fails; empty if it
	// succeeds. Vectors changes the vectors of an answer. Both may be nil.
	EmbedError func(Embedding) string
	Vectors    func(Embedding, [][]float32) [][]float32
}

// Key is the default key of a server.
const Key = "llmtest-key-0123456789"

// prepared returns the turn with the content changes of its fault, and an id for each call.
func (t Turn) prepared(v View) Turn {
	if t.At < 0 {
		t.At = -1
	}
	switch t.Fault {
	case ManyCalls:
		t.Calls = nil
		for i := range 20 {
			t.Calls = append(t.Calls, Call{Name: "read_file", Args: fmt.Sprintf(`{"path":"%d"}`, i)})
		}
	case SplitEscape:
		t.Calls = []Call{{Name: "read_file", Args: `{"path":"\u00e4\n\"\\\ud83d\ude00"}`}}
	case BrokenArgs:
		t.Calls = []Call{{Name: "read_file", Args: `{"path": not json`}}
	case UnknownTool:
		t.Calls = []Call{{Name: "no_such_tool", Args: `{}`}}
	case RepeatedIDs:
		t.Calls = []Call{{ID: "call_same", Name: "read_file", Args: `{"path":"a"}`}}
	case CutInCall:
		t.Calls = []Call{{Name: "read_file", Args: `{"path":"a"}`}, {Name: "read_file", Args: `{"path":"b`}}
	case LongText:
		t.Text = strings.Repeat("All work and no play. ", 2<<20/22+1)
	case SplitUTF8, OneByte:
		t.Text += " Grüße, 世界 \U0001F600"
	}
	calls := make([]Call, len(t.Calls))
	for i, c := range t.Calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", v.Number, i)
		}
		calls[i] = c
	}
	t.Calls = calls
	return t
}

// pieces splits a text as a vendor streams it: into a few pieces of whole characters, or into
// single bytes to split an escape.
func (t Turn) pieces(text string) []string {
	size := max(1, (len(text)+2)/3)
	if t.Fault == SplitEscape {
		size = 1
	}
	if t.Fault == LongText {
		size = 16 << 10
	}
	var out []string
	from := 0
	for end := 0; end < len(text); {
		_, n := utf8.DecodeRuneInString(text[end:])
		if end += n; end-from >= size {
			out, from = append(out, text[from:end]), end
		}
	}
	if from < len(text) {
		out = append(out, text[from:])
	}
	return out
}

// limitOf returns a limit of a request; 0 if not given.
func limitOf(given *int) int {
	if given == nil {
		return 0
	}
	return *given
}

// within returns the turn cut at the request's limit, as every vendor does it: thinking counts,
// and a reply whose thinking reaches the limit has no text. Calls that do not fit are left out.
//
//   - https://platform.claude.com/docs/en/build-with-claude/extended-thinking: max_tokens
//     "includes your thinking budget".
//   - https://ai.google.dev/gemini-api/docs/thinking and googleapis/python-genai#782
//     and #811: MAX_TOKENS with no text, because thoughts used maxOutputTokens up.
//   - https://platform.openai.com/docs/guides/reasoning: "incomplete" with the reason
//     max_output_tokens "before any visible output tokens are produced".
func (t Turn) within(limit int) Turn {
	if limit == 0 || t.Fault == LongText {
		return t
	}
	left := limit * charsPerToken
	take := func(text string) string {
		runes := []rune(text)
		if len(runes) > left {
			runes, t.cut = runes[:left], true
		}
		left -= len(runes)
		return string(runes)
	}
	t.Thinking = take(t.Thinking)
	t.Text = take(t.Text)
	for i, c := range t.Calls {
		if left -= len(c.Name) + len(c.Args); left < 0 {
			t.Calls, t.cut = t.Calls[:i], true
			break
		}
	}
	return t
}
