package replay

import (
	"errors"
	"fmt"

	"manualslop/events"
	"manualslop/tiers"
)

// Tally counts what one decider did.
type Tally struct {
	Decider string `json:"decider"`
	Decided int    `json:"decided"` // decisions that follow from the record and stand on it
	Owed    int    `json:"owed"`    // decisions that follow from it and do not
}

// Report is what [Verify] saw up to the divergence, or of the whole record.
type Report struct {
	Session   string  `json:"session"`
	Events    int     `json:"events"`    // looked at
	Malformed int     `json:"malformed"` // on the record without effect
	Notices   int     `json:"notices"`
	Closed    bool    `json:"closed"` // SessionClosed is on it
	Deciders  []Tally `json:"deciders"`
	// Owed are decisions that are due at the end: by decider, each in order.
	Owed []events.Event `json:"owed,omitempty"`
}

// Verify checks one session's whole history, in stream order, against the
// deciders that are given as functions that start them ([Deciders] for all).
// The error is nil or a *[Divergence], the first one in stream order; a history
// on which decisions are still due at the end is one too (CodeOwed), for the
// caller to judge: a running session owes until it is quiet. Payloads that are
// not decoded yet are decoded on a copy; the history is never changed.
func Verify(history []events.Event, deciders ...func() *tiers.Machine) (Report, error) {
	v := NewVerifier(deciders...)
	for i := range history {
		if v.Take(&history[i]); v.found != nil {
			break
		}
	}
	return v.End()
}

// Verifier is [Verify] for a history that is read event by event. Of each event it
// keeps what later ones must agree with, and no more.
type Verifier struct {
	n         int           // events taken
	opening   *events.Event // the first of them
	last      uint64        // sequence of the newest
	registry  *events.Registry
	followers []*follower
	byActor   map[string]*follower
	first     map[string]int // id to the position where it is first
	checks    checks
	seen      Report
	decided   map[string]int

	found *Divergence
	open  *misplaced // a divergence whose code depends on what follows
}

// NewVerifier begins a history with the deciders that are given as functions
// that start them.
func NewVerifier(deciders ...func() *tiers.Machine) *Verifier {
	v := &Verifier{registry: events.Catalogue(), byActor: map[string]*follower{}, first: map[string]int{},
		checks: newChecks(), decided: map[string]int{}}
	for _, start := range deciders {
		f := &follower{machine: start()}
		v.followers = append(v.followers, f)
		v.byActor[f.machine.Name()] = f
	}
	return v
}

// Take checks the next event in stream order and lets every decider take it.
// After the first divergence it does nothing.
func (v *Verifier) Take(e *events.Event) {
	switch {
	case v.found != nil:
		return
	case v.open != nil:
		if e.ID == v.open.due {
			v.found = v.open.divergence(true)
		}
		return
	}
	if e.Payload == nil {
		read := *e
		v.registry.Decode(&read)
		e = &read
	}
	if v.opening == nil {
		v.opening = e
	}
	if _, again := v.first[e.ID]; !again {
		v.first[e.ID] = v.n
	}
	if v.found = v.event(v.n, e); v.found == nil && v.open == nil {
		v.n, v.last = v.n+1, e.Seq
	}
}

// End is what [Verify] returns of the events that were taken.
func (v *Verifier) End() (Report, error) {
	if v.open != nil && v.found == nil {
		v.found = v.open.divergence(false)
	}
	r := v.report()
	if v.found == nil {
		v.found = v.end(&r)
	}
	if v.found != nil {
		return r, v.found
	}
	return r, nil
}

// decoded returns the history with every payload decoded: itself where it is
// already.
func decoded(r *events.Registry, history []events.Event) []events.Event {
	for i := range history {
		if history[i].Payload != nil {
			continue
		}
		out := append([]events.Event(nil), history...)
		for j := i; j < len(out); j++ {
			if out[j].Payload == nil {
				r.Decode(&out[j])
			}
		}
		return out
	}
	return history
}

