package sessionlog

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"manualslop/events"
)

// outcome is how a call ended, for its record.
type outcome struct {
	word   string
	text   string
	blob   *events.BlobRef
	script string // file, empty where there is none
	exit   *int
	ms     int64
}

// record is one Markdown section of toolcalls.log.
func (r *Renderer) record(e *events.Event, c *toolCall, o outcome) Append {
	r.records++
	q, a := c.requested, c.approved
	var b strings.Builder
	fmt.Fprintf(&b, "## Call %d: `%s`\n\n", r.records, inline(q.Tool))
	fmt.Fprintf(&b, "- time: %s\n- call: %s\n- tier: Tier 3\n- ticket: %s, attempt %d, round %d\n", stamp(e.Time), inline(q.Call), inline(q.Ticket), q.Attempt, q.Round)
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
	args := a.Args
	if a.Generation == 0 {
		args = q.Args
	}
	if o.script != "" {
		fmt.Fprintf(&b, "- script: [%[1]s](%[1]s)\n", o.script)
	} else {
		b.WriteString("\n### Arguments\n\n" + fenced("json", strings.TrimSuffix(string(line(args)), "\n")))
	}
	b.WriteString("\n### Result\n\n" + fenced("", o.text))
	if o.blob != nil {
		fmt.Fprintf(&b, "\nThe whole text has %d bytes: blob %s\n", o.blob.Size, inline(o.blob.SHA256))
	}
	b.WriteString("\n---\n\n")
	return Append{ToolCalls, []byte(b.String())}
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

// fenced is a code block whose fence is longer than any run of backticks in
// the text, so that no output can end it. Characters that would steer a
// terminal are replaced.
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

// inline keeps foreign text on its line and out of code marks.
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
