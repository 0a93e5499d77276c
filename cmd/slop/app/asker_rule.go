package app

import (
	"errors"
	"fmt"
	"strings"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/hookgw/asks"
	"manualslop/projections"
	"manualslop/tiers/approval"
)

// proposedRule is a rule that was shown for a question and not recorded yet.
type proposedRule struct {
	ask, scope string
	rule       events.Rule
	settles    []asks.AskSettled
}

// maxSettled is the number of questions that a preview names.
const maxSettled = 5

// always creates a rule from the question on the terminal. The first "a" shows the rule and what it settles; SCOPE
// PATTERN changes it, and "a" alone accepts it, which also approves this question. The answer is nil if the rule was
// only shown.
func (a *asker) always(rest string) (*events.AskAnswered, error) {
	ask := a.current()
	if a.cut == ask.Ask {
		return nil, errors.New("only part of it was shown: type s to see all of it, then a")
	}
	if rest = strings.TrimSpace(rest); rest == "" && a.rule.ask == ask.Ask {
		a.rule.ask = ""
		return &events.AskAnswered{Ask: ask.Ask, Decision: events.Yes, Reason: "from now on"}, nil
	}
	scope, pattern, _ := strings.Cut(rest, " ")
	var patterns []string
	if pattern = strings.TrimSpace(pattern); pattern != "" {
		for _, p := range strings.Split(pattern, ";") {
			patterns = append(patterns, strings.TrimSpace(p))
		}
	}
	if scope == "" {
		scope = approval.ScopeSession
	}
	now := projections.Settings{Workspace: a.opened.Workspace, Settings: a.opened.Settings, Basis: a.opened.Basis}
	now.Rules = a.yes.rules
	shown, err := asks.PreviewRule(now, a.open, engine.RuleOf, ask, patterns, scope)
	if err != nil {
		return nil, err
	}
	a.rule = proposedRule{ask.Ask, scope, shown.Rule, shown.Settles}
	a.view.Clear()
	for _, line := range a.preview(ask) {
		term.PrintLines(a.g.Err, term.Printable(line)+"\n")
	}
	return nil, nil
}

// preview shows the proposed rule and what else it settles now.
func (a *asker) preview(ask events.AskRaised) []string {
	where := map[string]string{approval.ScopeTicket: "for " + ask.Ticket, approval.ScopeSession: "for this session",
		approval.ScopeConfig: "for all your sessions, in " + config.UserFile()}[a.rule.scope]
	out := []string{fmt.Sprintf("from now on, %s: %s", where, approval.RuleText(a.rule.rule))}
	var settled []string
	for _, o := range a.rule.settles {
		settled = append(settled, strings.TrimSpace(o.Ticket+" "+o.Title))
	}
	if len(settled) > 0 {
		out = append(out, fmt.Sprintf("open asks that it also settles (%d): %s", len(settled),
			strings.Join(settled[:min(len(settled), maxSettled)], "; ")))
	}
	return append(out, "type a to record it, or a ticket|session|config PATTERN[; PATTERN] to change it")
}
