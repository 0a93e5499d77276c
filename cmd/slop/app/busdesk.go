package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/projections"
)

// busDesk reaches an engine over its bus, or reads the store of one that does
// not run.
type busDesk struct {
	place  place
	conns  *connector
	read   *bus.Conn
	person *bus.Conn // nil where the credentials are a reader's, or the store is read
	mask   func([]byte) []byte
	wait   time.Duration // for a decider's answer; zero: reactionWait
}

// openBusDesk connects as the person. Credentials of a reader are enough to look.
func (g *globals) openBusDesk(ctx context.Context, p place) (*busDesk, error) {
	secrets, err := p.secrets()
	if err != nil {
		return nil, err
	}
	conns := &connector{dial: g.dialConfig(p)}
	conns.dial.Replicas = 0 // whatever is there
	if !g.remote(p) {
		if conns.server, err = g.openStore(ctx, p, "slop, reading"); err != nil {
			return nil, err
		}
	}
	d := &busDesk{place: p, conns: conns, mask: newMask(secrets)}
	if err := d.connect(ctx, g.remote(p)); err != nil {
		conns.close()
		return nil, &exitError{code: exitFailed, err: err}
	}
	return d, nil
}

func (d *busDesk) connect(ctx context.Context, remote bool) (err error) {
	if remote {
		d.person, err = d.conns.as(ctx, bus.Role{Kind: bus.Person, Name: d.place.person})
		d.read = d.person
		if !errors.Is(err, bus.ErrRole) {
			return err
		}
		d.person = nil
	}
	d.read, err = d.conns.as(ctx, bus.Role{Kind: bus.Reader})
	return err
}

func (d *busDesk) close() { d.conns.close() }

func (d *busDesk) blobs() events.Blobs { return d.read }

func (d *busDesk) sessions(ctx context.Context) ([]projections.Summary, string, error) {
	registry := events.Catalogue()
	folds := map[string]*projections.Summarizer{}
	var order []string
	for e, err := range d.read.Read(ctx, events.Filter{Project: d.place.name}, 1, 0) {
		if err != nil {
			return nil, "", err
		}
		if !projections.Summarizes(e.Type) {
			continue
		}
		fold, known := folds[e.Session]
		if !known {
			fold = &projections.Summarizer{}
			folds[e.Session] = fold
			order = append(order, e.Session)
		}
		registry.Decode(&e)
		fold.Apply(&e)
	}
	list := make([]projections.Summary, len(order))
	current := ""
	for i, id := range order {
		list[i] = folds[id].Summary()
		current = id
	}
	return list, current, nil
}

func (d *busDesk) asks(ctx context.Context, session string) ([]askLine, error) {
	past, err := history(ctx, d, session)
	if err != nil {
		return nil, err
	}
	set := projections.NewSet()
	for i := range past {
		set.Apply(&past[i])
	}
	return foldAsks(set), nil
}

// errReadOnly says that the connection may look and nothing else.
var errReadOnly = errors.New("these credentials only read; use those of a person (person-NAME.json of slop keys)")

// asPerson makes sure that there is a connection with the person's rights;
// errReadOnly.
func (d *busDesk) asPerson(ctx context.Context) (err error) {
	if d.person == nil && d.conns.server != nil { // our own store
		d.person, err = d.conns.as(ctx, bus.Role{Kind: bus.Person, Name: d.place.person})
		return err
	}
	if d.person == nil {
		return errReadOnly
	}
	return nil
}

// say publishes the person's word in a session.
func (d *busDesk) say(ctx context.Context, session string, p events.Payload) (uint64, string, error) {
	if err := d.asPerson(ctx); err != nil {
		return 0, "", err
	}
	v := voice{log: d.person, project: d.place.name, session: session, person: d.place.person, mask: d.mask}
	return v.say(ctx, p)
}

