package projections

import (
	"maps"
	"slices"
	"strings"

	"manualslop/events"
)

func (c *comparison) view() EndState {
	v := EndState{
		State: c.Phase.State, Tracks: map[string]EndTrack{}, Tickets: map[string]EndTicket{},
		Files: make(map[string]string, len(c.Files)), Streams: make(map[string]string, len(c.Streams)),
		Entries: c.Talk.entries(), Usage: make(map[string]*events.Usage, len(c.Usage)), Asks: maps.Clone(c.Asks),
	}
	for _, tr := range c.Board.Tracks {
		v.Tracks[tr.Track.ID] = EndTrack{tr.Status, tr.Reason}
		for _, t := range tr.Tickets {
			v.Tickets[t.Ticket.ID] = EndTicket{t.Ticket.Status, tr.Track.ID, t.BlockKind, t.Ticket.BlockedReason, t.Attempt,
				t.Ticket.RetryCount}
		}
	}
	// order-independent: each key is written once into another map.
	for path, f := range c.Files {
		v.Files[path] = f.SHA256
	}
	// order-independent: each key is written once into another map.
	for id, s := range c.Streams {
		v.Streams[id] = s.comparableText()
	}
	// order-independent: each key is written once into another map.
	for key, u := range c.Usage {
		copied := *u
		v.Usage[key] = &copied
	}
	// order-independent: counts only.
	for _, gate := range c.Open {
		v.Asks[gate+" open"]++
	}
	return v
}

// comparableText is the whole text of a stream. Tier 4 reads calls of all
// tickets on one stream in the order in which they happen to fail, so there
// the texts are sorted.
func (s *stream) comparableText() string {
	if s.Work != "" {
		return s.text()
	}
	parts := slices.Sorted(slices.Values(s.Parts))
	return strings.Join(parts, "\n")
}
