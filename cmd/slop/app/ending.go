package app

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"manualslop/cmd/slop/app/work"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/events/policy/commands"
	"manualslop/projections"
	"manualslop/projections/diffs"
	"manualslop/tiers/approval"
)

// Limits of the lists at the end of a run.
const (
	endingFiles    = 20
	endingCommands = 10
)

// ending collects the data for the last lines of a run.
type ending struct {
	set      *projections.Set
	goal     string            // its event's id; empty: the newest
	from, to time.Time         // of the goal
	seq      uint64            // of the goal
	titles   map[string]string // by call that is not settled
	checks   map[string]bool   // calls by which the engine checks a ticket
	commands []commandResult
	branch   string // of merged work
	blocked  string // ticket that was blocked last
	last     string // ticket that was completed last
}

// commandResult is a command line with its newest result.
type commandResult struct {
	line, result string
	test         bool
}

func newEnding(goal string) *ending {
	return &ending{set: projections.NewSet(), goal: goal, titles: map[string]string{}, checks: map[string]bool{}}
}

// runsTests returns a pattern of command lines that run tests.
var runsTests = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(go|cargo|npm|pnpm|yarn|bun|npm run|deno|dotnet|swift|mix|zig build|make|mvn|gradle) ` +
		`(test|check)\b|\b(pytest|unittest|ctest|phpunit|rspec|jest|vitest|tox|nox)\b`)
})

// take applies an event and returns a line that the view does not print itself.
func (n *ending) take(e *events.Event) string {
	n.set.Apply(e)
	n.to = e.Time
	switch p := e.Payload.(type) {
	case events.GoalSubmitted:
		if n.goal == "" || e.ID == n.goal {
			n.from, n.seq = e.Time, e.Seq
		}
	case events.ToolRequested:
		n.checks[p.Call] = p.Check
	case events.ToolApproved:
		n.titles[p.Call] = strings.TrimPrefix(approval.CallTitle(p.Tool, p.Args), p.Tool+" ")
	case events.ToolSettled:
		if (p.Exit != nil || p.Interpreter != "") && p.Outcome != events.ToolInterrupted {
			n.ran(n.titles[p.Call], p, n.checks[p.Call])
		}
		delete(n.titles, p.Call)
	case events.MergeSettled:
		if p.Outcome == events.MergeDone {
			n.branch = p.Branch
		}
	case events.TicketBlocked:
		n.blocked = p.Ticket
	case events.TicketCompleted:
		n.last = p.Ticket
		if n.blocked == p.Ticket {
			n.blocked = ""
		}
		return n.refused(p.Ticket)
	}
	return ""
}

// ran records the result of a command. A command that runs again replaces its line.
func (n *ending) ran(line string, p events.ToolSettled, check bool) {
	c := commandResult{line: line, result: p.Outcome, test: check || runsTests().MatchString(line)}
	switch why, _, _ := strings.Cut(p.Text, "\n"); {
	case p.Exit == nil: // ended by its time limit
		c.result += " (" + term.OneLine(strings.TrimPrefix(why, "ERROR: ")) + ")"
	case *p.Exit != 0:
		c.result += fmt.Sprintf(" (exit %d)", *p.Exit)
	}
	for i := range n.commands {
		if n.commands[i].line == line {
			n.commands = append(n.commands[:i], n.commands[i+1:]...)
			break
		}
	}
	n.commands = append(n.commands, c)
}

// refused returns a message if a completed ticket changed nothing because its write was rejected, or "".
func (n *ending) refused(ticket string) string {
	c, is := n.set.RefusedWrite(ticket)
	if !is {
		return ""
	}
	return ticket + " changed nothing: " + work.DeniedBy(c)
}

// print prints the result of the run and the suggested next commands.
func (n *ending) print(ctx context.Context, g *site.Flags, blobs events.Blobs) {
	files := n.set.Changes().Files
	rows := [][]string{{"tickets", n.tickets()}}
	for _, t := range n.set.Tickets() {
		rows = append(rows, []string{"refused", n.refused(t.ID)})
	}
	for i, f := range files {
		if i == endingFiles {
			rows = append(rows, []string{"", fmt.Sprintf("… %d more: slop changes", len(files)-i)})
			break
		}
		c := diffs.Of(ctx, blobs, f)
		line := fmt.Sprintf("%s +%d -%d", f.Path, c.Added, c.Removed)
		if c.NoDiff != "" {
			line = f.Path
		}
		if note := work.ChangeNote(c); note != "" {
			line += " (" + note + ")"
		}
		rows = append(rows, []string{"files", line})
	}
	rows = append(rows, n.commandRows()...)
	rows = append(rows, []string{"time", n.to.Sub(n.from).Round(time.Second).String()}, []string{"branch", n.branch})
	for _, next := range n.next(len(files) > 0) {
		rows = append(rows, []string{"next", "slop" + g.Where() + next})
	}
	if n.branch != "" {
		rows[len(rows)-1][1] = "git merge " + commands.Quote(n.branch)
	}
	fmt.Fprintln(g.Out)
	term.PrintFields(g.Out, once(rows))
}

// once leaves out a name that is the same as in the previous row.
func once(rows [][]string) [][]string {
	var out [][]string
	last := ""
	for _, row := range rows {
		if row[1] == "" {
			continue
		}
		name := row[0]
		if name == last {
			name = ""
		}
		if row[0] != "" {
			last = row[0]
		}
		out = append(out, []string{name, row[1]})
	}
	return out
}

// tickets counts the tickets by state.
func (n *ending) tickets() string {
	count := map[string]int{}
	for _, t := range n.set.Tickets() {
		count[t.Status]++
	}
	var out []string
	for _, s := range []string{events.StatusCompleted, events.StatusBlocked, events.StatusInProgress, events.StatusTodo} {
		if count[s] > 0 {
			out = append(out, fmt.Sprintf("%d %s", count[s], strings.ReplaceAll(s, "_", " ")))
		}
	}
	return strings.Join(out, ", ")
}

// commandRows returns the newest commands, those that run tests last.
func (n *ending) commandRows() [][]string {
	var commands, tests [][]string
	for _, c := range n.commands {
		line := term.OneLine(c.line) + ": " + c.result
		if c.test {
			tests = append(tests, []string{"tests", line})
		} else {
			commands = append(commands, []string{"commands", line})
		}
	}
	return append(commands[max(0, len(commands)-endingCommands):], tests[max(0, len(tests)-endingCommands):]...)
}

// next returns three commands, without the name of the program.
func (n *ending) next(changed bool) []string {
	show := term.FirstOf(n.blocked, n.last)
	if show != "" {
		show = " show " + show
	}
	switch {
	case changed:
		return []string{" changes --diff", term.FirstOf(show, " sessions show"), fmt.Sprintf(" undo --to %d", n.seq)}
	case show != "":
		return []string{show, " sessions show", " sessions logs"}
	}
	return []string{" sessions show", " sessions logs", " doctor"}
}
