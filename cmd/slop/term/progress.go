package term

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/tiers/approval"
)

// Progress shows a session while it runs: plain lines, and on a terminal one status line below them. While a question
// is shown, nothing is printed below it: lines are held back until it is settled.
type Progress struct {
	Out      io.Writer
	Status   bool
	Tell     func(text string) // also hears notifications; nil: nobody
	Free     func() bool       // replaces Status where somebody else also writes: the last line is free for the status
	quiet    bool
	shown    bool              // the status line is shown at the end
	standing string            // its text
	drawn    time.Time         // when it was drawn
	partial  bool              // the end is an unfinished line: the prompt of a question
	asking   bool              // a question is waiting
	held     []func(io.Writer) // print what is held back meanwhile, only the newest
	unheld   int               // number of those dropped before
	tickets  map[string]string // state by ticket
	waits    []waiting         // oldest first
	subjects map[string]string // running call to what it is about
	used     used
	paused   bool
	failure  string // what the last failure of a model said
	begun    time.Time
	places   places
}

func NewProgress(g *Terminal) *Progress {
	return &Progress{Out: g.Out, Status: Draws(g.Out) && !g.Quiet && !g.JSON, quiet: g.Quiet,
		tickets: map[string]string{}, subjects: map[string]string{}, begun: time.Now(), places: places{}}
}

// Note applies an event without printing its line.
func (p *Progress) Note(e *events.Event) { p.fold(e) }

// Take applies an event and prints its line, if it has one.
func (p *Progress) Take(e *events.Event) {
	line := p.fold(e)
	if line == "" || p.quiet {
		p.Refresh()
		return
	}
	line = Printable(clipped(line, lineRunes))
	p.Show(func(w io.Writer) {
		timed := wrapper{width: lineWidth(w), hang: belowTime + indentOf(line) + "  "}
		fmt.Fprintln(w, strings.Join(timed.lines(e.Time.Local().Format("15:04:05  ")+line), "\n"))
	})
	for _, more := range p.more(e) {
		p.Say(belowTime + Visible(clipped(more, lineRunes)))
	}
}

// Limits of printed and held-back text: models may write without end, and a question may wait for days.
const (
	lineRunes = 1000
	heldLines = 500
)

// belowTime begins the lines below one that begins with a time.
const belowTime = "          "

// Say prints lines that went through [Visible]; see [Progress.Show].
func (p *Progress) Say(lines string) {
	p.Show(func(w io.Writer) { PrintLines(w, lines+"\n") })
}

// Show calls print, which prints whole lines; while a question waits on a terminal, only after its answer.
func (p *Progress) Show(print func(io.Writer)) {
	if p.asking && p.Status {
		if len(p.held) == heldLines {
			p.held = p.held[1:]
			p.unheld++
		}
		p.held = append(p.held, print)
		return
	}
	p.Clear()
	print(p.Out)
	p.Refresh()
}

// Ask puts a question and its prompt on the terminal.
func (p *Progress) Ask(question func(io.Writer), prompt string) {
	p.Clear()
	question(p.Out)
	above, last := SplitPrompt(p.Out, prompt)
	fmt.Fprint(p.Out, above+last)
	p.asking, p.partial = true, true
}

// noticeRunes limits the text of a notification.
const noticeRunes = 120

// Notify rings the bell of a terminal and sends it the text as a notification (OSC 9) and as the title of its window.
// Tell also receives the text.
func (p *Progress) Notify(text string) {
	text = "slop: " + clipped(Printable(text), noticeRunes)
	if p.Tell != nil {
		p.Tell(text)
	}
	if !p.Status {
		return
	}
	fmt.Fprintf(p.Out, "\a\x1b]9;%[1]s\x1b\\\x1b]2;%[1]s\x1b\\", text)
}

// Typed notes that a line was typed after the prompt, on a terminal with its line end.
func (p *Progress) Typed(terminal bool) { p.partial = p.partial && !terminal }

