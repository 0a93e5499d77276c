package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/tiers/approval"
)

// proposedRule is a rule that was shown for a question and not recorded yet.
type proposedRule struct {
	ask, scope string
	rule       events.Rule
}

// scopes are for what a rule that is made of a question counts.
func scopes() []string { return []string{"ticket", "session", "file"} }

// maxSettled is how many questions a preview names.
const maxSettled = 5

// always makes a rule of the question on the terminal. The first a shows the rule and what it settles; a SCOPE PATTERN
// changes it, and a alone takes it, as a yes to this question that the rule follows. The answer is nil if the rule was
// only shown.
func (a *asker) always(rest string) (*events.AskAnswered, error) {
	ask := a.current()
	if a.cut == ask.Ask {
		return nil, errors.New("only a part of it was shown: type s to see all of it, then a")
	}
	if rest = strings.TrimSpace(rest); rest == "" && a.rule.ask == ask.Ask {
		return a.takeRule(ask)
	}
	patterns, possible := approval.Propose(ask, a.opened, a.yes.rules)
	if !possible {
		return nil, errors.New("no rule can answer this question: type y or n")
	}
	scope, pattern, _ := strings.Cut(rest, " ")
	switch scope {
	case "":
		scope = "session"
	case "ticket", "session", "file":
	default:
		return nil, fmt.Errorf("type a, or a SCOPE PATTERN with one of the scopes %s", strings.Join(scopes(), ", "))
	}
	if scope == "ticket" && (ask.Ticket == "" || a.opened.Basis.Decision(events.ActorApproval) < 2) {
		return nil, errors.New("no rule can be for the ticket of this question; use the scope session or file")
	}
	if pattern = strings.TrimSpace(pattern); pattern != "" {
		patterns = []string{pattern}
	}
	rule, err := approval.RuleOf(ask, patterns, scope)
	if err != nil {
		return nil, err
	}
	if !approval.Covers(ask, a.opened, append(a.yes.rules[:len(a.yes.rules):len(a.yes.rules)], rule)) {
		return nil, fmt.Errorf("with this rule the question stays: %s", ruleText(rule))
	}
	a.rule = proposedRule{ask.Ask, scope, rule}
	a.view.Clear()
	for _, line := range a.preview(ask) {
		fmt.Fprintln(a.g.Err, term.Printable(line))
	}
	return nil, nil
}

// ruleText says what a rule allows.
func ruleText(r events.Rule) string {
	if len(r.Args) == 0 {
		return "every call of " + r.Tool
	}
	return r.Tool + ": " + strings.Join(r.Args, ", ")
}

// preview shows the proposed rule and what else it settles now.
func (a *asker) preview(ask events.AskRaised) []string {
	where := map[string]string{"ticket": "for " + ask.Ticket, "session": "for this session",
		"file": "for all your sessions, in " + rulesFile()}[a.rule.scope]
	out := []string{fmt.Sprintf("from now on, %s: %s", where, ruleText(a.rule.rule))}
	rules := append(a.yes.rules[:len(a.yes.rules):len(a.yes.rules)], a.rule.rule)
	var settled []string
	for _, o := range a.open {
		if o.Ask != ask.Ask && approval.Covers(o, a.opened, rules) {
			settled = append(settled, strings.TrimSpace(o.Ticket+" "+o.Title))
		}
	}
	if len(settled) > 0 {
		out = append(out, fmt.Sprintf("it also settles %d open: %s", len(settled),
			strings.Join(settled[:min(len(settled), maxSettled)], "; ")))
	}
	return append(out, "type a to record it, or a ticket|session|file PATTERN to change it")
}

func rulesFile() string { return filepath.Join(config.UserDir(os.Getenv), "config.toml") }

// takeRule writes the proposed rule into the person's configuration if it is for all sessions.
func (a *asker) takeRule(ask events.AskRaised) (*events.AskAnswered, error) {
	if a.rule.scope == "file" {
		origin, err := config.AppendRule(rulesFile(), a.rule.rule.Tool, a.rule.rule.Args)
		if err != nil {
			return nil, err
		}
		a.rule.rule.Scope, a.rule.rule.Source = "", origin
	}
	a.rule.ask = ""
	return &events.AskAnswered{Ask: ask.Ask, Decision: events.Yes, Reason: "from now on"}, nil
}
