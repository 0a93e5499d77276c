package conductor

import (
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// MaxAdded limits how many tickets users may add to one session.
const MaxAdded = 4096

// maxTitle limits the title of a worker's track in bytes.
const maxTitle = 80

// addWorker answers a user's request for another worker.
func (s *State) addWorker(e *events.Event, x events.WorkerSpawnRequested) []events.Payload {
	id := events.WorkerTicket(e.ID)
	if reason := s.refuseWorker(x, id); reason != "" {
		return refused(e, id, reason)
	}
	p := ticketAdded(e.ID, x)
	p.Track.Description = fmt.Sprintf("%s asked for this worker.", e.Actor)
	return []events.Payload{p}
}

// ticketAdded returns the fact that adds the ticket of a request, on a track of its own.
func ticketAdded(request string, x events.WorkerSpawnRequested) events.TicketsAdded {
	id := events.WorkerTicket(request)
	title, _, _ := strings.Cut(chars.Trim(x.Prompt), "\n")
	return events.TicketsAdded{Request: request, RequestID: x.RequestID,
		Track:   events.Track{ID: events.WorkerTrack(id), Title: tiers.Clip(chars.Trim(title), maxTitle)},
		Tickets: []events.Ticket{x.Ticket(id)}}
}

// soloDue returns the only ticket of a goal that needs no plan, or why there can be none.
func (g *goal) soloDue() events.Payload {
	x := events.WorkerSpawnRequested{Prompt: g.text}
	if err := x.Check(); err != nil {
		// our words: package events writes this text.
		return events.GoalFailed{Goal: g.id, Reason: err.Error()}
	}
	p := ticketAdded(g.id, x)
	p.Track.Description = "A goal of one ticket."
	return p
}

// refuseWorker returns why a worker cannot be added, or "".
func (s *State) refuseWorker(x events.WorkerSpawnRequested, id string) string {
	if err := x.Check(); err != nil {
		// our words: package events writes this text.
		return brief(err.Error())
	}
	before, again := s.workers[x.RequestID]
	switch {
	case x.RequestID != "" && again:
		return fmt.Sprintf("this request_id was used before, for %s", before)
	case s.taken(id) || s.tracks[events.WorkerTrack(id)] != nil:
		return "its ticket is there already"
	case !s.has(x.Persona):
		return s.noPersona(x.Persona)
	case s.extra >= MaxAdded:
		return fmt.Sprintf("%d tickets were added to this session, which is the limit", s.extra)
	}
	return ""
}

// has reports whether a persona exists; the empty name means the tier's own.
func (s *State) has(persona string) bool {
	_, has := s.settings.Roster.Persona(persona)
	return has || persona == ""
}

// noPersona returns an error text that names the missing persona and the existing ones.
func (s *State) noPersona(name string) string {
	names := s.settings.Roster.PersonaNames()
	if len(names) == 0 {
		return fmt.Sprintf("there is no persona %s: this session has none", name)
	}
	return brief(fmt.Sprintf("there is no persona %s; this session has %s", name, strings.Join(names, ", ")))
}

// added adds the new track. It belongs to no goal unless it is the only one of a goal without a plan.
func (s *State) added(x events.TicketsAdded) {
	tr := &track{Track: x.Track, goal: s.goals[x.Request]}
	s.tracks[x.Track.ID] = tr
	s.enter(tr, x.Tickets)
	if tr.goal != nil {
		tr.goal.current = tr
		return
	}
	s.extra += len(x.Tickets)
	if x.RequestID != "" && len(x.Tickets) > 0 {
		s.workers[x.RequestID] = x.Tickets[0].ID
	}
}
