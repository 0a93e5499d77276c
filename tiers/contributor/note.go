package contributor

import (
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/fence"
)

// note is a user's note on a ticket.
type note struct {
	by, text string
	question string // of the model, if the note answers one, on one line
	fence    string // code of the fence around it
}

// unread reports whether the conversation lacks a note to its ticket.
func (r *run) unread(s *State) bool { return r.noted < len(s.notes[r.ticket.ID]) }

// takeNotes adds the notes that the conversation lacks to the request that is due. They are never left out to make
// room. A question is fenced, because its words may come from what the model read. An attempt that is about to end as
// done continues if it may have another round. A repeated request stays as it was sent.
func (r *run) takeNotes(s *State) {
	if r.phase == resolve && r.outcome.Outcome == events.ResolvedDone && r.unread(s) && !r.lastRound(s) {
		r.nextRound(s)
	}
	if r.phase != startRound && r.phase != sendRound || r.retry != nil || !r.unread(s) {
		return
	}
	for _, n := range s.notes[r.ticket.ID][r.noted:] {
		heading := "# Note from "
		if n.question != "" {
			heading = "# Answer from "
			r.talk.Open(events.Part{Role: "user", Prefix: "# Question to the user\n\n", Text: n.question, Suffix: "\n",
				Origin: fence.Program, Fence: n.fence})
		}
		r.talk.Open(events.Part{Role: "user", Text: heading + tiers.Line(n.by) + "\n\n" + fence.Neutralise(n.text) +
			"\n"})
		r.noted++
	}
}
