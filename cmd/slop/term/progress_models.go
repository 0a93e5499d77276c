package term

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm/script"
)

// waiting is one thing that the session waits for: a model's reply or a call.
type waiting struct {
	id       string
	who      string // the ticket, else the tier
	what     string // the model or the tool
	tier     int
	since    time.Time // of a retry: in the future, when it is sent
	scripted bool
	wrote    string // the end of what the model has written so far
}

// begin adds an item of pending work.
func (p *Progress) begin(w waiting) {
	if w.since.Before(p.begun) {
		w.since = p.begun
	}
	p.waits = append(p.waits, w)
}

// end removes an item of pending work and returns it.
func (p *Progress) end(id string) (waiting, bool) {
	i := slices.IndexFunc(p.waits, func(w waiting) bool { return w.id == id })
	if i < 0 {
		return waiting{}, false
	}
	w := p.waits[i]
	p.waits = slices.Delete(p.waits, i, i+1)
	return w, true
}

// foldModel applies an event about models to the figures and returns its line.
func (p *Progress) foldModel(e *events.Event) string {
	switch x := e.Payload.(type) {
	case events.ModelRequested:
		return p.requested(e, x)
	case events.ModelReplied:
		w, _ := p.end(x.Request)
		p.used.add(x.Usage, w.scripted)
		return saidLine(w, x)
	case events.ModelFailed:
		w, known := p.end(x.Request)
		if x.Usage != nil {
			p.used.add(*x.Usage, w.scripted)
		}
		if p.failure = x.Message; known {
			return fmt.Sprintf("%s, %s: %s: %s", w.who, w.what, x.Kind, x.Message)
		}
		return "model: " + x.Kind + ": " + x.Message
	case events.ModelDenied:
		p.end(x.Request)
		return "not sent to the model: " + x.Reason
	case events.BudgetWarned:
		return budgetLine(x)
	case events.ConversationShortened:
		return shortenedLine(x)
	}
	return ""
}

// requested records a request. For a repeated request it returns a line.
func (p *Progress) requested(e *events.Event, x events.ModelRequested) string {
	w := waiting{id: e.ID, who: x.Ticket, what: x.Model, tier: x.Tier, since: e.Time, scripted: x.Provider == script.Name}
	if w.who == "" || x.Tier != 3 {
		w.who = strings.TrimSpace(fmt.Sprintf("%s tier %d", x.Ticket, x.Tier))
	}
	if x.NotBefore != nil {
		w.since = *x.NotBefore
	}
	p.begin(w)
	if x.Attempt < 2 {
		return ""
	}
	line := fmt.Sprintf("%s, %s: retry (attempt %d)", w.who, w.what, x.Attempt)
	if wait := w.since.Sub(e.Time); wait >= time.Second {
		line += " in " + wait.Round(time.Second).String()
	}
	return line
}

// saidLine returns the first line of what a contributor says; see [lastWords].
func saidLine(w waiting, x events.ModelReplied) string {
	if w.tier != 3 || strings.TrimSpace(x.Text) == "" {
		return ""
	}
	return fmt.Sprintf("  %s: %s", w.who, OneLine(x.Text))
}

// unsaid returns a reason without the model failure at its end that has already been shown.
func (p *Progress) unsaid(reason string) string {
	if p.failure == "" {
		return reason
	}
	return strings.TrimSuffix(reason, ": "+p.failure)
}

// used is the usage of a session's models so far.
type used struct {
	requests, tokens, micro int64
	unpriced                bool // for part of it no price is known
}

// add counts one answer; the scripted model costs nothing.
func (u *used) add(x events.Usage, scripted bool) {
	u.requests++
	u.tokens += x.Prompt() + x.Output
	if x.PricedMicroDollars != nil {
		u.micro += *x.PricedMicroDollars
		return
	}
	u.unpriced = u.unpriced || !scripted && x.Prompt()+x.Output > 0
}

// String returns the tokens and the cost, and notes if some prices are unknown.
func (u *used) String() string { return thousands(u.tokens) + " tokens │ " + u.cost() }

func (u *used) cost() string { return Cost(u.micro, u.unpriced) }

// sum returns the line at the end of a goal.
func (u *used) sum() string {
	return fmt.Sprintf("used: %d model replies, %s tokens, %s", u.requests, thousands(u.tokens), u.cost())
}

// thousands formats a number of tokens, in thousands if it is large.
func thousands(n int64) string {
	if n < 10_000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.1fk", float64(n)/1000)
}
