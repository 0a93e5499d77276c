package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/tiers/approval"
)

// asker shows open questions on the terminal, one at a time, and records the answers. If a question is answered
// elsewhere in the meantime, what was typed for it is ignored.
type asker struct {
	g      *site.Flags
	writer engine.SessionWriter
	view   *term.Progress
	wait   bool
	// prompt shows what may be typed, and returns what must stand above it below the question; nil: the view does both.
	prompt func(string) (above string)
	yes    standingYes
	opened events.SessionOpened // with the basis of now
	rule   proposedRule
	about  subjects
	// give answers a question, and creates a rule if the answer has one. Its error is a *lateAnswer if the answer does not
	// count.
	give func(context.Context, events.AskRaised, events.AskAnswered, *proposedRule) error
	gave map[string]bool // answers of this terminal by id
	// edits shows what edited arguments would change; nil: the files are elsewhere.
	edits engine.Preview
	// starts refuses the start of a ticket with files that do not exist; nil: the files are elsewhere.
	starts func(events.SessionOpened, events.AskRaised, events.AskAnswered) error
	draft  *draft // the answer with edited arguments whose diff waits for approval
	// pending are asks whose answer from here a client has recorded without knowing whether it counts.
	pending map[string]bool
	// making are the rules of answers that are not known to count yet, by the answer's id; made are those of answers that
	// do.
	making map[string]proposedRule
	made   []proposedRule

	// unread is the edited text of a plan that could not be read.
	unread []byte

	open    []events.AskRaised
	shown   string // ask on the terminal
	cut     string // ask of which only a part was shown
	whole   string // ask that was shown whole
	printed string // ask whose question is on the terminal
	stale   string // how the ask that a line is being typed for was settled elsewhere
	drop    func() // has the reader drop what was typed for the stale ask; nil if it cannot
	drops   int    // which the reader has not told yet
	lines   chan typedLine
	want    chan struct{} // asks readLines for a line
	reading bool
	ended   bool   // standard input has ended
	stuck   string // the question that cannot be answered here
}

// typedLine is one line of input, or its end.
type typedLine struct {
	text string
	err  error
}

// newAsker returns an asker that reads a line from read when it needs one; see [term.TypedLines].
func newAsker(g *site.Flags, v engine.SessionWriter, view *term.Progress, o runOptions,
	read func() (string, error), drop func()) asker {
	a := asker{g: g, writer: v, view: view, wait: o.wait, yes: standingYes{given: o.yes}, drop: drop,
		lines: make(chan typedLine), want: make(chan struct{}, 1), gave: map[string]bool{},
		making: map[string]proposedRule{}, pending: map[string]bool{}}
	a.give = a.publish
	go readLines(read, a.want, a.lines)
	return a
}

// readLines reads a line only when one is requested.
func readLines(read func() (string, error), want <-chan struct{}, lines chan<- typedLine) {
	for range want {
		text, err := read()
		if text != "" && !errors.Is(err, errInterrupted) {
			err = nil
		}
		lines <- typedLine{strings.TrimSpace(text), err}
	}
}

// take applies an event that raises or settles a question.
func (a *asker) take(e *events.Event) {
	a.opened.Basis, _ = a.opened.Basis.Changed(e.Payload)
	a.about.take(e)
	switch p := e.Payload.(type) {
	case events.AskRaised:
		a.open = append(a.open, p)
	case events.SessionOpened:
		a.opened = p
		a.yes.rules = append(a.yes.rules, p.Settings.Rules...)
	case events.RuleAdded:
		a.yes.rules = append(a.yes.rules, p.Rule)
	case events.RulesReplaced:
		a.yes.rules = append([]events.Rule(nil), p.Rules...)
	case events.AskSettled:
		for i := range a.open {
			if a.open[i].Ask == p.Ask {
				a.open = append(a.open[:i], a.open[i+1:]...)
				break
			}
		}
		if a.draft.of(p.Ask) {
			a.draft = nil
		}
		if a.shown == p.Ask {
			a.unread = nil
		}
		if a.shown == p.Ask && a.reading {
			a.stale = fmt.Sprintf("%s by %s at %s", p.Outcome, p.By, p.At.Local().Format("15:04:05"))
		}
		if a.shown == p.Ask {
			a.shown = ""
			a.released()
		}
		a.stuck = ""
		if rule, makes := a.making[p.AnswerID]; makes {
			a.made = append(a.made, rule)
		}
	case events.AnswerRefused:
		if a.shown == p.Ask {
			a.shown = ""
			a.released()
		}
		if (a.gave[p.AnswerID] || a.pending[p.Ask]) && !a.g.JSON {
			a.view.Say(term.Printable(fmt.Sprintf("the answer to %s was not accepted: %s", p.Ask, refusedBy(p))))
		}
		delete(a.pending, p.Ask)
	}
}

