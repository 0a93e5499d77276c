package term

import (
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/tiers/approval"
)

// Limits of what is shown below a line.
const (
	outputLines = 10 // of a failed program
	doneLines   = 3  // of a program that ended well
	wordsLines  = 12 // of a contributor's final reply
	moreRunes   = 160
)

// foldCall applies an event about a call to the list of pending work and returns its line.
func (p *Progress) foldCall(e *events.Event) string {
	switch x := e.Payload.(type) {
	case events.ToolApproved:
		subject := approval.CallTitle(x.Tool, x.Args)
		p.begin(waiting{id: x.Call, who: FirstOf(x.Ticket, "call"), what: clipped(subject, 40), since: e.Time})
		p.subjects[x.Call] = subject
	case events.ToolSettled:
		w, _ := p.end(x.Call)
		subject := FirstOf(p.subjects[x.Call], x.Tool)
		delete(p.subjects, x.Call)
		return settledLine(w.who, subject, x)
	case events.ToolDenied:
		return "  denied " + x.Tool + ": " + x.Reason
	}
	return ""
}

// settledLine reports how a call ended.
func settledLine(who, subject string, x events.ToolSettled) string {
	line := "  "
	if who != "" {
		line += who + " "
	}
	line += clipped(subject, 80) + ": " + x.Outcome
	if x.Exit != nil && *x.Exit != 0 {
		line += fmt.Sprintf(" (exit %d)", *x.Exit)
	}
	if x.Outcome == events.ToolFailed && x.Exit == nil {
		line += ": " + OneLine(x.Text)
	}
	return line
}

// more returns the lines below the line of an event.
func (p *Progress) more(e *events.Event) []string {
	switch x := e.Payload.(type) {
	case events.TicketsPlanned:
		return planned(x.Tickets)
	case events.TicketsAdded:
		return planned(x.Tickets)
	case events.ToolSettled:
		return commandTail(e.Seq, x)
	case events.ModelReplied:
		return lastWords(x)
	case events.GoalCompleted, events.GoalFailed:
		return []string{p.used.sum()}
	}
	return nil
}

// commandTail returns the end of a command's output, and how to see all of it if lines are left out.
func commandTail(seq uint64, x events.ToolSettled) []string {
	most := doneLines
	switch {
	case x.Exit == nil:
		return nil
	case x.Outcome == events.ToolFailed:
		most = outputLines
	case x.Outcome != events.ToolDone:
		return nil
	}
	lines, cut := lastLines(output(x.Text), most)
	if cut {
		return append([]string{fmt.Sprintf("… earlier lines: slop show %d", seq)}, lines...)
	}
	return lines
}

// planned lists a plan, one line per ticket.
func planned(tickets []events.Ticket) []string {
	var out []string
	for _, t := range tickets {
		line := t.ID
		if t.TargetFile != "" {
			line += " (" + t.TargetFile + ")"
		}
		if len(t.DependsOn) > 0 {
			line += " after " + strings.Join(t.DependsOn, ", ")
		}
		out = append(out, line+": "+OneLine(t.Description))
	}
	return out
}

// lastWords returns the remaining lines of a reply without calls: the contributor's account of its work.
func lastWords(x events.ModelReplied) []string {
	lines := strings.Split(strings.TrimSpace(x.Text), "\n")
	if len(x.Calls) > 0 || len(lines) < 2 {
		return nil
	}
	return firstLines(lines[1:], wordsLines)
}

// output returns the output of a program, without the lines that a tool adds around it.
func output(text string) string {
	if _, behind, found := strings.Cut(text, "STDOUT:\n"); found {
		text = behind
	}
	if i := strings.LastIndex(text, "\nEXIT CODE: "); i >= 0 {
		text = text[:i]
	}
	return strings.Replace(text, "\nSTDERR:\n", "\n", 1)
}

// lastLines returns the last lines of a text that are not empty, and reports whether there are earlier ones.
func lastLines(text string, most int) (lines []string, cut bool) {
	for _, l := range strings.Split(text, "\n") {
		if strings.TrimSpace(l) != "" {
			lines = append(lines, clipped(strings.TrimRight(l, "\r\t "), moreRunes))
		}
	}
	return lines[max(0, len(lines)-most):], len(lines) > most
}

// firstLines returns the first lines that are not empty.
func firstLines(lines []string, most int) []string {
	var out []string
	for i, l := range lines {
		if len(out) == most {
			return append(out, fmt.Sprintf("… %d more lines", len(lines)-i))
		}
		if strings.TrimSpace(l) != "" {
			out = append(out, clipped(strings.TrimRight(l, "\r\t "), moreRunes))
		}
	}
	return out
}
