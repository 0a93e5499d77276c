package app

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
	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/search"
)

// desk is an engine, or the record of one, as a client command uses it: through
// the gateway of a running engine, over a bus, or from the store itself.
type desk interface {
	// sessions lists the sessions of the project, oldest first, and which one is
	// current; empty while there is none.
	sessions(ctx context.Context) (list []projections.Summary, current string, err error)
	// asks lists every ask of a session, settled ones too, in the order raised.
	asks(ctx context.Context, session string) ([]askLine, error)
	// answer gives the person's answer; errSettled, errAnswerRefused, or
	// pending, where it is on record and nobody has counted it yet.
	answer(ctx context.Context, session string, a askLine, given answer) (pending bool, err error)
	// control publishes what the person wants of the conductor; errControlRefused,
	// or pending, where the conductor has not answered yet.
	control(ctx context.Context, session string, want controlRequest) (pending bool, err error)
	// undo publishes what the person wants undone and waits for what comes of it:
	// the outcome, nil where nobody carried it out yet, or errControlRefused.
	undo(ctx context.Context, session string, want events.UndoRequested) (*events.ToolSettled, error)
	// keep publishes the person's word on the log files of a session.
	keep(ctx context.Context, session string, want keepRequest) error
	// search finds words in the events of every session.
	search(ctx context.Context, text string, page search.Page) (search.Answer, error)
	// feed yields a session's events after a sequence, not decoded: those that
	// are there, and with follow each new one until ctx ends or the engine does.
	feed(ctx context.Context, session string, after uint64, filters []subjectPattern, follow bool) iter.Seq2[events.Event, error]
	// blobs reads bodies that events name.
	blobs() events.Blobs
	// close gives up what the desk holds.
	close()
}

// askLine is an ask with the id by which it is answered.
type askLine struct {
	RequestID string `json:"request_id"`
	State     string `json:"state"` // pending, settled
	projections.Ask
}

// answer is what a person says to an ask.
type answer struct {
	Approved bool            `json:"approved"`
	Args     json.RawMessage `json:"args,omitempty"`
	Reason   string          `json:"reason,omitempty"`
}

// controlRequest is one thing that a person wants of the conductor.
type controlRequest struct {
	action   string
	reaction string // the type of the last fact by which the conductor agrees
	payload  events.Payload
}

// keepRequest is the person's word on log files: a path of the gateway with its
// body, or the event that it makes.
type keepRequest struct {
	path    string
	body    any
	payload events.Payload
}

// settledError says that somebody else's answer counted.
type settledError struct {
	ask, outcome, by string
	at               time.Time
}

// Error says who answered and when.
func (e *settledError) Error() string {
	return fmt.Sprintf("ask %s is settled already: %s by %s at %s (%s ago)", e.ask, e.outcome, visible(e.by),
		e.at.Local().Format("15:04:05 on 2006-01-02"), age(time.Since(e.at)))
}

// errAnswerRefused says that an answer does not count; the ask is still open.
var errAnswerRefused = errors.New("the answer does not count")

// errControlRefused says that a control request changed nothing.
var errControlRefused = errors.New("nothing was changed")

// reactionWait is how long a client waits for a decider to answer.
const reactionWait = 5 * time.Second

// openDesk finds the engine of the data folder, or the bus that was named.
func (g *globals) openDesk(ctx context.Context, p place) (desk, error) {
	if g.remote(p) {
		return g.openBusDesk(ctx, p)
	}
	if err := p.checkOwner(); err != nil {
		return nil, err
	}
	info, err := findEngine(p.data)
	var damaged *damagedRunFile
	if errors.As(err, &damaged) {
		g.notice("%v; as no engine runs, it does not count", damaged.err)
	}
	if err != nil {
		return nil, &exitError{code: exitFailed, err: err}
	}
	return newAPIDesk(p, info)
}