func refusedBy(p events.AnswerRefused) string {
	if p.SettledBy == "" || p.SettledAt == nil {
		return p.Reason
	}
	return fmt.Sprintf("%s, by %s at %s", p.Reason, p.SettledBy, p.SettledAt.Local().Format("15:04:05"))
}

// next shows the oldest open question on the terminal, or answers it if --yes covers it.
func (a *asker) next(ctx context.Context) error {
	if err := a.keepRules(ctx); err != nil {
		return err
	}
	if len(a.open) == 0 || a.shown != "" {
		return nil
	}
	ask := a.open[0]
	if a.yes.covers(ask, a.opened) && a.yes.said != ask.Ask {
		a.shown, a.yes.said = ask.Ask, ask.Ask
		return a.publish(ctx, ask, events.AskAnswered{Ask: ask.Ask, Decision: events.Yes, Reason: site.YesRule().Source}, nil)
	}
	if a.ended {
		a.unattended(ask)
		return nil
	}
	switch { // what was typed before the question is not its answer
	case !a.reading && a.prompt == nil:
		term.FlushTyped(a.g.In)
	case a.reading && a.stale != "" && a.drop != nil:
		a.drops++
		a.drop()
	}
	a.put(ask)
	a.shown = ask.Ask
	if !a.reading {
		a.reading = true
		a.want <- struct{}{}
	}
	return nil
}

// put shows a question once, with the prompt for its answer. With --json, a terminal shows the questions in addition
// to the events.
func (a *asker) put(ask events.AskRaised) {
	question := func(w io.Writer) {
		if a.draft.of(ask.Ask) {
			if a.printed != draftOf+ask.Ask {
				a.printed = draftOf + ask.Ask
				a.draft.print(a.g, w)
			}
			return
		}
		if a.printed == ask.Ask {
			return
		}
		a.view.Notify(waitsForYou(ask))
		for i, line := range a.about.lines(ask, len(a.open)) {
			if i == 0 {
				fmt.Fprintln(w)
			}
			term.PrintAbout(w, term.Printable(line))
		}
		if a.printed = ask.Ask; a.whole != ask.Ask && a.g.PrintAsk(w, ask, !term.IsTerminal(a.g.In)) {
			a.cut = ask.Ask
		}
	}
	switch {
	case !a.g.JSON && a.prompt != nil:
		above := a.prompt(a.promptOf(ask))
		a.view.Ask(func(w io.Writer) {
			question(w)
			fmt.Fprint(w, above)
		}, "")
	case !a.g.JSON:
		a.view.Ask(question, a.promptOf(ask))
	case term.IsTerminal(a.g.In):
		question(a.g.Err)
		above, prompt := term.SplitPrompt(a.g.Err, a.promptOf(ask))
		fmt.Fprint(a.g.Err, above+prompt)
	}
}

// promptOf returns the prompt, which lists the valid answers to a question.
func (a *asker) promptOf(ask events.AskRaised) string {
	switch {
	case a.draft.of(ask.Ask):
		return "run it as edited? [y]es, [n]o, back to the question, [e]dit again > "
	case ask.Gate == events.GateBudget && ask.Ticket != "":
		return `[y]es, [n]o, e {"limit": DOLLARS}, e {"action": "finish_ticket"}, [s]how all > `
	case ask.Gate == events.GateBudget:
		return `[y]es, [n]o, e {"limit": DOLLARS}, [s]how all > `
	case ask.Gate == events.GateInterrupted:
		return `[y]es, [n]o, e {"resolution": "done"}, [s]how all > `
	}
	if ask.Gate == events.GateQuestion {
		if term.HasChoices(ask.Args) {
			return "type your answer or the number of a choice, [s]how all > "
		}
		return "type your answer, [s]how all > "
	}
	if ask.Gate == events.GateTool {
		return "[y]es, [a]lways, [n]o REASON, [e]dit, [s]how all > "
	}
	return "[y]es, [n]o REASON, [e]dit, [s]how all > "
}

// unattended handles a question without a terminal: it ends the run, or with --wait shows the question once and waits
// for an answer from elsewhere.
func (a *asker) unattended(ask events.AskRaised) {
	if !a.wait {
		a.stuck = ask.Title + " (" + ask.Ask + ")"
		return
	}
	a.shown = ask.Ask
	a.view.Notify(waitsForYou(ask))
	if !a.g.JSON {
		a.view.Clear()
		a.g.PrintAsk(a.g.Out, ask, false)
		answers := "yes|no"
		if ask.Gate == events.GateQuestion {
			answers = `--text "…"`
		}
		term.PrintLines(a.g.Out, fmt.Sprintf("   answer it with: slop%s ask answer %s %s\n", a.g.Where(),
			term.Visible(ask.Ask), answers))
	}
}

