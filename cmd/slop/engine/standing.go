package engine

import (
	"cmp"
	"errors"
	"reflect"
	"slices"

	"manualslop/events"
)

// HoldToRules puts today's rules in the place of those that hold in open
// sessions, before any role goes on with them, what is known of models now where
// that changed, and the tools into one that has none: a rule that was taken away
// allows nothing more, a new one holds, and an earlier --yes is over. yes gives
// it anew, to the newest session only. A session whose rules are today's is
// left as it is.
func (e *Engine) HoldToRules(log events.Log, yes bool) error {
	open, err := e.openSessions(e.Ctx, log)
	if err != nil {
		return err
	}
	for i, session := range open {
		if err := errors.Join(e.offerModels(log, session), e.offerTools(log, session)); err != nil {
			return err
		}
		now := e.Rules(yes && i == len(open)-1)
		standing, err := e.standingRules(log, session)
		if err != nil {
			return err
		}
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

// standingRules are the rules that hold in a session, as approval folds them.
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

// offerTools puts the tools on record of a session whose opener did not live to.
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

// offerModels puts what is known of models now on record of a session that knows
// something else: it goes on at today's prices, and what it spent stays priced as it was.
func (e *Engine) offerModels(log events.Log, session string) error {
	now, registry := e.Config.ModelsOffered(), events.Catalogue()
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
