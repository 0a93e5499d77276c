package sessionlog

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"manualslop/events"
)

// outcome describes how a call ended, for its record.
type outcome struct {
	word   string
	text   string
	file   *bodyFile // set instead of text
	script string    // name of the script's file; empty if there is none
	exit   *int
	ms     int64
}

// record renders one Markdown section of toolcalls.log, after the files to which it refers.
func (r *Renderer) record(e *events.Event, c *toolCall, o outcome) []Append {
	r.records++
	q, a := c.requested, c.approved
	var b strings.Builder
	fmt.Fprintf(&b, "## Call %d: `%s`\n\n", r.records, inline(q.Tool))
	fmt.Fprintf(&b, "- time: %s\n- call: %s\n- tier: Tier 3\n- ticket: %s, attempt %d, round %d\n", stamp(e.Time),
		inline(q.Call), inline(q.Ticket), q.Attempt, q.Round)
	if a.Generation > 0 {
		fmt.Fprintf(&b, "- approved by: %s\n", approver(a))
	}
	fmt.Fprintf(&b, "- outcome: %s", inline(o.word))
	if o.exit != nil {
		fmt.Fprintf(&b, ", exit code %d", *o.exit)
	}
	if o.ms > 0 {
		fmt.Fprintf(&b, ", %d ms", o.ms)
	}
	b.WriteByte('\n')
	pieces := r.called(&b, c, o)
	b.WriteString("\n### Result\n\n")
	if o.file != nil {
		b.WriteString(o.file.link("A result"))
	} else {
		b.WriteString(fenced("", o.text))
	}
	b.WriteString("\n---\n\n")
	return append(pieces, Append{File: ToolCalls, Bytes: []byte(b.String())})
}

// called writes the input of a tool call: the name of its script file, or its arguments.
func (r *Renderer) called(b *strings.Builder, c *toolCall, o outcome) []Append {
	if o.script != "" {
		fmt.Fprintf(b, "- script: [%[1]s](%[1]s)\n", o.script)
		return nil
	}
	raw := c.approved.Args
	if c.approved.Generation == 0 {
		raw = c.requested.Args
	}
	args, file, pieces := r.jsonBody("args", raw)
	b.WriteString("\n### Arguments\n\n")
	if file != nil {
		b.WriteString(file.link("Arguments"))
	} else {
		b.WriteString(fenced("json", strings.TrimSuffix(string(line(args)), "\n")))
	}
	return pieces
}

func approver(a events.ToolApproved) string {
	by := inline(a.By)
	if a.Rule != "" {
		by += " (" + inline(a.Rule) + ")"
	}
	if a.Edited {
		by += ", arguments edited"
	}
	if a.Generation > 1 {
		by += ", run " + strconv.Itoa(a.Generation)
	}
	return by
}

// fenced returns a code block whose fence is longer than any run of backticks in the text, so that
// no output can close it. Terminal control characters are replaced.
func fenced(language, text string) string {
	text = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\n' && c != '\t' && c != '\r' {
			return unicode.ReplacementChar
		}
		return c
	}, text)
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + language + "\n" + text + fence + "\n"
}

// inline puts external text on one line and removes code marks.
func inline(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '`':
			return '\''
		case unicode.IsControl(c), c == '\u2028', c == '\u2029':
			return ' '
		}
		return c
	}, s)
}