// typed handles a line that was typed at a question.
func (a *asker) typed(ctx context.Context, line typedLine) error {
	if errors.Is(line.err, term.ErrDropped) {
		if a.drops--; a.drops == 0 {
			a.stale = ""
		}
		a.want <- struct{}{}
		return nil
	}
	a.reading = false
	a.view.Typed(term.IsTerminal(a.g.In) && line.err == nil)
	defer a.released()
	if line.err != nil {
		a.ended, a.shown, a.stale = true, "", ""
		return nil
	}
	if a.stale != "" || a.shown == "" {
		term.PrintLines(a.g.Err, fmt.Sprintf("%q was ignored: the question is already settled: %s\n", line.text,
			term.Printable(a.stale)))
		a.stale, a.shown, a.printed = "", "", ""
		return nil
	}
	var answer *events.AskAnswered
	var err error
	verb, rest, _ := strings.Cut(line.text, " ")
	edit := a.draft.of(a.shown)
	always := !edit && (verb == "a" || verb == "always") && a.current().Gate != events.GateQuestion
	switch {
	case edit:
		answer, err = a.confirm(ctx, line.text)
	case always:
		answer, err = a.always(rest)
	default:
		answer, err = a.read(line.text)
	}
	if err == nil && answer != nil && !edit {
		answer, err = a.held(ctx, answer)
	}
	if err != nil {
		term.PrintLines(a.g.Err, term.Printable(err.Error())+"\n")
		a.shown = ""
		return nil
	}
	if answer == nil { // more is shown; ask again
		a.shown = ""
		return nil
	}
	var rule *proposedRule
	if always {
		rule = &a.rule
	}
	err = a.give(ctx, a.current(), *answer, rule)
	var late *lateAnswer
	if errors.As(err, &late) {
		term.PrintLines(a.g.Err, term.Printable(late.Error())+"\n")
		a.shown = ""
		return nil
	}
	return err
}

// lateAnswer says why an answer does not count.
type lateAnswer struct{ error }

// publish records an answer. The rule that it creates is recorded once the answer counts.
func (a *asker) publish(ctx context.Context, _ events.AskRaised, answer events.AskAnswered, rule *proposedRule) error {
	_, id, err := a.writer.Publish(ctx, answer)
	if err != nil {
		return err
	}
	a.gave[id] = true
	if rule != nil {
		a.making[id] = *rule
	}
	return nil
}

// keepRules records the rules of answers that count.
func (a *asker) keepRules(ctx context.Context) error {
	made := a.made
	a.made = nil
	for _, m := range made {
		rule := m.rule
		if m.scope == approval.ScopeConfig {
			var err error
			if rule, err = config.KeepRule(rule); err != nil {
				a.view.Say(term.Printable("approved, but the rule was not recorded: " + err.Error()))
				continue
			}
		}
		if _, _, err := a.writer.Publish(ctx, events.RuleAdded{Rule: rule}); err != nil {
			return err
		}
	}
	return nil
}

// released lets the view print the lines that it held back, once no question is on the terminal.
func (a *asker) released() {
	if a.shown == "" && a.view.Answered() {
		a.printed = "" // it has scrolled away
	}
}

// errAnswer lists the valid answers.
var errAnswer = errors.New("type y, a, n REASON, e, e json, e {JSON} or s")

// read parses a line into an answer. It returns nil if the line asked to see more.
func (a *asker) read(line string) (*events.AskAnswered, error) {
	ask := a.current()
	verb, rest, _ := strings.Cut(line, " ")
	out := &events.AskAnswered{Ask: ask.Ask}
	if verb := strings.ToLower(line); ask.Gate == events.GateQuestion && verb != "s" && verb != "show" {
		if line == "" {
			return nil, errors.New("type an answer, or s to see the whole question")
		}
		out.Decision, out.Args = events.Yes, term.AnswerTo(ask.Args, line)
		return out, nil
	}
	switch strings.ToLower(verb) {
	case "y", "yes":
		if a.cut == ask.Ask {
			return nil, errors.New("only part of it was shown: type s to see all of it, then y")
		}
		out.Decision, out.Reason = events.Yes, rest
	case "n", "no":
		out.Decision, out.Reason = events.No, rest
	case "s", "show":
		shown := a.g.Out
		if a.g.JSON { // only events go there
			shown = a.g.Err
		}
		a.view.Clear()
		a.g.PrintAsk(shown, ask, true)
		a.cut, a.whole = "", ask.Ask
		return nil, nil
	case "e", "edit":
		change := edited
		if ask.Gate == events.GatePlan && rest == "" {
			change = a.editPlan
		}
		edited, err := change(rest, ask.Args)
		if err != nil {
			return nil, err
		}
		out.Decision, out.Args = events.Yes, edited
	default:
		return nil, errAnswer
	}
	return out, nil
}

// current returns the question on the terminal.
func (a *asker) current() events.AskRaised {
	for _, o := range a.open {
		if o.Ask == a.shown {
			return o
		}
	}
	return events.AskRaised{}
}