// Answered prints the lines that were held back while a question waited, and reports whether there were any.
func (p *Progress) Answered() bool {
	p.asking = false
	held, before := p.held, p.unheld
	p.held, p.unheld = nil, 0
	if before > 0 {
		p.Say(fmt.Sprintf("… %d earlier lines are not shown; slop watch shows all events", before))
	}
	for _, print := range held {
		p.Show(print)
	}
	return len(held) > 0
}

// fold applies an event to the figures and returns its line, if it has one.
func (p *Progress) fold(e *events.Event) string {
	switch x := e.Payload.(type) {
	case events.SessionOpened:
		return "session " + e.Session
	case events.GoalSubmitted:
		return "goal: " + x.Goal
	case events.TracksProposed:
		return fmt.Sprintf("tier 1 proposes %d track(s)", len(x.Tracks))
	case events.PlanSkipped:
		return "tier 1 says that one ticket is enough"
	case events.TrackStarted:
		return "track " + x.Track.ID + ": " + FirstOf(x.Track.Title, x.Track.Description)
	case events.TicketsPlanned:
		for _, t := range x.Tickets {
			p.set(t.ID, events.StatusTodo)
		}
		return fmt.Sprintf("tier 2 plans %d ticket(s)", len(x.Tickets))
	case events.TicketsAdded:
		for _, t := range x.Tickets {
			p.set(t.ID, events.StatusTodo)
		}
		return "worker requested: " + x.Track.Title
	case events.GraphMutated:
		return p.mutated(x)
	case events.PlanningFailed:
		return fmt.Sprintf("tier %d gave no usable plan: %s", x.Tier, p.unsaid(x.Error))
	case events.ToolApproved, events.ToolSettled, events.ToolDenied:
		return p.foldCall(e)
	case events.ModelRequested, events.ModelReplied, events.ModelFailed, events.ModelDenied, events.BudgetWarned,
		events.ConversationShortened:
		return p.foldModel(e)
	case events.HintGiven, events.FlakyNoticed, events.PatchSkipped:
		return qaLine(x)
	case events.FilesUpdated:
		return filesLine(x)
	case events.RuleAdded:
		return ruleLine(e.Actor, x.Rule)
	case events.TierChanged:
		return changeLine(e, x.Check())
	case events.ProviderChanged:
		return changeLine(e, x.Check())
	case events.SettingsChanged:
		return changeLine(e, x.Check())
	case events.RetrievalChanged:
		return changeLine(e, x.Check())
	}
	return p.foldTicket(e)
}

// mutated applies which tickets were added and removed.
func (p *Progress) mutated(x events.GraphMutated) string {
	for _, op := range x.Ops {
		switch op.Op {
		case events.GraphAddTicket:
			p.set(op.Ticket, events.StatusTodo)
		case events.GraphRemoveTicket:
			delete(p.tickets, op.Ticket)
		}
	}
	return fmt.Sprintf("%s changed the ticket graph (%d)", x.By, len(x.Ops))
}

func (p *Progress) foldTicket(e *events.Event) string {
	switch x := e.Payload.(type) {
	case events.TicketStarted:
		p.set(x.Ticket.ID, events.StatusInProgress)
		return fmt.Sprintf("%s starts (attempt %d, %s): %s", x.Ticket.ID, x.Attempt, x.Model, OneLine(x.Prompt))
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
		return fmt.Sprintf("%s: new attempt (%d): %s%s", x.Ticket, x.RetryCount, x.Reason, p.places.left(x.Ticket))
	case events.TicketNoted:
		return x.Ticket + ": note of " + x.By + ": " + OneLine(x.Note)
	case events.TicketUnblocked:
		p.set(x.Ticket, events.StatusTodo)
		return x.Ticket + " is unblocked"
	case events.Paused:
		p.paused = true
		return "paused by " + x.By
	case events.Resumed:
		p.paused = false
		return "resumed by " + x.By
	case events.TrackCompleted:
		return "track " + x.Track + " is completed"
	case events.TrackBlocked:
		return "track " + x.Track + " is blocked: " + x.Reason
	case events.GoalCompleted:
		return "done" + p.places.whole()
	case events.GoalFailed:
		return "not done: " + p.unsaid(x.Reason)
	case events.AskSettled:
		line := fmt.Sprintf("  %s: %s by %s", x.Gate, x.Outcome, x.By)
		if answer := AnswerOf(x); answer != "" {
			line = fmt.Sprintf("  %s answers: %s", x.By, OneLine(answer))
		}
		if x.By == "engine" && x.Reason != "" { // nobody wrote it
			line += ": " + OneLine(x.Reason)
		}
		return line
	case events.OverlapWarned, events.WorkspacePrepared, events.MergeSettled:
		return p.places.line(e.Payload)
	case events.ControlRefused:
		return x.Kind + " refused: " + x.Reason
	case events.SessionStalled:
		return x.Decider + " is stalled: " + x.Reason
	}
	return ""
}

