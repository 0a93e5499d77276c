package app

import (
	"manualslop/events"
)

// holdToRules puts today's rules in the place of those that open sessions were
// begun with, before any role goes on with them: a rule that was taken away
// allows nothing more, a new one holds, and an earlier --yes is over. yes gives
// it anew, to the newest session only.
func (e *engine) holdToRules(log events.Log, yes bool) error {
	open, err := openSessions(e.ctx, log, e.name)
	if err != nil {
		return err
	}
	for i, session := range open {
		v := voice{log: log, project: e.name, session: session, person: e.person, mask: e.mask}
		if _, _, err := v.say(e.ctx, events.RulesReplaced{Rules: e.rules(yes && i == len(open)-1)}); err != nil {
			return err
		}
	}
	return nil
}
