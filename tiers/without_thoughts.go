package tiers

import "strings"

// thoughtTags returns the tags in which models write their thinking if they have no separate
// channel for it.
func thoughtTags() []string { return []string{"think", "thinking", "thought", "reasoning"} }

// WithoutThoughts returns a reply without the model's thinking: text between <think> and </think>,
// and text before a </think> that was never opened, because some servers put the opening tag into
// the prompt. An opening tag counts only at the beginning of a line, and a closing tag without one
// only at the end of a line, because neither occurs there inside JSON. Thinking that never ends
// extends to the end of the reply.
func WithoutThoughts(text string) string {
	for _, tag := range thoughtTags() {
		text = withoutThought(text, "<"+tag+">", "</"+tag+">")
	}
	return text
}

func withoutThought(text, begin, end string) string {
	var out strings.Builder
	for {
		at, next := beginningOfLine(text, begin), ""
		before := text
		if at >= 0 {
			before = text[:at]
			if n := strings.Index(text[at:], end); n >= 0 {
				next = text[at+n+len(end):]
			}
		}
		if unopened := lastEndOfLine(before, end); unopened >= 0 {
			out.Reset()
			before = before[unopened+len(end):]
		}
		if out.WriteString(before); next == "" {
			return out.String()
		}
		text = next
	}
}

// beginningOfLine returns the position of the first mark that is at the beginning of a line, or
// -1.
func beginningOfLine(text, mark string) int {
	for from := 0; ; {
		n := strings.Index(text[from:], mark)
		if n < 0 {
			return -1
		}
		at := from + n
		if line := strings.TrimRight(text[from:at], " \t"); line == "" && from == 0 || strings.HasSuffix(line, "\n") {
			return at
		}
		from = at + len(mark)
	}
}

// lastEndOfLine returns the position of the last mark that is at the end of a line, or -1.
func lastEndOfLine(text, mark string) int {
	last := -1
	for from := 0; ; {
		n := strings.Index(text[from:], mark)
		if n < 0 {
			return last
		}
		from += n + len(mark)
		if line := strings.TrimLeft(text[from:], " \t\r"); line == "" || line[0] == '\n' {
			last = from - len(mark)
		}
	}
}
