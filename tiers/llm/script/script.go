package script

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// Name is the provider's name in the configuration and in the record.
const Name = "script"

// Limits of a script file.
const (
	// MaxLine limits one line in bytes.
	MaxLine = 1 << 20
	// MaxLines limits the number of lines that are not empty.
	MaxLines = 10_000
	// MaxBytes limits the size of the file in bytes.
	MaxBytes = 16 << 20
	// MaxDelay limits delay_ms and retry_after_ms.
	MaxDelay = 10 * time.Minute
	// MaxTokens limits each token count of a usage.
	MaxTokens = 1_000_000_000
)

// Script is a parsed file. It is never changed and may be shared.
type Script struct{ lines []Line }

// Line is one reply and the conditions on the requests that it answers.
type Line struct {
	// Number is the line's number in the file, from 1, counting empty lines.
	Number int
	Tier   int
	// Track, Ticket and Contains restrict the requests; empty matches any.
	Track, Ticket, Contains string
	Reply                   Reply
}

// Reply is the reply of a line.
type Reply struct {
	Text  string
	Calls []Call
	// Usage is nil if it must be estimated.
	Usage *events.Usage
	// Delay is how long the whole reply takes.
	Delay time.Duration
	// Error ends the reply after its text and calls; nil if the reply succeeds.
	Error *llm.Error
}

// Call is a tool call of a reply.
type Call struct {
	Name string
	// Args is the text of the arguments as the model writes it.
	Args string
}

// Lines returns the lines in file order.
func (s *Script) Lines() []Line { return append([]Line(nil), s.lines...) }

// Line returns the line with this number.
func (s *Script) Line(number int) (Line, bool) {
	for _, l := range s.lines {
		if l.Number == number {
			return l, true
		}
	}
	return Line{}, false
}

// Exhausted returns the error of a request for which no line is left.
func Exhausted(m events.ModelRequested) *llm.Error {
	where := ""
	switch {
	case m.Ticket != "":
		where = ", ticket " + m.Ticket
	case m.Track != "":
		where = ", track " + m.Track
	}
	return &llm.Error{Kind: events.ModelExhausted, Message: fmt.Sprintf("script exhausted: no unused line matches tier "+
		"%d%s", m.Tier, where)}
}

// matches reports whether the line answers a request whose newest message is newest.
func (l *Line) matches(m *events.ModelRequested, newest string) bool {
	return l.Tier == m.Tier && (l.Track == "" || l.Track == m.Track) && (l.Ticket == "" || l.Ticket == m.Ticket) &&
		strings.Contains(newest, l.Contains)
}

// said returns the reply's text, call names and arguments, for an estimate.
func (r *Reply) said() string {
	var b strings.Builder
	b.WriteString(r.Text)
	for _, c := range r.Calls {
		b.WriteString(c.Name)
		b.WriteString(c.Args)
	}
	return b.String()
}

// argsText returns the arguments of a call as text: the content of a string, or the JSON of an
// object.
func argsText(raw json.RawMessage) (string, bool) {
	var verbatim string
	switch {
	case len(raw) == 0:
		return "{}", true
	case raw[0] == '{':
		return string(raw), true
	case raw[0] == '"' && json.Unmarshal(raw, &verbatim) == nil:
		return verbatim, true
	}
	return "", false
}
