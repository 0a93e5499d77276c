package projections

import (
	"strconv"
	"strings"
)

// streams folds the text that models wrote, by stream id.
type streams map[string]*stream

// stream is the text of the work that a stream is at now: a later attempt at a
// ticket, or the next goal or track of a planning tier, begins anew.
type stream struct {
	Work  string   `json:"work"`
	Parts []string `json:"parts"` // texts of the replies, oldest first
}

// replied adds the reply that counts for a request.
func (s streams) replied(q request, text string) {
	if text == "" {
		return
	}
	work := workOf(q)
	st := s[q.Stream]
	if st == nil {
		st = &stream{Work: work}
		s[q.Stream] = st
	}
	if st.Work != work {
		st.Work, st.Parts = work, nil
	}
	st.Parts = append(st.Parts, text)
}

// workOf names what a request is for. Tier 4 reads calls of all tickets on one
// stream, which never begins anew.
func workOf(q request) string {
	if q.Call != "" {
		return ""
	}
	if q.Ticket != "" {
		return q.Ticket + "#" + strconv.Itoa(q.TicketAttempt)
	}
	return q.Goal + "/" + q.Track
}

// text is the whole text of a stream, its replies on lines of their own.
func (s *stream) text() string { return strings.Join(s.Parts, "\n") }

// texts is every stream's whole text.
func (s streams) texts() map[string]string {
	out := make(map[string]string, len(s))
	// order-independent: each key is written once into another map.
	for id, st := range s {
		out[id] = st.text()
	}
	return out
}
