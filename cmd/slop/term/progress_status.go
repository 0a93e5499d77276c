package term

import (
	"fmt"
	"strings"
	"time"

	"manualslop/events"
)

// statusLine returns the pending work, the figures, and the end of the text that a model is writing, in one line. On
// a narrow terminal the text is left out first, and then the end is cut off.
func (p *Progress) statusLine(now time.Time, width int) string {
	line := fmt.Sprintf("%s │ %s │ %s", strings.Join(append([]string{p.doing(now)}, p.counts()...), " · "),
		p.used.String(), now.Sub(p.begun).Round(time.Second))
	line = Printable(line)
	if text := p.live(width - 1 - Columns(line) - Columns(" │ ")); text != "" {
		line += " │ " + text
	}
	return fit(line, width)
}

// counts returns the number of tickets by state.
func (p *Progress) counts() []string {
	count := map[string]int{}
	for _, s := range p.tickets {
		count[s]++
	}
	var parts []string
	for _, s := range []struct{ state, word string }{
		{events.StatusInProgress, "at work"}, {events.StatusTodo, "todo"}, {events.StatusCompleted, "done"},
		{events.StatusBlocked, "blocked"},
	} {
		if count[s.state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[s.state], s.word))
		}
	}
	return parts
}

// doing returns the oldest pending item and the number of others.
func (p *Progress) doing(now time.Time) string {
	if p.paused {
		return "paused; slop resume continues"
	}
	if len(p.waits) == 0 {
		return "…"
	}
	w := p.waits[0]
	line := fmt.Sprintf("%s: %s", w.who, w.what)
	switch passed := now.Sub(w.since).Round(time.Second); {
	case passed < 0:
		line += " again in " + (-passed).String()
	default:
		line += " " + passed.String()
	}
	if n := len(p.waits) - 1; n > 0 {
		line += fmt.Sprintf(" (+%d)", n)
	}
	return line
}

// fit shortens a line so that it leaves the last column of a terminal free: a wider line would wrap and could not be
// removed again.
func fit(line string, width int) string {
	line = strings.ReplaceAll(line, "\t", " ")
	if Columns(line) < width {
		return line
	}
	room, end := width-2, 0 // for the mark at the end and the last column
	if room < 0 {
		return ""
	}
	for cluster, n := range clusters(line) {
		if room -= n; room < 0 {
			break
		}
		end += len(cluster)
	}
	return line[:end] + "…"
}
