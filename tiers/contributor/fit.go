package contributor

import "manualslop/events"

// fit makes sure that the next prompt fits: it sets what must be left out, or ends the run if that
// is not possible. A retry repeats the prompt that was sent.
func (r *run) fit(s *State) {
	r.cut = nil
	if r.phase != startRound && r.phase != sendRound || r.retry != nil {
		return
	}
	cut, err := r.talk.Fit(s.offers.Reader(r.seat().Take(s.settings), r.tools), r.refresh)
	switch {
	case err != nil:
		// our words: package conversation writes this text.
		reason := err.Error()
		if r.turn != nil && !r.compacts() {
			reason += noRoomForTurn
		}
		r.end(events.ResolvedBlocked, "", reason)
	case cut != nil:
		cut.Ticket, cut.Attempt, cut.Round = r.ticket.ID, r.attempt, r.round
		r.cut = cut
	}
}
