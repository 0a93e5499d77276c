package llmtest

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"manualslop/events"
)

// Turn is one scripted answer.
type Turn struct {
	// Thinking is thought first, and signed; Redacted is thought in secret.
	Thinking, Redacted string
	Text               string
	Calls              []Call
	// Usage is what the vendor reports; nil: counted, with its cache.
	Usage *events.Usage
	// cut says that the reply ended at the request's limit.
	cut bool
	// Stop is the vendor's own word for why it ends; empty: the one that fits.
	Stop string
	// Fault goes wrong, for some faults before frame At of the stream, counted
	// from 0; negative: in its middle.
	Fault Fault
	At    int
	// Error is an error of the neutral kinds in the vendor's form, in place of
	// an answer; empty: none. RetryAfter goes with it.
	Error, Message string
	RetryAfter     time.Duration
	// Delay passes before the answer begins.
	Delay time.Duration
	// Gate lets one frame of the stream out for each value received; nil: all.
	Gate <-chan struct{}
}

// Call is a tool call of a turn.
type Call struct {
	// ID is the vendor's; empty: one that occurs once.
	ID, Name string
	// Args is the text of the arguments as the model writes it.
	Args string
}

// View is what a request asks, in no vendor's words.
type View struct {
	Number   int // of the accepted requests, from 0
	Model    string
	System   string
	Messages []Said
	Tools    []string
	// Limit is the most tokens of the reply, thoughts included; 0: none is given.
	Limit int
	// Body is what was sent, to the byte.
	Body []byte
	// wire keeps what the vendor's part of the server needs.
	wire any
}

// Said is one message of a request.
type Said struct {
	Role string // user or assistant
	// Text is its texts and results, joined by line breaks.
	Text    string
	Calls   []Call
	Results []Result
	// Opaque reports whether it brings what only its vendor can read.
	Opaque bool
}

// Result is a tool's result in a request.
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

// Options say how a server behaves.
type Options struct {
	// Vendor picks the wire for [Start]: anthropic, gemini, or the name of one of
	// the [Flavours].
	Vendor string
	// Key opens the server; empty: [Key].
	Key string
	// Models are those it has; nil: the vendor's.
	Models []string
	// Turns answer in their order; Answer answers in their place, and Script,
	// the text of a file of the scripted model, in place of both. Answer is
	// called for one request at a time and asks nothing of the server.
	Turns  []Turn
	Answer func(View) Turn
	Script string
	// Thinking is thought before each turn of Script; empty: nothing.
	Thinking string
	// Tier finds the tier of a request by its system prompt, for Script; nil:
	// by the words of the tiers' own prompts.
	Tier func(system string) int
	// MinPrefix is the tokens below which nothing is cached; 0: the vendor's.
	MinPrefix int64
}

// Key opens a server that was given no other.
const Key = "llmtest-key-0123456789"

// prepared returns the turn with what its fault makes of its content, and an id
// for each call.
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

// pieces cuts a text as a vendor streams it: a few pieces of whole characters,
// or one for each byte of an escape.
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

// limitOf returns a limit of a request; 0: none is given.
func limitOf(given *int) int {
	if given == nil {
		return 0
	}
	return *given
}

// within returns the turn as it ends at the request's limit, as every vendor
// ends it: thoughts count, and a reply whose thoughts reach the limit says
// nothing. Calls that no longer fit are left out.
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
