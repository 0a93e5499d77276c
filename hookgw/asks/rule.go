package asks

import (
	"encoding/json"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// ruleOf returns the rule that a response makes from now on, nil without one. A rule that cannot be made refuses the
// response before anything is answered.
func ruleOf(c *core.Call, session string, ask projections.Ask, answer events.AskAnswered,
	response json.RawMessage) (*events.Rule, error) {
	said, _ := readAnswer(response)
	if said.Rule == nil || ask.Gate == events.GateHTTP {
		return nil, nil
	}
	refuse := func(why string) error {
		return problem.New(http.StatusUnprocessableEntity, "the rule cannot be made: "+why,
			"Nothing was answered; the ask is still open.")
	}
	switch {
	case answer.Decision != events.Yes || len(answer.Args) > 0:
		return nil, refuse("a rule goes with a yes to what was asked, without other arguments")
	case c.Gw.Cfg.RuleOf == nil:
		return nil, refuse("this gateway makes none")
	}
	var now projections.Settings
	if err := c.Read(session, func(s *projections.Set) { now = s.Settings() }); err != nil {
		return nil, err
	}
	rule, err := c.Gw.Cfg.RuleOf(now, ask.AskRaised, said.Rule.Patterns, said.Rule.Scope)
	if err != nil {
		return nil, refuse(err.Error())
	}
	return &rule, nil
}

// addRule records a rule behind the yes that made it. One without a scope is for the person's configuration.
func addRule(c *core.Call, session string, rule events.Rule) (err error) {
	if rule.Scope == "" {
		if rule, err = c.Gw.Cfg.KeepRule(rule); err != nil {
			return problem.New(http.StatusInternalServerError, "the yes is recorded, but the rule is not: "+err.Error(),
				"Write the rule into your configuration yourself.")
		}
	}
	_, err = c.PublishAsPerson(session, events.RuleAdded{Rule: rule})
	return err
}

// rulePreview is the answer of GET /api/ask/rule.
type rulePreview struct {
	Rule    events.Rule  `json:"rule"`
	Settles []settledAsk `json:"settles"` // other open asks of the session that the rule answers at once
}

type settledAsk struct {
	RequestID string `json:"request_id"`
	Title     string `json:"title"`
}

// getRule shows the rule that a yes from now on would make, and changes nothing.
func getRule(c *core.Call) error {
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	if c.Gw.Cfg.RuleOf == nil {
		return problem.New(http.StatusServiceUnavailable, "this gateway makes no rules", "Use slop ask answer --rule.")
	}
	q := c.Query()
	ask, err := known(c, session, q.Get("request_id"))
	if err != nil {
		return err
	}
	out := rulePreview{Settles: []settledAsk{}}
	refused := error(nil)
	err = c.Read(session, func(s *projections.Set) {
		now := s.Settings()
		if out.Rule, refused = c.Gw.Cfg.RuleOf(now, ask.AskRaised, q["pattern"], q.Get("scope")); refused != nil {
			return
		}
		for _, other := range s.OpenAsks() {
			if other.AskRaised.Ask == ask.AskRaised.Ask || other.Tool != out.Rule.Tool ||
				q.Get("scope") == ruleForTicket && other.Ticket != ask.Ticket {
				continue
			}
			if _, stays := c.Gw.Cfg.RuleOf(now, other.AskRaised, out.Rule.Args, q.Get("scope")); stays == nil {
				out.Settles = append(out.Settles, settledAsk{other.AskRaised.Ask, other.Title})
			}
		}
	})
	switch {
	case err != nil:
		return err
	case refused != nil:
		return problem.New(http.StatusUnprocessableEntity, "the rule cannot be made: "+refused.Error(),
			"Answer without a rule.")
	}
	return c.ReplyUnlessKnown(out)
}

// ruleForTicket is the scope of a rule for one ticket.
const ruleForTicket = "ticket"
