package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"manualslop/bus"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/hookgw/asks"
	"manualslop/projections"
	"manualslop/projections/search"
)

// Bus reaches an engine over its bus, or reads the store if no engine is running.
type Bus struct {
	Place  site.Place
	Conns  *site.Connector
	Read   *bus.Conn
	Person *bus.Conn // nil with a reader's credentials, or when the store is read
	Mask   func([]byte) []byte
	Wait   time.Duration // for a decider's answer; zero: reactionWait
}

// OpenBus connects as the user. A reader's credentials allow reading only.
func OpenBus(ctx context.Context, g *site.Flags, p site.Place) (*Bus, error) {
	secrets, err := p.Secrets()
	if err != nil {
		return nil, err
	}
	conns := &site.Connector{Dial: g.DialConfig(p)}
	conns.Dial.Replicas = 0 // accept any number of copies
	if !g.Remote(p) {
		if conns.Server, err = OpenStore(ctx, g, p, site.Reading); err != nil {
			return nil, err
		}
	}
	d := &Bus{Place: p, Conns: conns, Mask: term.NewMask(secrets)}
	if err := d.connect(ctx, g.Remote(p)); err != nil {
		conns.Close()
		return nil, &exit.Error{Code: exit.Failed, Err: err}
	}
	return d, nil
}

func (d *Bus) connect(ctx context.Context, remote bool) (err error) {
	if remote {
		d.Person, err = d.Conns.As(ctx, bus.Role{Kind: bus.Person, Name: d.Place.Person})
		d.Read = d.Person
		if !errors.Is(err, bus.ErrRole) {
			return err
		}
		d.Person = nil
	}
	d.Read, err = d.Conns.As(ctx, bus.Role{Kind: bus.Reader})
	return err
}

func (d *Bus) Close() { d.Conns.Close() }

func (d *Bus) Blobs() events.Blobs { return d.Read }

