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
	Closed    bool    `json:"closed"` // SessionClosed stands on it
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
	v := newVerifier(history, deciders)
	for i := range v.history {
		if d := v.event(i); d != nil {
			return v.report(i), d
		}
	}
	r := v.report(len(v.history))
	if d := v.end(&r); d != nil {
		return r, d
	}
	return r, nil
}

// verifier is one walk along a record.
type verifier struct {
	history   []events.Event
	registry  *events.Registry
	followers []*follower
	byActor   map[string]*follower
	first     map[string]int // id to the position where it stands first
	checks    checks
	seen      Report
	decided   map[string]int
}

func newVerifier(history []events.Event, deciders []func() *tiers.Machine) *verifier {
	v := &verifier{registry: events.Catalogue(), byActor: map[string]*follower{}, first: make(map[string]int, len(history)),
		checks: newChecks(), decided: map[string]int{}}
	v.history = decoded(v.registry, history)
	for _, start := range deciders {
		f := &follower{machine: start()}
		v.followers = append(v.followers, f)
		v.byActor[f.machine.Name()] = f
	}
	for i := range v.history {
		if _, again := v.first[v.history[i].ID]; !again {
			v.first[v.history[i].ID] = i
		}
	}
	return v
}

// decoded is the history with every payload decoded: itself where it is already.
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
func (v *verifier) event(i int) *Divergence {
	e := &v.history[i]
	for _, check := range []func(int, *events.Event) *Divergence{v.place, v.identity, v.writer, v.decision, v.ordinal, v.attributes, v.content} {
		if d := check(i, e); d != nil {
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

// at is a divergence whose fault lies in a recorded event.
func at(code Code, i int, e *events.Event, detail string) *Divergence {
	return &Divergence{Code: code, Seq: e.Seq, Position: i, Actor: e.Actor, Cause: e.Cause, Recorded: e, Detail: detail}
}

// decision compares an event of a decider with what is due from it.
func (v *verifier) decision(i int, e *events.Event) *Divergence {
	f := v.byActor[e.Actor]
	if _, unreadable := e.Payload.(events.Malformed); f == nil || unreadable || v.isNotice(e) {
		return nil // what nobody can read decides nothing, whoever it looks to be from
	}
	if err := v.registry.Knows(e); err != nil {
		return at(CodeNewer, i, e, err.Error())
	}
	want := f.next()
	if want == nil {
		return at(CodeExtra, i, e, intention(e)+" follows from nothing before it")
	}
	if detail := differences(want, e); detail != "" {
		code := v.misplaced(f, want, e, i)
		if code != CodeDifferent {
			detail = intention(want) + " is due and " + intention(e) + " is recorded"
		}
		d := at(code, i, e, detail)
		d.Attempted = want
		return d
	}
	v.decided[e.Actor]++
	f.pay()
	return nil
}

// misplaced tells why the recorded decision is not the one that is due.
func (v *verifier) misplaced(f *follower, want, got *events.Event, i int) Code {
	later, recorded := v.first[want.ID]
	wantFollows := recorded && later > i
	switch {
	case got.ID == want.ID:
		return CodeDifferent
	case f.owes(got.ID) && wantFollows:
		return CodeOrder
	case f.owes(got.ID):
		return CodeMissing
	case wantFollows:
		return CodeExtra
	}
	return CodeDifferent
}

func (v *verifier) isNotice(e *events.Event) bool {
	d, ok := v.registry.Lookup(e.Type)
	return ok && d.Class == events.Notice
}

func (v *verifier) count(e *events.Event) {
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

// report is what was seen of the first n events.
func (v *verifier) report(n int) Report {
	r := v.seen
	r.Events = n
	if len(v.history) > 0 {
		r.Session = v.history[0].Session
	}
	for _, f := range v.followers {
		r.Deciders = append(r.Deciders, Tally{Decider: f.machine.Name(), Decided: v.decided[f.machine.Name()], Owed: len(f.owed())})
	}
	return r
}

// end notes what is owed when the record is over.
func (v *verifier) end(r *Report) *Divergence {
	if len(v.history) == 0 {
		return &Divergence{Code: CodeNotOpened, Detail: "the record is empty"}
	}
	for _, f := range v.followers {
		r.Owed = append(r.Owed, f.owed()...)
	}
	if len(r.Owed) == 0 {
		return nil
	}
	first := &r.Owed[0]
	return &Divergence{Code: CodeOwed, Seq: v.history[len(v.history)-1].Seq, Position: len(v.history), Actor: first.Actor, Cause: first.Cause,
		Attempted: first, Detail: fmt.Sprintf("%d decisions are due at the end, the first is %s", len(r.Owed), intention(first))}
}