// changeLine describes a user's change of settings.
func changeLine(e *events.Event, wrong error) string {
	if wrong != nil {
		return fmt.Sprintf("%s by %s was not accepted: %v", e.Type, e.Actor, wrong)
	}
	return fmt.Sprintf("%s sets %s", e.Actor, projections.Summarize(e.Payload))
}

// ruleLine describes a rule that was added while the session runs. The rule of --yes has no line.
func ruleLine(actor string, r events.Rule) string {
	where := ""
	switch ticket, ofTicket := strings.CutPrefix(r.Scope, events.RuleForTicket); {
	case r.Source == "--yes":
		return ""
	case ofTicket:
		where = "for " + ticket
	case r.Scope == events.RuleForSession:
		where = "for this session"
	default:
		where = "for all sessions, in " + r.Source
	}
	return fmt.Sprintf("  %s adds a rule %s: %s %s", actor, where, r.Action, approval.RuleText(r))
}

// qaLine describes a message of tier 4.
func qaLine(p events.Payload) string {
	switch x := p.(type) {
	case events.HintGiven:
		return "  QA: " + x.Hint
	case events.FlakyNoticed:
		return "  QA: flaky: the same command failed before (" + x.Failed + ") and nothing recorded has changed since"
	case events.PatchSkipped:
		return "  no patch: " + OneLine(x.Reason)
	}
	return ""
}

// reviewLine reports tier 2's review of an attempt.
func reviewLine(x events.TicketReviewed) string {
	says := map[string]string{events.ReviewApproved: "approved", events.ReviewSentBack: "sent back",
		events.ReviewSkipped: "not reviewed"}[x.Verdict]
	line := x.Ticket + " is " + says
	if len(x.Reasons) > 0 {
		line += ": " + OneLine(strings.Join(x.Reasons, "; "))
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

// set applies a ticket's state. What an ended attempt waited for is dropped.
func (p *Progress) set(ticket, state string) {
	p.tickets[ticket] = state
	p.waits = slices.DeleteFunc(p.waits, func(w waiting) bool { return w.who == ticket })
}

// Refresh draws the status line again if it has changed.
func (p *Progress) Refresh() {
	free := p.Status && !p.asking
	if p.Free != nil {
		free = p.Free()
	}
	if !free {
		return
	}
	width, _ := terminalSize(p.Out)
	line := p.statusLine(time.Now(), width)
	if p.shown && line == p.standing {
		return
	}
	fmt.Fprint(p.Out, "\r\x1b[K"+line)
	p.shown, p.standing, p.drawn = true, line, time.Now()
}

// Clear removes the status line and ends an unfinished line, so that something else can be printed.
func (p *Progress) Clear() {
	if p.shown {
		fmt.Fprint(p.Out, "\r\x1b[K")
		p.shown = false
	}
	if p.partial {
		fmt.Fprintln(p.Out)
		p.partial = false
	}
}

func OneLine(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i] + " …"
	}
	return clipped(s, 100)
}

// clipped returns a text shortened to at most the given number of characters.
func clipped(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

func FirstOf(s ...string) string {
	for _, v := range s {
		if v != "" {
			return v
		}
	}
	return ""
}
