// Package client is what a command needs of an engine: over the Hook API of a
// running engine, over a bus, or from the store itself.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"manualslop/bus"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/search"
)

// Client is an engine, or the record of one, as a client command uses it: through
// the gateway of a running engine, over a bus, or from the store itself.
type Client interface {
	// sessions lists the sessions of the project, oldest first, and which one is
	// current; empty while there is none.
	Sessions(ctx context.Context) (list []projections.Summary, current string, err error)
	// asks lists every ask of a session, settled ones too, in the order raised.
	Asks(ctx context.Context, session string) ([]Ask, error)
	// answer gives the person's answer; errSettled, errAnswerRefused, or
	// pending, where it is on record and nobody has counted it yet.
	Answer(ctx context.Context, session string, a Ask, given Answer) (pending bool, err error)
	// control publishes what the person wants of the conductor; ErrControlRefused,
	// or pending, where the conductor has not answered yet.
	Control(ctx context.Context, session string, want ControlRequest) (pending bool, err error)
	// undo publishes what the person wants undone and waits for what comes of it:
	// the outcome, nil where nobody carried it out yet, or ErrControlRefused.
	Undo(ctx context.Context, session string, want events.UndoRequested) (*events.ToolSettled, error)
	// keep publishes the person's word on the log files of a session.
	Keep(ctx context.Context, session string, want KeepRequest) error
	// search finds words in the events of every session.
	Search(ctx context.Context, text string, page search.Page) (search.Answer, error)
	// feed yields a session's events after a sequence, not decoded: those that
	// are there, and with follow each new one until ctx ends or the engine does.
	Feed(ctx context.Context, session string, after uint64, filters []subjectPattern, follow bool) iter.Seq2[events.Event,
		error]
	// blobs reads bodies that events name.
	Blobs() events.Blobs
	// close gives up what the client holds.
	Close()
}

// Ask is an ask with the id by which it is answered.
type Ask struct {
	RequestID string `json:"request_id"`
	State     string `json:"state"` // pending, settled
	projections.Ask
}

// Answer is what a person says to an ask.
type Answer struct {
	Approved bool            `json:"approved"`
	Args     json.RawMessage `json:"args,omitempty"`
	Reason   string          `json:"reason,omitempty"`
}

// ControlRequest is one thing that a person wants of the conductor.
type ControlRequest struct {
	Action   string
	Reaction string // the type of the last fact by which the conductor agrees
	Payload  events.Payload
}

// KeepRequest is the person's word on log files: a path of the gateway with its
// body, or the event that it makes.
type KeepRequest struct {
	Path    string
	Body    any
	Payload events.Payload
}

// SettledError says that somebody else's answer counted.
type SettledError struct {
	Ask, Outcome, By string
	At               time.Time
}

// Error says who answered and when.
func (e *SettledError) Error() string {
	return fmt.Sprintf("ask %s is settled already: %s by %s at %s (%s ago)", e.Ask, e.Outcome, term.Visible(e.By),
		e.At.Local().Format("15:04:05 on 2006-01-02"), term.Age(time.Since(e.At)))
}

// errAnswerRefused says that an answer does not count; the ask is still open.
var errAnswerRefused = errors.New("the answer was rejected")

// ErrControlRefused says that a control request changed nothing.
var ErrControlRefused = errors.New("nothing was changed")

// Open finds the engine of the data folder, or the bus that was named.
func Open(ctx context.Context, g *site.Flags, p site.Place) (Client, error) {
	if g.Remote(p) {
		return OpenBus(ctx, g, p)
	}
	if err := p.CheckOwner(); err != nil {
		return nil, err
	}
	info, err := site.FindEngine(p.Data)
	var damaged *site.DamagedRunFile
	if errors.As(err, &damaged) {
		g.Notice("%v; no engine runs, so the file is ignored", damaged.Err)
	}
	if err != nil {
		return nil, &exit.Error{Code: exit.Failed, Err: err}
	}
	return NewHTTP(p, info)
}

// OpenRecord is like Open for commands that only read: without an engine
// they open the store themselves. It makes no store where there is none.
func OpenRecord(ctx context.Context, g *site.Flags, p site.Place) (Client, error) {
	d, err := Open(ctx, g, p)
	if !errors.Is(err, site.ErrNoEngine) {
		return d, err
	}
	if !HasStore(p.Data) {
		return nil, exit.Errorf(exit.Failed, "%s has no recorded sessions; start one with `slop run` or `slop demo`", p.Data)
	}
	return OpenBus(ctx, g, p)
}

