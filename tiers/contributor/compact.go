package contributor

import (
	_ "embed"

	"manualslop/events"
)

// compact is the text of the role that makes a discussion shorter.
//
//go:embed compact.md
var compact string

// textCompact is its name.
const textCompact = "compact"

// noRoomForTurn is added to the reason why a turn has no room, because a user can do more about it than about a
// ticket.
const noRoomForTurn = "; or make the discussion shorter: /compact in slop chat, or POST /api/discussions/compact"

// compacts reports whether the run makes a discussion shorter: it has no tools, no files of the project and no
// environment, and its reply is the summary.
func (r *run) compacts() bool { return r.turn != nil && r.turn.asked.Compact }

// words reports whether the session has a text of prompts.
func (s *State) words(name string) bool {
	_, has := s.basis.Text(name)
	return has
}

// openCompact begins the conversation of a run that makes a discussion shorter. It needs nothing that a worker reads.
func (r *run) openCompact(s *State) {
	seat := r.seat().Take(s.settings)
	r.bias = seat.Bias.Name
	text, _ := s.basis.Text(textCompact)
	role := []events.Part{{Role: "system", SHA256: text.SHA256, Size: text.Size}}
	r.talk.Open(seat.System(role, nil)...)
	r.openEntries(s)
	words := "# What is asked\n\nWrite what takes the place of the discussion above.\n"
	if text := r.turn.asked.Text; text == "" {
		r.talk.Open(events.Part{Role: "user", Text: words})
	} else {
		r.learnText(s, events.Digest([]byte(text)), text)
		r.talk.Open(events.Part{Role: "user", Kind: events.PartEntry, Prefix: words + "\nThe user says what to keep:\n",
			From: r.turn.request, SHA256: events.Digest([]byte(text)), Size: int64(len(text)), Suffix: "\n"})
	}
	r.turn.asked.Entries = nil
	r.phase = startRound
}