// event checks the event at one position and lets every decider take it.
func (v *Verifier) event(i int, e *events.Event) *Divergence {
	for _, check := range []func(int, *events.Event) *Divergence{v.place, v.identity, v.writer, v.decision, v.ordinal,
		v.attributes, v.content} {
		if d := check(i, e); d != nil || v.open != nil {
			return d
		}
	}
	v.count(e)
	for _, f := range v.followers {
		facts, err := f.machine.Take(e)
		if err != nil {
			code := CodeDecider
			if errors.Is(err, events.ErrNewer) {
				code = CodeNewer
			}
			return at(code, i, e, err.Error())
		}
		f.due = append(f.due, facts...)
	}
	return nil
}

// at returns a divergence whose fault lies in a recorded event.
func at(code Code, i int, e *events.Event, detail string) *Divergence {
	return &Divergence{Code: code, Seq: e.Seq, Position: i, Actor: e.Actor, Cause: e.Cause, Recorded: e, Detail: detail}
}

// decision compares an event of a decider with what is due from it.
func (v *Verifier) decision(i int, e *events.Event) *Divergence {
	f := v.byActor[e.Actor]
	if _, unreadable := e.Payload.(events.Malformed); f == nil || unreadable || v.isNotice(e) {
		return nil // what nobody can read decides nothing, whoever it looks to be from
	}
	if err := v.registry.Knows(e); err != nil {
		return at(CodeNewer, i, e, err.Error())
	}
	want := f.next()
	if want == nil {
		return at(CodeExtra, i, e, intention(e)+" does not follow from any earlier event")
	}
	if detail := differences(want, e); detail != "" {
		m := &misplaced{want: want, due: want.ID, got: e, position: i, detail: detail, owed: f.owes(e.ID)}
		if _, before := v.first[want.ID]; e.ID == want.ID || before {
			return m.divergence(false)
		}
		v.open = m
		return nil
	}
	v.decided[e.Actor]++
	f.pay()
	return nil
}

// misplaced is a recorded decision that is not the one that is due.
type misplaced struct {
	want, got *events.Event
	due       string // id of want
	position  int
	detail    string
	owed      bool // got is due as well, later
}

// divergence returns what is wrong, once it is known whether the decision that
// is due follows on the record.
func (m *misplaced) divergence(follows bool) *Divergence {
	code := CodeDifferent
	switch {
	case m.got.ID == m.due:
	case m.owed && follows:
		code = CodeOrder
	case m.owed:
		code = CodeMissing
	case follows:
		code = CodeExtra
	}
	detail := m.detail
	if code != CodeDifferent {
		detail = intention(m.want) + " is due, but " + intention(m.got) + " is recorded"
	}
	d := at(code, m.position, m.got, detail)
	d.Attempted = m.want
	return d
}

func (v *Verifier) isNotice(e *events.Event) bool {
	d, ok := v.registry.Lookup(e.Type)
	return ok && d.Class == events.Notice
}

func (v *Verifier) count(e *events.Event) {
	switch e.Payload.(type) {
	case events.Malformed:
		v.seen.Malformed++
	case events.SessionClosed:
		v.seen.Closed = true
	}
	if v.isNotice(e) {
		v.seen.Notices++
	}
}

// report returns what was seen of the events that agree.
func (v *Verifier) report() Report {
	r := v.seen
	r.Events = v.n
	if v.opening != nil {
		r.Session = v.opening.Session
	}
	for _, f := range v.followers {
		r.Deciders = append(r.Deciders, Tally{Decider: f.machine.Name(), Decided: v.decided[f.machine.Name()],
			Owed: len(f.owed())})
	}
	return r
}

// end notes what is owed when the record is over.
func (v *Verifier) end(r *Report) *Divergence {
	if v.opening == nil {
		return &Divergence{Code: CodeNotOpened, Detail: "the record is empty"}
	}
	for _, f := range v.followers {
		r.Owed = append(r.Owed, f.owed()...)
	}
	if len(r.Owed) == 0 {
		return nil
	}
	first := &r.Owed[0]
	return &Divergence{Code: CodeOwed, Seq: v.last, Position: v.n, Actor: first.Actor, Cause: first.Cause,
		Attempted: first, Detail: fmt.Sprintf("%d decisions are due at the end, the first is %s", len(r.Owed),
			intention(first))}
}
