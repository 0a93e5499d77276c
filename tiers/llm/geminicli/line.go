package geminicli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"sync"
)

// Limits of what the program writes, in bytes.
const (
	// MaxLine bounds one line.
	MaxLine = 4 << 20
	// MaxOutput bounds all lines of a run.
	MaxOutput = 32 << 20
)

var (
	errLongLine = errors.New("a line of the program's output is over 4 MiB")
	errTooMuch  = errors.New("the program wrote over 32 MiB")
)

// lines are the program's output, cut into lines that wait for their reader.
// Writing never blocks: the program could otherwise end before its last line
// is taken.
type lines struct {
	mu    sync.Mutex
	whole [][]byte
	rest  []byte
	total int
	err   error         // why nothing more is taken
	moved chan struct{} // has one entry when there is something to take
}

func newLines() *lines { return &lines{moved: make(chan struct{}, 1)} }

// write takes the next bytes, which it does not keep.
func (l *lines) write(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.wake()
	if l.total += len(b); l.total > MaxOutput {
		l.err = cmp.Or(l.err, errTooMuch)
	}
	for l.err == nil && len(b) > 0 {
		head, tail, ends := bytes.Cut(b, []byte("\n"))
		if len(l.rest)+len(head) > MaxLine {
			l.err = errLongLine
			return
		}
		l.rest, b = append(l.rest, head...), tail
		if ends {
			l.whole, l.rest = append(l.whole, l.rest), nil
		}
	}
}

func (l *lines) wake() {
	select {
	case l.moved <- struct{}{}:
	default:
	}
}

// take hands over the whole lines that wait. At the end of the output, what
// stands behind the last end of a line is a line, too.
func (l *lines) take(end bool) ([][]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.whole
	if end && l.err == nil && len(l.rest) > 0 {
		out, l.rest = append(out, l.rest), nil
	}
	l.whole = nil
	return out, l.err
}

// message is every kind of line, in both spellings.
type message struct {
	Type string `json:"type"`

	SessionID string `json:"session_id"`
	Model     string `json:"model"`

	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Text    json.RawMessage `json:"text"`
	Message json.RawMessage `json:"message"` // of an error

	Name       string          `json:"name"`
	ToolName   string          `json:"tool_name"`
	ID         string          `json:"id"`
	ToolID     string          `json:"tool_id"`
	Parameters json.RawMessage `json:"parameters"`
	Args       json.RawMessage `json:"args"`

	Status string          `json:"status"`
	Error  json.RawMessage `json:"error"`
	Stats  *stats          `json:"stats"`
}

// stats are the program's own counts of tokens.
type stats struct {
	Total        int64 `json:"total_tokens"`
	TotalShort   int64 `json:"total"`
	Input        int64 `json:"input_tokens"` // with what was cached
	Output       int64 `json:"output_tokens"`
	OutputShort  int64 `json:"output"`
	Cached       int64 `json:"cached"`
	CachedTokens int64 `json:"cached_tokens"`
	Uncached     int64 `json:"input"`
}

// words are a text: a JSON string, or a list of strings and objects with a
// text.
func words(raws ...json.RawMessage) string {
	for _, raw := range raws {
		var text string
		var list []json.RawMessage
		var object struct {
			Text    json.RawMessage `json:"text"`
			Message json.RawMessage `json:"message"`
		}
		switch {
		case len(raw) == 0 || string(raw) == "null":
		case json.Unmarshal(raw, &text) == nil:
			return text
		case json.Unmarshal(raw, &list) == nil:
			var all strings.Builder
			for _, item := range list {
				all.WriteString(words(item))
			}
			return all.String()
		case json.Unmarshal(raw, &object) == nil:
			return words(object.Text, object.Message)
		}
	}
	return ""
}