// OpenStore starts the bus of the data folder for this command alone; nobody
// else can reach it.
func OpenStore(ctx context.Context, g *site.Flags, p site.Place, serves string) (*bus.Server, error) {
	if err := p.Claim(); err != nil {
		return nil, err
	}
	server, err := bus.Open(ctx, bus.Config{
		Dir: p.Data, Project: p.Name, Durability: p.Config.Bus.Durability, MaxBytes: p.Config.Bus.MaxBytes, Serves: serves,
		People: []string{p.Person}, Agents: []string{events.AgentPrefix + "hooks"}, Logger: g.Logger(),
		Repair: g.Repair, Thorough: g.Thorough,
	})
	if err != nil {
		return nil, &exit.Error{Code: exit.Failed, Err: err}
	}
	return server, nil
}

// HasStore tells whether a log was ever kept in the data folder.
func HasStore(data string) bool {
	_, err := os.Stat(filepath.Join(data, "bus"))
	return !errors.Is(err, fs.ErrNotExist) || bus.Rewritten(data)
}

// Pick is the session that a command means: the named one, which may be
// abbreviated, or the current one.
func Pick(ctx context.Context, d Client, word string) (projections.Summary, error) {
	list, current, err := d.Sessions(ctx)
	if err != nil {
		return projections.Summary{}, err
	}
	if word == "" {
		word = current
	}
	if word == "" || len(list) == 0 {
		return projections.Summary{}, exit.Errorf(exit.Failed, "there is no session yet; `slop run GOAL` opens one")
	}
	ids := make([]string, len(list))
	for i, s := range list {
		ids[i] = s.Session
		if s.Folder == word {
			word = s.Session
		}
	}
	id, err := ExpandID("session", word, ids)
	if err != nil {
		return projections.Summary{}, err
	}
	for _, s := range list {
		if s.Session == id {
			return s, nil
		}
	}
	return projections.Summary{}, exit.Errorf(exit.Failed, "there is no session %q", word)
}

// With hands over a client of the engine that runs, and the id of a session
// there, the current one for an empty word.
func With(ctx context.Context, g *site.Flags, word string, f func(d Client, session string) error) error {
	return WithOpened(ctx, g, word, Open, func(d Client, s projections.Summary) error { return f(d, s.Session) })
}

// WithSession hands over a session by its id, an abbreviation or its folder,
// whether or not an engine runs.
func WithSession(ctx context.Context, g *site.Flags, word string, f func(Client, projections.Summary) error) error {
	return WithOpened(ctx, g, word, OpenRecord, f)
}

// WithOpened opens a client, picks a session there, and closes it afterwards.
func WithOpened(ctx context.Context, g *site.Flags, word string, open func(context.Context, *site.Flags,
	site.Place) (Client, error), f func(Client, projections.Summary) error) error {
	p, err := g.Place()
	if err != nil {
		return err
	}
	d, err := open(ctx, g, p)
	if err != nil {
		return err
	}
	defer d.Close()
	s, err := Pick(ctx, d, word)
	if err != nil {
		return err
	}
	return f(d, s)
}

// History reads a whole session as it stands now, decoded.
func History(ctx context.Context, d Client, session string) ([]events.Event, error) {
	var out []events.Event
	for e, err := range HistoryOf(ctx, d, session) {
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// HistoryOf is history, event by event. Where ctx ends before the history does, its
// last error is that of ctx.
func HistoryOf(ctx context.Context, d Client, session string) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		registry := events.Catalogue()
		for e, err := range d.Feed(ctx, session, 0, nil, false) {
			if err == nil {
				registry.Decode(&e)
			}
			if !yield(e, err) {
				return
			}
		}
		if ctx.Err() != nil { // feeds end with it, and say nothing
			yield(events.Event{}, context.Cause(ctx))
		}
	}
}

// FoldAsks lists the asks of a folded session.
func FoldAsks(s *projections.Set) []Ask {
	var out []Ask
	for _, a := range s.Asks() {
		line := Ask{RequestID: a.AskRaised.Ask, State: "pending", Ask: a}
		if !a.Open() {
			line.State = "settled"
		}
		out = append(out, line)
	}
	return out
}

// undoOutcome reads what an event says of the undo with this event id; over
// when it is the last word.
func undoOutcome(e *events.Event, request string) (out *events.ToolSettled, over bool, err error) {
	switch p := e.Payload.(type) {
	case events.UndoRefused:
		if p.Request == request {
			return nil, true, wrapped{ErrControlRefused, errors.New(term.EachVisible(p.Reason))}
		}
	case events.ToolSettled:
		if p.Call != events.UndoCall(request) || p.Outcome == events.ToolInterrupted {
			break
		}
		if p.Outcome != events.ToolDone {
			return nil, true, wrapped{ErrControlRefused, errors.New(term.EachVisible(p.Text))}
		}
		return &p, true, nil
	}
	return nil, false, nil
}
