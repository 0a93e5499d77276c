package replay

import (
	"errors"
	"fmt"

	"manualslop/events"
	"manualslop/tiers"
)

// Tally counts the decisions of one decider.
type Tally struct {
	Decider string `json:"decider"`
	Decided int    `json:"decided"` // decisions that follow from the record and are in it
	Owed    int    `json:"owed"`    // decisions that follow from it but are missing
}

// Report describes the record up to the divergence, or the whole record.
type Report struct {
	Session   string  `json:"session"`
	Events    int     `json:"events"`    // number of checked events
	Malformed int     `json:"malformed"` // events without effect
	Notices   int     `json:"notices"`
	Closed    bool    `json:"closed"` // SessionClosed is in the record
	Deciders  []Tally `json:"deciders"`
	// Owed are decisions that are due at the end, grouped by decider, each in order.
	Owed []events.Event `json:"owed,omitempty"`
}

// Verify checks the whole history of one session, in stream order, against deciders, which are given as functions
// that start them ([Deciders] returns all). The error is nil or a *[Divergence], the first one in stream order. A
// history with decisions that are still due at the end is also a divergence (CodeOwed), which the caller must
// judge, because a running session has such decisions until it is quiet. Payloads that are not yet decoded are
// decoded on a copy; the history is never changed.
func Verify(history []events.Event, deciders ...func() *tiers.Machine) (Report, error) {
	v := NewVerifier(deciders...)
	for i := range history {
		if v.Take(&history[i]); v.found != nil {
			break
		}
	}
	return v.End()
}

// Verifier is [Verify] for a history that is read event by event. It keeps only what later events must agree with.
type Verifier struct {
	n         int           // number of events taken
	opening   *events.Event // the first event
	last      uint64        // sequence of the newest event
	registry  *events.Registry
	followers []*follower
	byActor   map[string]*follower
	first     map[string]int // position of the first event with an id
	checks    checks
	seen      Report
	decided   map[string]int

	found *Divergence
	open  *misplaced // a divergence whose code depends on later events
}

// NewVerifier returns a Verifier for deciders, which are given as functions that start them.
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

// Take checks the next event in stream order and passes it to every decider. After the first divergence it does
// nothing.
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

// End returns the result of [Verify] for the events taken so far.
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

// decoded returns the history with every payload decoded. It returns the history itself if that is already the case.
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

// event checks the event at one position and passes it to every decider.
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

// at returns a divergence that a recorded event causes.
func at(code Code, i int, e *events.Event, detail string) *Divergence {
	return &Divergence{Code: code, Seq: e.Seq, Position: i, Actor: e.Actor, Cause: e.Cause, Recorded: e, Detail: detail}
}

// decision compares a decider's event with the decision that is due.
func (v *Verifier) decision(i int, e *events.Event) *Divergence {
	f := v.byActor[e.Actor]
	if _, unreadable := e.Payload.(events.Malformed); f == nil || unreadable || v.isNotice(e) {
		return nil // an unreadable event decides nothing, whoever its author seems to be
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

// misplaced is a recorded decision other than the one that is due.
type misplaced struct {
	want, got *events.Event
	due       string // id of want
	position  int
	detail    string
	owed      bool // got is also due, later
}

// divergence returns the divergence, once it is known whether the due decision follows in the record.
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

// report returns the counts for the events that agree with the record.
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

// end adds the decisions that are due at the end of the record.
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