func (d *busDesk) answer(ctx context.Context, session string, a askLine, given answer) (bool, error) {
	said, err := given.event(a)
	if err != nil {
		return false, err
	}
	seq, id, err := d.say(ctx, session, said)
	if err != nil {
		return false, err
	}
	pending := true
	err = d.await(ctx, session, events.ActorApproval, seq, func(e *events.Event) (bool, error) {
		switch p := e.Payload.(type) {
		case events.AskSettled:
			if p.Ask != a.RequestID {
				return false, nil
			}
			pending = false
			if p.AnswerID != id {
				return true, &settledError{ask: p.Ask, outcome: p.Outcome, by: p.By, at: p.At}
			}
			return true, nil
		case events.AnswerRefused:
			if p.AnswerID != id {
				return false, nil
			}
			return true, d.refusal(ctx, session, p)
		}
		return false, nil
	})
	return pending, err
}

// refusal says why an answer does not count: somebody was first, or it is no
// valid one.
func (d *busDesk) refusal(ctx context.Context, session string, p events.AnswerRefused) error {
	if p.SettledAt == nil {
		return wrapped{errAnswerRefused, errors.New(p.Reason)}
	}
	out := &settledError{ask: p.Ask, outcome: "settled", by: p.SettledBy, at: *p.SettledAt}
	all, err := d.asks(ctx, session)
	if err != nil {
		return errors.Join(out, err)
	}
	for _, a := range all {
		if a.RequestID == p.Ask && a.Settled != nil {
			out.outcome = a.Settled.Outcome
		}
	}
	return out
}

// event is the answer as the log holds it. A program behind /api/ask gets what
// was said verbatim.
func (a answer) event(to askLine) (events.AskAnswered, error) {
	out := events.AskAnswered{Ask: to.RequestID, Decision: events.No, Reason: a.Reason}
	if a.Approved {
		out.Decision, out.Args = events.Yes, a.Args
	}
	if to.Gate != events.GateHTTP {
		return out, nil
	}
	response, err := json.Marshal(a)
	out.Args, out.Response = nil, response
	return out, err
}

func (d *busDesk) control(ctx context.Context, session string, want controlRequest) (bool, error) {
	seq, id, err := d.say(ctx, session, want.payload)
	if err != nil || want.reaction == "" {
		return false, err
	}
	if want.reaction == "" { // nobody answers: what follows is for everybody to see
		return false, nil
	}
	pending := true
	err = d.await(ctx, session, events.ActorConductor, seq, func(e *events.Event) (bool, error) {
		if e.Cause != id {
			return false, nil
		}
		pending = false
		if p, refused := e.Payload.(events.ControlRefused); refused {
			return true, wrapped{errControlRefused, errors.New(p.Reason)}
		}
		return e.Type == want.reaction, nil
	})
	return pending, err
}

// await shows see what a decider writes in a session behind a sequence, until
// see has what it wants or the wait is over, which is no error.
func (d *busDesk) await(ctx context.Context, session, decider string, after uint64, see func(*events.Event) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(d.wait, reactionWait))
	defer cancel()
	_, feed, err := d.read.Watch(ctx, events.Filter{Project: d.place.name, Session: session, Actor: decider}, after+1)
	if err != nil {
		return err
	}
	registry := events.Catalogue()
	for e, err := range feed {
		if err != nil {
			return err
		}
		registry.Decode(&e)
		if over, err := see(&e); over || err != nil {
			return err
		}
	}
	return nil
}

func (d *busDesk) keep(ctx context.Context, session string, want keepRequest) error {
	_, _, err := d.say(ctx, session, want.payload)
	return err
}

func (d *busDesk) feed(ctx context.Context, session string, after uint64, filters []subjectPattern, follow bool) iter.Seq2[events.Event, error] {
	f := events.Filter{Project: d.place.name, Session: session}
	return func(yield func(events.Event, error) bool) {
		stored := d.read.Read(ctx, f, after+1, 0)
		if follow {
			var err error
			if _, stored, err = d.read.Watch(ctx, f, after+1); err != nil {
				yield(events.Event{}, err)
				return
			}
		}
		for e, err := range stored {
			if err == nil && !selected(filters, &e) {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

var (
	_ desk = (*busDesk)(nil)
	_ desk = (*apiDesk)(nil)
)
