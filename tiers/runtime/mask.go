package runtime

import (
	"bytes"
	"encoding/json"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// masked takes known secrets out of a reply, and makes its text valid UTF-8,
// before its digest is made.
func (m *Models) masked(r llm.Reply) llm.Reply {
	r.Text = m.hideText(strings.ToValidUTF8(r.Text, "\uFFFD"))
	r.Model = m.hideText(r.Model)
	for i := range r.Calls {
		r.Calls[i] = m.maskedCall(r.Calls[i])
	}
	if masked := m.hide(r.Raw); !bytes.Equal(masked, r.Raw) {
		r.Raw = nil // changed, its vendor would not take it back
	}
	r.CLI = m.hideRun(r.CLI)
	return r
}

// maskedCall is a call without known secrets. One whose arguments are no object
// without them cannot run.
func (m *Models) maskedCall(c events.ToolCall) events.ToolCall {
	c.Name, c.Malformed = m.hideText(c.Name), m.hideText(c.Malformed)
	if c.Args = m.hide(c.Args); !json.Valid(c.Args) {
		c.Args, c.Malformed = json.RawMessage("{}"), "the arguments hold a secret"
	}
	return c
}

// hide takes known secrets out of bytes.
func (m *Models) hide(b []byte) []byte {
	if m.Mask == nil {
		return b
	}
	return m.Mask(b)
}

func (m *Models) hideText(s string) string { return string(m.hide([]byte(s))) }

// hideRun is the run of a program without known secrets.
func (m *Models) hideRun(c *events.CLICall) *events.CLICall {
	if c == nil {
		return nil
	}
	out := *c
	out.Stdout, out.Stderr, out.Session = m.hideText(c.Stdout), m.hideText(c.Stderr), m.hideText(c.Session)
	out.Command, out.OwnTools = m.hideEach(c.Command), m.hideEach(c.OwnTools)
	return &out
}

func (m *Models) hideEach(texts []string) []string {
	var out []string
	for _, s := range texts {
		out = append(out, m.hideText(s))
	}
	return out
}

// maxWord bounds the bytes of a word that live text holds back; no key of one
// line is as long.
const maxWord = 4 << 10

// wholeWords hands out a text in whole words. Models write a key in several
// pieces, and in none of them a mask would find it.
type wholeWords struct{ begun string }

// take is what is whole once the next piece is there.
func (w *wholeWords) take(piece string) string {
	all := w.begun + piece
	at := len(all)
	for at > 0 && inWord(all[at-1]) {
		at--
	}
	if len(all)-at > maxWord {
		at = len(all)
	}
	w.begun = all[at:]
	return all[:at]
}

// end is what was held back.
func (w *wholeWords) end() string {
	rest := w.begun
	w.begun = ""
	return rest
}

// inWord tells whether a byte may stand in a key: the visible ones of ASCII.
func inWord(c byte) bool { return c > ' ' && c < 0x7f }
