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

// MaxTools limits the number of tool uses that a program reports in one run.
const MaxTools = 256

// MaxSent limits the messages sent to a program in one run; each request of the program is
// answered by a message.
const MaxSent = 1024

// maxName limits the names that a program reports, in bytes.
const maxName = 256

// Transcript is the output of a program so far, in one attempt. Its [Protocol] fills it.
type Transcript struct {
	// Session is the program's id of the run, and Model the model's name as the program spells it;
	// both may be empty.
	Session, Model string
	// Usage is the usage that the program reported; nil if it must be estimated.
	Usage *events.Usage

	request llm.Request
	line    int // lines read so far
	sent    int // messages sent so far
	offered map[string]bool
	words   *texttools.Parser
	said    strings.Builder // all text, including calls
	fresh   strings.Builder // text not yet yielded
	used    []use
	noted   string
	over    bool
	reason  string     // why the model finished
	failed  *llm.Error // the error that a terminal marker reported
	broken  error      // why the output is unreadable
	in      *input
}

// use is a tool use that the program reported.
type use struct {
	id, name, args string
	ours, ran      bool
	unknown        bool // ours, whatever it names
}

func newTranscript(r llm.Request) *Transcript {
	t := &Transcript{request: r, offered: make(map[string]bool, len(r.Tools)),
		words: texttools.NewParser(texttools.Mark(r)), in: newInput()}
	for _, tool := range r.Tools {
		t.offered[tool.Name] = true
	}
	return t
}

// Say adds text from the model.
func (t *Transcript) Say(words string) {
	t.said.WriteString(words)
	t.fresh.WriteString(t.words.Feed(words))
}

// Call adds a tool call. We run it if it names a tool of the request and no [Transcript.Ran]
// follows. The id may be empty.
func (t *Transcript) Call(id, name, args string) {
	t.use(use{id: id, name: name, args: args, ours: true})
}

// Answer adds a call that we answer, whatever tool it names.
func (t *Transcript) Answer(id, name, args string) {
	t.use(use{id: id, name: name, args: args, ours: true, unknown: true})
}

// Own records the name of a tool that the program handles itself.
func (t *Transcript) Own(name string) { t.use(use{name: name, ran: true}) }

func (t *Transcript) use(u use) {
	t.used = append(t.used, u)
	if len(t.used) > MaxTools {
		t.Break("the program used more than %d tools", MaxTools)
	}
}

// Ran marks a call as run by the program itself. If nothing matches, it records a new use of the
// tool.
func (t *Transcript) Ran(id, name string) {
	for i := len(t.used) - 1; i >= 0; i-- {
		u := &t.used[i]
		if !u.ran && (id == "" || u.id == "" || u.id == id) && (name == "" || u.name == name) {
			u.ran = true
			return
		}
	}
}

// Note keeps an error message of the program, in case the run fails.
func (t *Transcript) Note(complaint string) { t.noted = complaint }

// End records the terminal marker of a complete reply; reason is one of the llm.Finish constants.
func (t *Transcript) End(reason string) {
	if !t.over {
		t.over, t.reason = true, reason
		t.in.close()
	}
}

// Fail records a terminal marker that reports an error. If kind is empty, it is derived from the
// text.
func (t *Transcript) Fail(kind, said string) {
	if kind == "" {
		kind = KindOf(said)
	}
	if !t.over {
		t.over, t.failed = true, &llm.Error{Kind: kind, Message: "the program failed: " + clip(said, maxStderr)}
		t.in.close()
	}
}

// Stop ends the run at once: the attempt fails with an error of this kind.
func (t *Transcript) Stop(kind, format string, args ...any) {
	if t.broken == nil {
		t.broken = &llm.Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
	}
}

// Break marks the output as unreadable.
func (t *Transcript) Break(format string, args ...any) {
	if t.broken == nil {
		t.broken = fmt.Errorf(format, args...)
	}
}

// Read decodes a line into v. If that fails, it marks the output as unreadable.
func (t *Transcript) Read(line []byte, v any) bool {
	if err := json.Unmarshal(line, v); err != nil {
		t.Break("line %d has an unexpected format: %w", t.line, err)
		return false
	}
	return true
}

// ReadOf decodes a line into v if its type is one of these. Lines of other types may have any form
// and are ignored.
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

// Request returns the request of the attempt.
func (t *Transcript) Request() llm.Request { return t.request }

// Done reports whether the rest of the program's output is ignored.
func (t *Transcript) Done() bool { return t.over || t.broken != nil }

// ours returns the calls that we answer and that the program did not run itself.
func (t *Transcript) ours() []use {
	var out []use
	for _, u := range t.used {
		if t.answers(u) {
			out = append(out, u)
		}
	}
	return out
}

func (t *Transcript) answers(u use) bool { return u.ours && !u.ran && (u.unknown || t.offered[u.name]) }

// others returns the names of all other tools that were used.
func (t *Transcript) others() []string {
	var out []string
	for _, u := range t.used {
		if !t.answers(u) {
			out = append(out, clip(u.name, llm.MaxToolName))
		}
	}
	return out
}

// rest returns the chunks that follow the text: our calls and the usage. For a failed run it
// returns only the usage that the program reported, which was paid for.
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

// Guess estimates the usage so far.
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

// clip cuts a text to a number of bytes and makes it valid UTF-8.
func clip(s string, limit int) string {
	return strings.ToValidUTF8(s[:min(len(s), limit)], "")
}
