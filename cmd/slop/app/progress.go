package app

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/tiers/llm/script"
)

// progress shows a session as it goes: plain lines, and on a terminal one
// status line below them.
type progress struct {
	out     io.Writer
	status  bool
	quiet   bool
	shown   bool
	tickets map[string]string // state by ticket
	order   []string
	running map[string]string // call to tool
	last    string            // the call that started last
	tokens  int64
	asked   map[string]string // model request to its provider
	priced  bool              // every token so far has a known price
	begun   time.Time
	places  places
}

func newProgress(g *globals) *progress {
	return &progress{out: g.out, status: isTerminal(g.out) && !g.quiet && !g.json, quiet: g.quiet,
		tickets: map[string]string{}, running: map[string]string{}, asked: map[string]string{}, priced: true, begun: time.Now(), places: places{}}
}

// take folds an event and prints what is worth a line.
func (p *progress) take(e *events.Event) {
	line := p.fold(e)
	if line == "" || p.quiet {
		p.refresh()
		return
	}
	p.clear()
	fmt.Fprintf(p.out, "%s  %s\n", e.Time.Local().Format("15:04:05"), printable(line))
	p.refresh()
}

// fold takes an event into the figures and returns its line, if it has one.
func (p *progress) fold(e *events.Event) string {
	switch x := e.Payload.(type) {
	case events.SessionOpened:
		return "session " + e.Session
	case events.GoalSubmitted:
		return "goal: " + x.Goal
	case events.TracksProposed:
		return fmt.Sprintf("tier 1 proposes %d track(s)", len(x.Tracks))
	case events.TrackStarted:
		return "track " + x.Track.ID + ": " + firstOf(x.Track.Title, x.Track.Description)
	case events.TicketsPlanned:
		for _, t := range x.Tickets {
			p.set(t.ID, events.StatusTodo)
		}
		return fmt.Sprintf("tier 2 plans %d ticket(s)", len(x.Tickets))
	case events.TicketsAdded:
		for _, t := range x.Tickets {
			p.set(t.ID, events.StatusTodo)
		}
		return "worker asked for: " + x.Track.Title
	case events.GraphMutated:
		return p.mutated(x)
	case events.PlanningFailed:
		return fmt.Sprintf("tier %d gave no usable plan: %s", x.Tier, x.Error)
	case events.ModelRequested:
		p.asked[e.ID] = x.Provider
	case events.ModelReplied:
		p.tokens += x.Usage.Input + x.Usage.Output
		p.priced = p.priced && p.asked[x.Request] == script.Name
		delete(p.asked, x.Request)
	case events.ModelFailed:
		return "model: " + x.Kind + ": " + x.Message
	case events.ModelDenied:
		return "not sent to the model: " + x.Reason
	case events.BudgetWarned:
		return budgetLine(x)
	case events.ConversationShortened:
		return shortenedLine(x)
	case events.ToolApproved:
		p.running[x.Call], p.last = x.Tool, x.Call
	case events.ToolSettled:
		delete(p.running, x.Call)
		return settledLine(x)
	case events.ToolDenied:
		return "  denied " + x.Tool + ": " + x.Reason
	case events.HintGiven, events.FlakyNoticed, events.PatchSkipped:
		return qaLine(x)
	case events.FilesUpdated:
		return filesLine(x)
	case events.TierChanged:
		return changeLine(e, x.Check())
	case events.ProviderChanged:
		return changeLine(e, x.Check())
	case events.SettingsChanged:
		return changeLine(e, x.Check())
	}
	return p.foldTicket(e)
}

// mutated takes over which tickets came and went.
func (p *progress) mutated(x events.GraphMutated) string {
	for _, op := range x.Ops {
		switch op.Op {
		case events.GraphAddTicket:
			p.set(op.Ticket, events.StatusTodo)
		case events.GraphRemoveTicket:
			delete(p.tickets, op.Ticket)
			p.order = slices.DeleteFunc(p.order, func(id string) bool { return id == op.Ticket })
		}
	}
	return fmt.Sprintf("%s changed the graph of tickets (%d)", x.By, len(x.Ops))
}

