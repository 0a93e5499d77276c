package asks

import (
	"encoding/json"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// ruleOf returns the rule that a response creates, or nil if it creates none. It rejects the response, before
// anything is answered, if the rule is impossible or the response does not name the rule's patterns.
func ruleOf(c *core.Call, session string, ask projections.Ask, answer events.AskAnswered,
	response json.RawMessage) (*events.Rule, error) {
	said, _ := readAnswer(response)
	if said.Rule == nil || ask.Gate == events.GateHTTP {
		return nil, nil
	}
	refuse := func(why string) error {
		return problem.New(http.StatusUnprocessableEntity, "the rule cannot be created: "+why,
			"Nothing was answered; the ask is still open.")
	}
	switch {
	case answer.Decision != events.Yes || len(answer.Args) > 0:
		return nil, refuse("a rule is only valid with a yes to the unchanged ask")
	case c.Gw.Cfg.RuleOf == nil:
		return nil, refuse("this gateway cannot create rules")
	}
	var now projections.Settings
	if err := c.Read(session, func(s *projections.Set) { now = s.Settings() }); err != nil {
		return nil, err
	}
	rule, err := c.Gw.Cfg.RuleOf(now, ask.AskRaised, said.Rule.Patterns, said.Rule.Scope)
	if err != nil {
		return nil, refuse(err.Error())
	}
	if !said.Rule.names(rule) {
		proposed, err := json.Marshal(ruleWanted{append([]string{}, rule.Args...), said.Rule.Scope})
		if err != nil {
			return nil, err
		}
		return nil, problem.New(http.StatusUnprocessableEntity, "rule.patterns: must name what the rule covers; proposed: "+
			string(proposed), "Nothing was answered. Send the rule with its patterns; GET /api/ask/rule shows which other "+
			"asks it answers.")
	}
	return &rule, nil
}

// names reports whether the client sent exactly the patterns of a rule. A rule for every call of a tool has none.
func (w ruleWanted) names(rule events.Rule) bool {
	return w.Patterns != nil && len(w.Patterns) == len(rule.Args)
}

// addRule records a rule after the approval that created it, and returns it as recorded. A rule without a scope
// belongs to the user's configuration.
func addRule(c *core.Call, session string, rule events.Rule) (_ events.Rule, err error) {
	if rule.Scope == "" {
		if rule, err = c.Gw.Cfg.KeepRule(rule); err != nil {
			return rule, problem.New(http.StatusInternalServerError, "the approval was recorded, but the rule was "+
				"not: "+err.Error(),
				"Write the rule into your configuration yourself.")
		}
	}
	_, err = c.PublishAsPerson(session, events.RuleAdded{Rule: rule})
	return rule, err
}

// RulePreview is the rule that an approval would create, and the answer of GET /api/ask/rule.
type RulePreview struct {
	Rule    events.Rule  `json:"rule"`
	Settles []AskSettled `json:"settles"` // other open asks of the session that the rule answers at once
}

// AskSettled is an ask that a rule settles.
type AskSettled struct {
	RequestID string `json:"request_id"`
	Title     string `json:"title"`
	Ticket    string `json:"ticket,omitempty"`
}

// PreviewRule returns the rule that ruleOf would create for an ask in a session with these settings and open asks.
// Without patterns it uses the proposed ones.
func PreviewRule(now projections.Settings, open []events.AskRaised, ruleOf func(now projections.Settings,
	ask events.AskRaised, patterns []string, scope string) (events.Rule, error), ask events.AskRaised, patterns []string,
	scope string) (RulePreview, error) {
	rule, err := ruleOf(now, ask, patterns, scope)
	out := RulePreview{Rule: rule, Settles: []AskSettled{}}
	if err != nil {
		return out, err
	}
	for _, other := range open {
		if other.Ask == ask.Ask || other.Tool != rule.Tool || scope == ruleForTicket && other.Ticket != ask.Ticket {
			continue
		}
		if _, stays := ruleOf(now, other, rule.Args, scope); stays == nil {
			out.Settles = append(out.Settles, AskSettled{other.Ask, other.Title, other.Ticket})
		}
	}
	return out, nil
}

// Raised returns the asks in the form in which they were raised.
func Raised(open []projections.Ask) []events.AskRaised {
	out := make([]events.AskRaised, len(open))
	for i, a := range open {
		out[i] = a.AskRaised
	}
	return out
}

// getRule shows the rule that an approval would create. It changes nothing.
func getRule(c *core.Call) error {
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	if c.Gw.Cfg.RuleOf == nil {
		return problem.New(http.StatusServiceUnavailable, "this gateway cannot create rules", "Use slop ask answer "+
			"--rule.")
	}
	q := c.Query()
	ask, err := known(c, session, q.Get("request_id"))
	if err != nil {
		return err
	}
	var out RulePreview
	refused := error(nil)
	err = c.Read(session, func(s *projections.Set) {
		out, refused = PreviewRule(s.Settings(), Raised(s.OpenAsks()), c.Gw.Cfg.RuleOf, ask.AskRaised, q["pattern"],
			q.Get("scope"))
	})
	switch {
	case err != nil:
		return err
	case refused != nil:
		return problem.New(http.StatusUnprocessableEntity, "the rule cannot be created: "+refused.Error(),
			"Answer without a rule.")
	}
	return c.ReplyUnlessKnown(out)
}

// ruleForTicket is the scope of a rule for one ticket.
const ruleForTicket = "ticket"