func (d *Bus) Sessions(ctx context.Context) ([]projections.Summary, string, error) {
	registry := events.Catalogue()
	folds := map[string]*projections.Summarizer{}
	var order []string
	for e, err := range d.Read.Read(ctx, events.Filter{Project: d.Place.Name}, 1, 0) {
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

func (d *Bus) Asks(ctx context.Context, session string) ([]Ask, error) {
	set, err := Folded(ctx, d, session)
	if err != nil {
		return nil, err
	}
	return FoldAsks(set), nil
}

func (d *Bus) Changes(ctx context.Context, session string) (projections.Changes, error) {
	set, err := Folded(ctx, d, session)
	if err != nil {
		return projections.Changes{}, err
	}
	return set.Changes(), nil
}

// errReadOnly means that the connection may only read.
var errReadOnly = errors.New("these credentials are read-only; use your own (person-NAME.json of slop keys)")

// AsPerson ensures a connection with the user's rights, or returns errReadOnly.
func (d *Bus) AsPerson(ctx context.Context) (err error) {
	if d.Person == nil && d.Conns.Server != nil { // the store of this process
		d.Person, err = d.Conns.As(ctx, bus.Role{Kind: bus.Person, Name: d.Place.Person})
		return err
	}
	if d.Person == nil {
		return errReadOnly
	}
	return nil
}

// say publishes an event of the user in a session.
func (d *Bus) say(ctx context.Context, session string, p events.Payload) (uint64, string, error) {
	if err := d.AsPerson(ctx); err != nil {
		return 0, "", err
	}
	v := engine.SessionWriter{Log: d.Person, Project: d.Place.Name, Session: session, Person: d.Place.Person, Mask: d.Mask}
	return v.Publish(ctx, p)
}

func (d *Bus) Answer(ctx context.Context, session string, a Ask, given Answer) (bool, *events.Rule, error) {
	said, err := given.event(a)
	if err != nil {
		return false, nil, err
	}
	rule, err := d.ruleOf(ctx, session, a, given)
	if err == nil {
		err = d.checkStart(ctx, session, a, said)
	}
	if err != nil {
		return false, nil, err
	}
	seq, id, err := d.say(ctx, session, said)
	if err != nil {
		return false, nil, err
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
				return true, &SettledError{Ask: p.Ask, Outcome: p.Outcome, By: p.By, At: p.At}
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
	if err != nil || pending || rule == nil {
		return pending, nil, err
	}
	kept, err := d.addRule(ctx, session, *rule)
	return pending, &kept, err
}

// ruleOf returns the rule that an answer creates, or nil if it creates none.
func (d *Bus) ruleOf(ctx context.Context, session string, a Ask, given Answer) (*events.Rule, error) {
	if given.Rule == nil {
		return nil, nil
	}
	set, err := Folded(ctx, d, session)
	if err != nil {
		return nil, err
	}
	rule, err := engine.RuleOf(set.Settings(), a.AskRaised, given.Rule.Patterns, given.Rule.Scope)
	if err != nil {
		return nil, wrapped{errAnswerRefused, err}
	}
	return &rule, nil
}

// checkStart refuses an answer that starts a ticket with files that do not exist.
func (d *Bus) checkStart(ctx context.Context, session string, a Ask, answer events.AskAnswered) error {
	if a.Gate != events.GateSpawn || len(answer.Args) == 0 {
		return nil
	}
	set, err := Folded(ctx, d, session)
	if err != nil {
		return err
	}
	now := set.Settings()
	err = engine.CheckStart(d.Place, events.SessionOpened{Workspace: now.Workspace, Settings: now.Settings}, a.AskRaised,
		answer)
	if err != nil {
		return wrapped{errAnswerRefused, err}
	}
	return nil
}

// ProposeRule returns the rule that an answer would create, with the wanted patterns or else with proposed ones.
func ProposeRule(ctx context.Context, d Client, session string, a Ask, want RuleWanted) (asks.RulePreview, error) {
	set, err := Folded(ctx, d, session)
	if err != nil {
		return asks.RulePreview{}, err
	}
	return asks.PreviewRule(set.Settings(), asks.Raised(set.OpenAsks()), engine.RuleOf, a.AskRaised, want.Patterns,
		want.Scope)
}

// addRule records a rule after the approval that created it, and returns it as recorded. A rule without a scope
// belongs to the user's configuration.
func (d *Bus) addRule(ctx context.Context, session string, rule events.Rule) (_ events.Rule, err error) {
	if rule.Scope == "" {
		if rule, err = config.KeepRule(rule); err != nil {
			return rule, fmt.Errorf("the approval was recorded, but the rule was not: %w", err)
		}
	}
	_, _, err = d.say(ctx, session, events.RuleAdded{Rule: rule})
	return rule, err
}

// refusal returns the error of an answer that does not count: another one came first, or it is invalid.
func (d *Bus) refusal(ctx context.Context, session string, p events.AnswerRefused) error {
	if p.SettledAt == nil {
		return wrapped{errAnswerRefused, errors.New(p.Reason)}
	}
	out := &SettledError{Ask: p.Ask, Outcome: "settled", By: p.SettledBy, At: *p.SettledAt}
	all, err := d.Asks(ctx, session)
	if err != nil {
		return errors.Join(out, err)
	}
	for _, a := range all {
		if a.RequestID == p.Ask && a.Settled != nil {
			out.Outcome = a.Settled.Outcome
		}
	}
	return out
}

// event returns the answer as a log event. A program behind /api/ask gets the text verbatim.
func (a Answer) event(to Ask) (events.AskAnswered, error) {
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

func (d *Bus) Control(ctx context.Context, session string, want ControlRequest) (bool, error) {
	seq, id, err := d.say(ctx, session, want.Payload)
	if err != nil || want.Reaction == "" { // no decider answers: everybody sees the effect
		return false, err
	}
	pending := true
	err = d.await(ctx, session, events.ActorConductor, seq, func(e *events.Event) (bool, error) {
		if e.Cause != id {
			return false, nil
		}
		pending = false
		if p, refused := e.Payload.(events.ControlRefused); refused {
			return true, wrapped{ErrControlRefused, errors.New(p.Reason)}
		}
		return e.Type == want.Reaction, nil
	})
	return pending, err
}

// await passes see the events that a decider writes in a session after a sequence, until see is done or the wait ends,
// which is not an error.
func (d *Bus) await(ctx context.Context, session, decider string, after uint64, see func(*events.Event) (bool,
	error)) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(d.Wait, reactionWait))
	defer cancel()
	_, feed, err := d.Read.Watch(ctx, events.Filter{Project: d.Place.Name, Session: session, Actor: decider}, after+1)
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

func (d *Bus) Keep(ctx context.Context, session string, want KeepRequest) error {
	_, _, err := d.say(ctx, session, want.Payload)
	return err
}

func (d *Bus) Feed(ctx context.Context, session string, after uint64, filters []subjectPattern,
	follow bool) iter.Seq2[events.Event, error] {
	f := events.Filter{Project: d.Place.Name, Session: session}
	return func(yield func(events.Event, error) bool) {
		stored := d.Read.Read(ctx, f, after+1, 0)
		if follow {
			var err error
			if _, stored, err = d.Read.Watch(ctx, f, after+1); err != nil {
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
	_ Client = (*Bus)(nil)
	_ Client = (*HTTP)(nil)
)

// Search brings the index of the store up to date and searches it. For an external bus it builds the index in memory
// each time.
func (d *Bus) Search(ctx context.Context, text string, page search.Page) (search.Answer, error) {
	q, err := search.Parse(text, time.Now())
	if err != nil {
		return search.Answer{}, err
	}
	x := search.New(search.Options{Log: d.Read, Project: d.Place.Name})
	if d.Conns.Server != nil {
		own, free, err := engine.OpenIndex(d.Place, d.Read, nil, nil)
		if err != nil {
			return search.Answer{}, err
		}
		defer free()
		x = own
	}
	if err := x.Open(ctx); err != nil {
		return search.Answer{}, err
	}
	defer x.Close()
	if err := x.CatchUp(ctx, 0); err != nil {
		return search.Answer{}, err
	}
	return x.Find(ctx, q, page)
}

func (d *Bus) Undo(ctx context.Context, session string, want events.UndoRequested) (*events.ToolSettled, error) {
	seq, id, err := d.say(ctx, session, want)
	if err != nil {
		return nil, err
	}
	var out *events.ToolSettled
	err = d.await(ctx, session, "", seq, func(e *events.Event) (over bool, err error) {
		out, over, err = undoOutcome(e, id)
		return over, err
	})
	return out, err
}

// reactionWait is how long a client waits for a decider to answer.
const reactionWait = 5 * time.Second