func (p *progress) foldTicket(e *events.Event) string {
	switch x := e.Payload.(type) {
	case events.TicketStarted:
		p.set(x.Ticket.ID, events.StatusInProgress)
		return fmt.Sprintf("%s starts (attempt %d, %s): %s", x.Ticket.ID, x.Attempt, x.Model, oneLine(x.Prompt))
	case events.TicketCompleted:
		p.set(x.Ticket, events.StatusCompleted)
		return x.Ticket + " is completed"
	case events.TicketBlocked:
		p.set(x.Ticket, events.StatusBlocked)
		return x.Ticket + " is blocked: " + x.Reason + p.places.left(x.Ticket)
	case events.TicketReviewed:
		return reviewLine(x)
	case events.TicketRetried:
		p.set(x.Ticket, events.StatusTodo)
		return fmt.Sprintf("%s is tried again (%d): %s%s", x.Ticket, x.RetryCount, x.Reason, p.places.left(x.Ticket))
	case events.TicketUnblocked:
		p.set(x.Ticket, events.StatusTodo)
		return x.Ticket + " is unblocked"
	case events.Paused:
		return "paused by " + x.By
	case events.Resumed:
		return "resumed by " + x.By
	case events.TrackCompleted:
		return "track " + x.Track + " is completed"
	case events.TrackBlocked:
		return "track " + x.Track + " is blocked: " + x.Reason
	case events.GoalCompleted:
		return "done" + p.places.whole()
	case events.GoalFailed:
		return "not done: " + x.Reason
	case events.AskSettled:
		return fmt.Sprintf("  %s: %s by %s", x.Gate, x.Outcome, x.By)
	case events.OverlapWarned, events.WorkspacePrepared, events.MergeSettled:
		return p.places.line(e.Payload)
	case events.ControlRefused:
		return x.Kind + " refused: " + x.Reason
	case events.SessionStalled:
		return x.Decider + " is stalled: " + x.Reason
	}
	return ""
}

// changeLine tells of a person's change of settings.
func changeLine(e *events.Event, wrong error) string {
	if wrong != nil {
		return fmt.Sprintf("%s of %s does not count: %v", e.Type, e.Actor, wrong)
	}
	return fmt.Sprintf("%s sets %s", e.Actor, projections.Summarize(e.Payload))
}

// qaLine tells what tier 4 said.
func qaLine(p events.Payload) string {
	switch x := p.(type) {
	case events.HintGiven:
		return "  QA: " + x.Hint
	case events.FlakyNoticed:
		return "  QA: flaky: the same command failed before (" + x.Failed + ") and nothing on record changed"
	case events.PatchSkipped:
		return "  no patch: " + oneLine(x.Reason)
	}
	return ""
}

// reviewLine tells of tier 2's word on an attempt.
func reviewLine(x events.TicketReviewed) string {
	says := map[string]string{events.ReviewApproved: "approved", events.ReviewSentBack: "sent back", events.ReviewSkipped: "not reviewed"}[x.Verdict]
	line := x.Ticket + " is " + says
	if len(x.Reasons) > 0 {
		line += ": " + oneLine(strings.Join(x.Reasons, "; "))
	}
	return line
}

func settledLine(x events.ToolSettled) string {
	line := fmt.Sprintf("  %s %s", x.Tool, x.Outcome)
	if x.Exit != nil && *x.Exit != 0 {
		line += fmt.Sprintf(" (exit %d)", *x.Exit)
	}
	if x.Outcome == events.ToolFailed && x.Exit == nil {
		line += ": " + oneLine(x.Text)
	}
	return line
}

func filesLine(x events.FilesUpdated) string {
	if len(x.Files) == 0 {
		return ""
	}
	var names []string
	for _, f := range x.Files {
		names = append(names, f.Path)
	}
	return "  changed: " + strings.Join(names, ", ")
}

func (p *progress) set(ticket, state string) {
	if _, known := p.tickets[ticket]; !known {
		p.order = append(p.order, ticket)
	}
	p.tickets[ticket] = state
}

// refresh prints the status line anew.
func (p *progress) refresh() {
	if !p.status {
		return
	}
	count := map[string]int{}
	for _, s := range p.tickets {
		count[s]++
	}
	tool := p.running[p.last]
	if tool == "" {
		tool = "-"
	}
	line := fmt.Sprintf("todo %d · at work %d · done %d · blocked %d │ %s │ %d tokens │ %s │ %s", count[events.StatusTodo],
		count[events.StatusInProgress], count[events.StatusCompleted], count[events.StatusBlocked], tool, p.tokens, p.cost(),
		time.Since(p.begun).Round(time.Second))
	fmt.Fprintf(p.out, "\r\x1b[K%s", printable(line))
	p.shown = true
}

// cost is what the session has cost. Only the scripted model has a price yet:
// nothing. An unknown price is said to be unknown.
func (p *progress) cost() string {
	if p.priced {
		return "$0"
	}
	return "cost unknown"
}

// clear takes the status line away, so that something else can be printed.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}

func oneLine(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i] + " …"
	}
	if r := []rune(s); len(r) > 100 {
		s = string(r[:99]) + "…"
	}
	return s
}

func firstOf(s ...string) string {
	for _, v := range s {
		if v != "" {
			return v
		}
	}
	return ""
}