// openRecord is like openDesk for commands that only read: without an engine
// they open the store themselves. It makes no store where there is none.
func (g *globals) openRecord(ctx context.Context, p place) (desk, error) {
	d, err := g.openDesk(ctx, p)
	if !errors.Is(err, errNoEngine) {
		return d, err
	}
	if !hasStore(p.data) {
		return nil, failed(exitFailed, "%s holds no record; `slop run` or `slop demo` makes one", p.data)
	}
	return g.openBusDesk(ctx, p)
}

// openStore starts the bus of the data folder for this command alone; nobody
// else can reach it.
func (g *globals) openStore(ctx context.Context, p place, serves string) (*bus.Server, error) {
	if err := p.claim(); err != nil {
		return nil, err
	}
	server, err := bus.Open(ctx, bus.Config{
		Dir: p.data, Project: p.name, Durability: p.config.Bus.Durability, MaxBytes: p.config.Bus.MaxBytes, Serves: serves,
		People: []string{p.person}, Agents: []string{events.AgentPrefix + "hooks"}, Logger: g.logger(),
		Repair: g.repair, Thorough: g.thorough,
	})
	if err != nil {
		return nil, &exitError{code: exitFailed, err: err}
	}
	return server, nil
}

// hasStore tells whether a log was ever kept in the data folder.
func hasStore(data string) bool {
	_, err := os.Stat(filepath.Join(data, "bus"))
	return !errors.Is(err, fs.ErrNotExist) || bus.Rewritten(data)
}

// pickSession is the session that a command means: the named one, which may be
// abbreviated, or the current one.
func pickSession(ctx context.Context, d desk, word string) (projections.Summary, error) {
	list, current, err := d.sessions(ctx)
	if err != nil {
		return projections.Summary{}, err
	}
	if word == "" {
		word = current
	}
	if word == "" || len(list) == 0 {
		return projections.Summary{}, failed(exitFailed, "there is no session yet; `slop run GOAL` opens one")
	}
	ids := make([]string, len(list))
	for i, s := range list {
		ids[i] = s.Session
		if s.Folder == word {
			word = s.Session
		}
	}
	id, err := expandID("session", word, ids)
	if err != nil {
		return projections.Summary{}, err
	}
	for _, s := range list {
		if s.Session == id {
			return s, nil
		}
	}
	return projections.Summary{}, failed(exitFailed, "there is no session %q", word)
}

// withDesk hands over the desk of the engine that runs, and the id of a session
// there, the current one for an empty word.
func (g *globals) withDesk(ctx context.Context, word string, f func(d desk, session string) error) error {
	return g.withOpened(ctx, word, g.openDesk, func(d desk, s projections.Summary) error { return f(d, s.Session) })
}

// withPicked hands over a session by its id, an abbreviation or its folder,
// whether or not an engine runs.
func (g *globals) withPicked(ctx context.Context, word string, f func(desk, projections.Summary) error) error {
	return g.withOpened(ctx, word, g.openRecord, f)
}

// withOpened opens a desk, picks a session there, and closes it afterwards.
func (g *globals) withOpened(ctx context.Context, word string, open func(context.Context, place) (desk, error), f func(desk, projections.Summary) error) error {
	p, err := g.place()
	if err != nil {
		return err
	}
	d, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer d.close()
	s, err := pickSession(ctx, d, word)
	if err != nil {
		return err
	}
	return f(d, s)
}

// history reads a whole session as it stands now, decoded.
func history(ctx context.Context, d desk, session string) ([]events.Event, error) {
	var out []events.Event
	for e, err := range historyOf(ctx, d, session) {
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// historyOf is history, event by event.
func historyOf(ctx context.Context, d desk, session string) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		registry := events.Catalogue()
		for e, err := range d.feed(ctx, session, 0, nil, false) {
			if err == nil {
				registry.Decode(&e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// foldAsks lists the asks of a folded session.
func foldAsks(s *projections.Set) []askLine {
	var out []askLine
	for _, a := range s.Asks() {
		line := askLine{RequestID: a.AskRaised.Ask, State: "pending", Ask: a}
		if !a.Open() {
			line.State = "settled"
		}
		out = append(out, line)
	}
	return out
}
