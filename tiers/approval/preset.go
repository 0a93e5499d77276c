package approval

import (
	"cmp"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/fence"
)

// workerTier is the tier that works on tickets.
const workerTier = 3

// presets returns the tool presets that apply to a ticket. A call without a ticket is the user's
// own and has none.
func (s *State) presets(ticket string) tiers.Presets {
	if ticket == "" {
		return nil
	}
	return s.seat(ticket).Take(s.settings).Presets
}

// seat returns the seat that works on a ticket or answers a turn.
func (s *State) seat(ticket string) tiers.Seat {
	return tiers.Seat{Tier: cmp.Or(s.turns[ticket], workerTier), Persona: s.personas[ticket]}
}

// asked records the seat that answers a turn, and that the turn reads what the conversations of
// its entries have read.
func (s *State) asked(e *events.Event, p events.TurnRequested) {
	id := events.TurnTicket(e.ID)
	s.turns[id] = cmp.Or(p.Tier, workerTier)
	if p.Persona != "" {
		s.personas[id] = p.Persona
	}
	s.readsEntries(conversation{ticket: id, attempt: 1}, p.Entries)
}

// attached records that the work to which a discussion is attached reads what the conversations of
// its entries have read: the plan of a goal, or the attempts at a ticket.
func (s *State) attached(p events.TalkAttached) {
	for _, to := range []conversation{{plan: p.To}, {ticket: p.To}, {ticket: events.WorkerTicket(p.To)}} {
		s.readsEntries(to, p.Entries)
	}
}

// readsEntries records that a conversation is shown entries of a discussion.
func (s *State) readsEntries(to conversation, entries []events.TurnEntry) {
	from := map[string]bool{}
	for _, n := range entries {
		if n.Role == events.RoleContext {
			s.reads(to, fence.Repo, n.Path)
		}
		if n.Tier == 0 || from[n.Ticket] {
			continue
		}
		from[n.Ticket] = true
		if n.Ticket == "" { // all plans are treated alike
			s.passPlans(to)
			continue
		}
		for attempt := range s.ended[n.Ticket] + 1 {
			s.pass(s.taintOf(n.Ticket, attempt+1), to)
		}
	}
}

// started records the persona of a ticket.
func (s *State) started(p events.TicketStarted) {
	if p.Ticket.PersonaID == "" {
		delete(s.personas, p.Ticket.ID)
		return
	}
	s.personas[p.Ticket.ID] = p.Ticket.PersonaID
}

// presetRule returns a preset's entry for a call as the equivalent rule.
func presetRule(presets tiers.Presets, t *tool, on subject) (verdict, events.Rule) {
	approval, name := presets.Approval(t.offer.Name)
	r := events.Rule{Tool: t.offer.Name, Source: "tool preset " + name}
	switch {
	case approval == events.PresetAsk:
		r.Action = "ask"
		return questioned, r
	case approval == events.PresetAuto && t.presettable() && on.presetCovers():
		r.Action = "allow"
		return allowed, r
	}
	return silent, r
}

// presettable reports whether a preset may let the tool run without an ask: never an external
// tool, nor one that runs programs or touches files that its arguments do not name.
func (t *tool) presettable() bool {
	return t.confined() && !strings.HasPrefix(t.offer.Name, events.ExternalToolPrefix)
}

// presetCovers reports whether the preset action auto applies to the call: it names only files of
// the workspace that do not steer programs, or no files at all.
func (c subject) presetCovers() bool {
	return c.exact && (len(c.paths) == 0 || c.allowedBy([]string{"**"}) == allowed)
}

// offered returns the names of the tools that are available to a ticket.
func (s *State) offered(presets tiers.Presets) []string {
	out := make([]string, 0, len(s.tools))
	// order-independent: sorted below
	for name := range s.tools {
		out = append(out, name)
	}
	slices.Sort(out)
	return presets.Of(out)
}
