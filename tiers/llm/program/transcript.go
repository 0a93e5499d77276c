package program

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/texttools"
)

// MaxTools limits the tools that a program says it used in a run.
const MaxTools = 256

// MaxSent limits the messages that a program is sent in a run: it gets an
// answer to whatever it asks.
const MaxSent = 1024

// maxName limits the bytes of a name that a program gives.
const maxName = 256

// Transcript is what a program has said so far in one attempt. Its [Protocol]
// fills it.
type Transcript struct {
	// Session is the program's own name for its run, Model the model's as the
	// program spells it; both may be empty.
	Session, Model string
	// Usage is what the program counted; nil: it is estimated.
	Usage *events.Usage

	request llm.Request
	line    int // lines so far
	sent    int // messages to the program so far
	offered map[string]bool
	words   *texttools.Parser
	said    strings.Builder // all words, calls among them
	fresh   strings.Builder // text that nobody was shown yet
	used    []use
	noted   string
	over    bool
	reason  string     // why the model finished
	failed  *llm.Error // what a terminal marker complains of
	broken  error      // why the output cannot be read
	in      *input
}

// use is a tool that the program says it uses.
type use struct {
	id, name, args string
	ours, ran      bool
}

func newTranscript(r llm.Request) *Transcript {
	t := &Transcript{request: r, offered: make(map[string]bool, len(r.Tools)),
		words: texttools.NewParser(texttools.Mark(r)), in: newInput()}
	for _, tool := range r.Tools {
		t.offered[tool.Name] = true
	}
	return t
}

// Say takes words of the model.
func (t *Transcript) Say(words string) {
	t.said.WriteString(words)
	t.fresh.WriteString(t.words.Feed(words))
}

// Call takes a call of a tool that the program leaves to us if it is one of the
// request and no [Transcript.Ran] follows. The id may be empty.
func (t *Transcript) Call(id, name, args string) {
	t.use(use{id: id, name: name, args: args, ours: true})
}

// Own takes the name of a tool that is the program's own affair.
func (t *Transcript) Own(name string) { t.use(use{name: name, ran: true}) }

func (t *Transcript) use(u use) {
	t.used = append(t.used, u)
	if len(t.used) > MaxTools {
		t.Break("the program used more than %d tools", MaxTools)
	}
}

// Ran says that the program ran a call itself. What fits no call in particular
// is of the newest one.
func (t *Transcript) Ran(id, name string) {
	for i := len(t.used) - 1; i >= 0; i-- {
		u := &t.used[i]
		if !u.ran && (id == "" || u.id == "" || u.id == id) && (name == "" || u.name == name) {
			u.ran = true
			return
		}
	}
}

// Note keeps what the program complains of, in case it fails.
func (t *Transcript) Note(complaint string) { t.noted = complaint }

// End is the terminal marker of a whole reply; reason is one of the llm.Finish
// constants.
func (t *Transcript) End(reason string) {
	if !t.over {
		t.over, t.reason = true, reason
		t.in.close()
	}
}

// Fail is a terminal marker that is none of a reply. The kind is read from the
// words where it is empty.
func (t *Transcript) Fail(kind, said string) {
	if kind == "" {
		kind = KindOf(said)
	}
	if !t.over {
		t.over, t.failed = true, &llm.Error{Kind: kind, Message: "the program failed: " + clip(said, maxStderr)}
		t.in.close()
	}
}

// Break says that the output cannot be read.
func (t *Transcript) Break(format string, args ...any) {
	if t.broken == nil {
		t.broken = fmt.Errorf(format, args...)
	}
}

// Read decodes a line into v and breaks the transcript where that fails.
func (t *Transcript) Read(line []byte, v any) bool {
	if err := json.Unmarshal(line, v); err != nil {
		t.Break("line %d has an unexpected format: %w", t.line, err)
		return false
	}
	return true
}

// ReadOf decodes a line into v where its type is one of these; others may have
// any shape and tell nothing.
func (t *Transcript) ReadOf(line []byte, v any, types ...string) bool {
	var kind struct {
		Type any `json:"type"`
	}
	if !t.Read(line, &kind) {
		return false
	}
	name, is := kind.Type.(string)
	return is && slices.Contains(types, name) && t.Read(line, v)
}

// Send writes one line of JSON to the program.
func (t *Transcript) Send(v any) {
	if t.sent++; t.sent > MaxSent {
		t.Break("the program asked for more than %d answers", MaxSent)
		return
	}
	if err := t.in.send(v); err != nil {
		t.Break("encode a message to the program: %w", err)
	}
}

// Request returns what was asked.
func (t *Transcript) Request() llm.Request { return t.request }

// Done reports whether nothing more of the program's output counts.
func (t *Transcript) Done() bool { return t.over || t.broken != nil }

// ours returns the calls that name a tool of the request and that the program
// did not run itself.
func (t *Transcript) ours() []use {
	var out []use
	for _, u := range t.used {
		if u.ours && t.offered[u.name] && !u.ran {
			out = append(out, u)
		}
	}
	return out
}

// others returns the names of the tools that are none of our calls.
func (t *Transcript) others() []string {
	var out []string
	for _, u := range t.used {
		if !u.ours || !t.offered[u.name] || u.ran {
			out = append(out, clip(u.name, llm.MaxToolName))
		}
	}
	return out
}

// rest returns what comes after the text: calls of ours and the usage. Of a run
// that failed it is what the program counted, which was paid for.
func (t *Transcript) rest() []llm.Chunk {
	switch {
	case !t.over || t.failed != nil && t.Usage == nil:
		return nil
	case t.failed != nil:
		return []llm.Chunk{llm.Usage(*t.Usage)}
	}
	var out []llm.Chunk
	if text := t.words.Close(); text != "" {
		out = append(out, llm.TextDelta(text))
	}
	index := 0
	for _, u := range t.ours() {
		out = append(out, llm.CallBegin{Index: index, Name: u.name}, llm.CallArgs{Index: index, Text: u.args},
			llm.CallEnd{Index: index})
		index++
	}
	for _, c := range t.words.Calls() {
		out = append(out, llm.CallBegin{Index: index, Name: c.Name}, llm.CallArgs{Index: index, Text: c.Args},
			llm.CallEnd{Index: index, Malformed: c.Malformed})
		index++
	}
	return append(out, llm.Usage(t.usage()))
}

// Guess returns an estimate of the usage so far.
func (t *Transcript) Guess() events.Usage {
	said := t.said.String()
	for _, u := range t.ours() {
		said += u.name + u.args
	}
	return llm.Estimate(t.request, said)
}

func (t *Transcript) usage() events.Usage {
	if t.Usage != nil {
		return *t.Usage
	}
	return t.Guess()
}

// clip keeps a text within a number of bytes and valid UTF-8.
func clip(s string, limit int) string {
	return strings.ToValidUTF8(s[:min(len(s), limit)], "")
}
