package texttools

import (
	"bytes"
	"strings"

	"manualslop/events"
)

// The lines around a call, as models are told to write them. More backticks, and trailing blanks,
// are accepted too.
const (
	opening = closing + word
	closing = "```"
	word    = "tool_call"
)

// maxBody limits the bytes of a block: the arguments plus some overhead.
const maxBody = events.MaxArgs + 4<<10

// Call is a call as the model wrote it.
type Call struct {
	Name string
	Args string // valid JSON unless the call is malformed
	// Malformed is the reason why the call cannot run; empty if it can.
	Malformed string
}

// Parser reads a model's text as it arrives.
type Parser struct {
	mark  string
	line  []byte // the part of the current line that was not returned yet
	plain bool   // the current line is text, and was returned so far
	said  bool   // some text was returned
	gap   []byte // line feeds that are text only if more text follows

	behind bool // a block came last
	body   *body
	calls  []Call
}

// body is a block that is still arriving.
type body struct {
	text   strings.Builder
	marked bool
	over   bool
}

// NewParser returns a parser for a conversation with this mark.
func NewParser(mark string) *Parser { return &Parser{mark: mark} }

// Feed takes the next piece of the reply and returns its text.
func (p *Parser) Feed(words string) string {
	var out strings.Builder
	for {
		head, tail, ends := strings.Cut(words, "\n")
		if !ends {
			out.WriteString(p.rest(head))
			return out.String()
		}
		out.WriteString(p.whole(head))
		words = tail
	}
}

// Close ends the reply. It returns text that was held back, and turns a block that is still open
// into a malformed call.
func (p *Parser) Close() string {
	last := ""
	switch {
	case p.body != nil && closes(string(p.line)):
		p.finish()
	case p.body != nil:
		p.calls = append(p.calls, Call{Malformed: "the block was not closed; end it with a line of three backticks"})
		p.body = nil
	case len(p.line) > 0:
		last = p.whole("")
		p.gap = bytes.TrimSuffix(p.gap, []byte("\n"))
		if p.body != nil { // the last line opened a block
			return last + p.Close()
		}
	}
	p.line, p.plain = nil, false
	if len(p.calls) == 0 {
		last += string(p.gap)
	}
	p.gap = nil
	return last
}

// Calls returns the calls so far, in their order.
func (p *Parser) Calls() []Call { return p.calls }

// whole handles the rest of a line and its end.
func (p *Parser) whole(rest string) string {
	line := string(p.line) + rest
	plain := p.plain
	p.line, p.plain = nil, false
	switch {
	case plain:
		return p.say(rest + "\n")
	case p.body != nil && closes(line):
		p.finish()
		return ""
	case p.body != nil:
		p.body.add(line + "\n")
		return ""
	}
	mark, opens := opened(line)
	if !opens {
		return p.say(line + "\n")
	}
	p.body, p.gap = &body{marked: mark == p.mark}, nil
	return ""
}

// rest handles the beginning of a line, or more of it.
func (p *Parser) rest(words string) string {
	switch {
	case words == "":
		return ""
	case p.plain:
		return p.say(words)
	}
	p.line = append(p.line, words...)
	if p.body != nil {
		if len(p.line) > maxBody {
			p.body.over, p.line = true, []byte("…") // which does not close the block
		}
		return ""
	}
	if len(p.line) <= maxOpening {
		if begun, fenced := behindTicks(string(p.line)); fenced && (strings.HasPrefix(word, begun) ||
			strings.HasPrefix(begun, word)) || strings.HasPrefix(closing, begun) {
			return ""
		}
	}
	line := string(p.line)
	p.line, p.plain = nil, true
	return p.say(line)
}

// maxOpening limits what is held back because it may open a block: the bytes of a line without its
// line end.
const maxOpening = 256

// blanks are the characters that may precede the backticks that open a block.
const blanks = " \t"

// behindTicks returns what follows the backticks at the beginning of a line, without leading
// blanks; fenced reports whether there are enough backticks for a block. If not, rest is the whole
// line.
func behindTicks(line string) (rest string, fenced bool) {
	line = strings.TrimLeft(line, blanks)
	rest = strings.TrimLeft(line, "`")
	if len(line)-len(rest) < len(closing) {
		return line, false
	}
	return strings.TrimLeft(rest, blanks), true
}

// closes reports whether a line closes a block.
func closes(line string) bool {
	rest, fenced := behindTicks(strings.TrimSpace(line))
	return fenced && rest == ""
}

// opened reports whether a line opens a block, and with which mark. It must agree with what rest
// holds back; otherwise the result would depend on how the text is split.
func opened(line string) (mark string, opens bool) {
	begun, fenced := behindTicks(strings.TrimRight(line, blanks+"\r"))
	rest, found := strings.CutPrefix(begun, word)
	if !fenced || !found || len(line) > maxOpening || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", false
	}
	return strings.TrimSpace(rest), true
}

// say returns text; trailing line feeds wait for more text.
func (p *Parser) say(text string) string {
	if p.behind {
		if text = strings.TrimLeft(text, "\r\n"); text == "" {
			return ""
		}
		p.behind = false
		if p.said {
			p.gap = []byte("\n\n")
		}
	}
	kept := strings.TrimRight(text, "\r\n")
	if kept == "" {
		p.gap = append(p.gap, text...)
		return ""
	}
	out := string(p.gap) + kept
	p.gap, p.said = []byte(text[len(kept):]), true
	return out
}

// finish ends the open block.
func (p *Parser) finish() {
	p.calls = append(p.calls, p.body.call())
	p.body, p.behind = nil, true
}

func (b *body) add(line string) {
	if b.over || b.text.Len()+len(line) > maxBody {
		b.over = true
		return
	}
	b.text.WriteString(line)
}
