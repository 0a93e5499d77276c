package engine

import (
	"cmp"
	"errors"
	"reflect"
	"slices"

	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/tiers/approval"
)

// HoldToRules replaces the rules in open sessions with the current ones before any role resumes work on them. It also
// records changes to the known models, and the tools in a session that has none recorded. A removed rule no longer
// allows anything, a new one applies, rules that were added to the session remain, and an earlier --yes ends. yes
// grants it again, only to the newest session. A session whose rules are current is not changed.
func (e *Engine) HoldToRules(log events.Log, yes bool) error {
	open, err := e.openSessions(e.Ctx, log)
	if err != nil {
		return err
	}
	for i, session := range open {
		if err := errors.Join(e.offerModels(log, session), e.offerTools(log, session)); err != nil {
			return err
		}
		standing, err := e.standingRules(log, session)
		if err != nil {
			return err
		}
		now := withAdded(e.Rules(yes && i == len(open)-1), standing)
		if reflect.DeepEqual(now, standing) {
			continue
		}
		v := SessionWriter{Log: log, Project: e.Name, Session: session, Person: e.Person, Mask: e.Mask}
		if _, _, err := v.Publish(e.Ctx, events.RulesReplaced{Rules: now}); err != nil {
			return err
		}
	}
	return nil
}

// RulesNow returns the rules with which a resumed session continues: the current ones, and those that a user added to
// it for the session or one of its tickets. An earlier --yes ends.
func (e *Engine) RulesNow(log events.Log, session string, yes bool) (events.RulesReplaced, error) {
	standing, err := e.standingRules(log, session)
	return events.RulesReplaced{Rules: withAdded(e.Rules(yes), standing)}, err
}

// withAdded returns rules followed by those of the standing ones that were added to the session.
func withAdded(rules, standing []events.Rule) []events.Rule {
	for _, r := range standing {
		if r.Scope != "" && r.Source != site.YesRule().Source {
			rules = append(rules, r)
		}
	}
	return rules
}

// standingRules returns the rules in effect in a session, as approval folds them.
func (e *Engine) standingRules(log events.Log, session string) ([]events.Rule, error) {
	registry := events.Catalogue()
	var said []events.Event
	for _, typ := range []events.Payload{events.SessionOpened{}, events.RuleAdded{}, events.RulesReplaced{}} {
		f := events.Filter{Project: e.Name, Session: session, Type: typ.EventType().Name}
		for ev, err := range log.Read(e.Ctx, f, 1, 0) {
			if err != nil {
				return nil, err
			}
			registry.Decode(&ev)
			said = append(said, ev)
		}
	}
	slices.SortFunc(said, func(a, b events.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	rules := []events.Rule{}
	for _, ev := range said {
		switch p := ev.Payload.(type) {
		case events.SessionOpened:
			rules = append(rules, p.Settings.Rules...)
		case events.RuleAdded:
			rules = append(rules, p.Rule)
		case events.RulesReplaced:
			rules = append([]events.Rule{}, p.Rules...)
		}
	}
	return rules, nil
}

// RuleOf returns the rule that a user creates from an ask of a session with these settings.
func RuleOf(now projections.Settings, ask events.AskRaised, patterns []string, scope string) (events.Rule, error) {
	opened := events.SessionOpened{Workspace: now.Workspace, Settings: now.Settings, Basis: now.Basis}
	return approval.RuleOf(ask, opened, now.Rules, patterns, scope)
}

// offerTools records the tools in a session if the process that opened it ended too early.
func (e *Engine) offerTools(log events.Log, session string) error {
	last, err := log.Last(e.Ctx, events.Filter{Project: e.Name, Session: session,
		Type: events.NameOf[events.ToolsOffered]()})
	if err != nil || last != 0 {
		return err
	}
	offered, err := e.OfferedTools()
	if err != nil {
		return err
	}
	v := SessionWriter{Log: log, Project: e.Name, Session: session, Person: e.Person, Mask: e.Mask}
	_, _, err = v.Publish(e.Ctx, offered)
	return err
}

// offerModels records the current model data if it differs from the session's: the session continues at today's
// prices, and past spending keeps its price.
func (e *Engine) offerModels(log events.Log, session string) error {
	now, registry := e.Config.ModelsOffered(e.Script != nil), events.Catalogue()
	var last events.ModelsOffered
	for ev, err := range log.Read(e.Ctx, events.Filter{Project: e.Name, Session: session, Type: now.EventType().Name}, 1,
		0) {
		if err != nil {
			return err
		}
		registry.Decode(&ev)
		if p, ok := ev.Payload.(events.ModelsOffered); ok {
			last = p
		}
	}
	if reflect.DeepEqual(now, last) {
		return nil
	}
	v := SessionWriter{Log: log, Project: e.Name, Session: session, Person: e.Person, Mask: e.Mask}
	_, _, err := v.Publish(e.Ctx, now)
	return err
}
