// Package client gives commands access to an engine: over the Hook API of a running engine, over a bus, or from the
// store itself.
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
	"strings"
	"time"

	"manualslop/bus"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/cmd/slop/version"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/search"
)

// Client is an engine, or the record of one, as the commands use it: through the gateway of a running engine, over a
// bus, or from the store itself.
type Client interface {
	// Sessions lists the sessions of the project, oldest first, and returns the id of the current one; empty if there
	// is none.
	Sessions(ctx context.Context) (list []projections.Summary, current string, err error)
	// Asks lists every ask of a session, settled ones too, in the order raised.
	Asks(ctx context.Context, session string) ([]Ask, error)
	// Answer sends the user's answer. It returns a *SettledError, errAnswerRefused, or pending if the answer is
	// recorded but not settled yet. The rule is the one that was recorded with it.
	Answer(ctx context.Context, session string, a Ask, given Answer) (pending bool, made *events.Rule, err error)
	// Control sends a control request to the conductor. It returns ErrControlRefused, or pending if the conductor has
	// not answered yet.
	Control(ctx context.Context, session string, want ControlRequest) (pending bool, err error)
	// Undo requests an undo and waits for its outcome: nil if no worker has carried it out yet. The error may be
	// ErrControlRefused.
	Undo(ctx context.Context, session string, want events.UndoRequested) (*events.ToolSettled, error)
	// Changes lists the files that the calls of a session changed.
	Changes(ctx context.Context, session string) (projections.Changes, error)
	// Keep records what a user keeps: the log files of a session, or a file as calls left it.
	Keep(ctx context.Context, session string, want KeepRequest) error
	// Search finds words in the events of every session.
	Search(ctx context.Context, text string, page search.Page) (search.Answer, error)
	// Feed yields a session's events after a sequence, not decoded: the recorded ones, and with follow each new one
	// until ctx or the engine ends.
	Feed(ctx context.Context, session string, after uint64, filters []subjectPattern, follow bool) iter.Seq2[events.Event,
		error]
	// Blobs reads bodies that events name.
	Blobs() events.Blobs
	// Close releases what the client holds.
	Close()
}

// Ask is an ask with the id by which it is answered.
type Ask struct {
	RequestID string `json:"request_id"`
	State     string `json:"state"` // pending, settled
	projections.Ask
}

// Answer is a user's answer to an ask.
type Answer struct {
	Approved bool            `json:"approved"`
	Args     json.RawMessage `json:"args,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Rule     *RuleWanted     `json:"rule,omitempty"`
}

// RuleWanted is the rule that an approval creates: its patterns (none: every call of the tool), and its scope:
// ticket, session or config.
type RuleWanted struct {
	Patterns []string `json:"patterns"`
	Scope    string   `json:"scope,omitempty"` // empty: session
}

// ControlRequest is a user's request to the conductor.
type ControlRequest struct {
	Action   string
	Reaction string // the type of the last event by which the conductor accepts it
	Payload  events.Payload
}

// KeepRequest asks to keep or release log files, or to accept a changed file: a path of the gateway with its body, or
// the event for it.
type KeepRequest struct {
	Path    string
	Body    any
	Payload events.Payload
}

// SettledError means that another answer counted.
type SettledError struct {
	Ask, Outcome, By string
	At               time.Time
}

// Error returns who answered and when.
func (e *SettledError) Error() string {
	return fmt.Sprintf("ask %s is already settled: %s by %s at %s (%s ago)", e.Ask, e.Outcome, term.Visible(e.By),
		e.At.Local().Format("15:04:05 on 2006-01-02"), term.Age(time.Since(e.At)))
}

// errAnswerRefused means that an answer does not count and the ask is still open.
var errAnswerRefused = errors.New("the answer was rejected")

// ErrControlRefused means that a control request changed nothing.
var ErrControlRefused = errors.New("nothing was changed")

// Open connects to the engine of the data folder, or to the bus that the flags name.
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
		g.Notice("%v; no engine is running, so the file is ignored", damaged.Err)
	}
	if err != nil {
		return nil, &exit.Error{Code: exit.Failed, Err: err}
	}
	return NewHTTP(p, info)
}

// OpenRecord is like Open for commands that only read: without an engine they open the store themselves. It does not
// create a store.
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

// OpenStore starts the bus of the data folder for this command alone; no other process can reach it.
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

// HasStore reports whether the data folder has a log.
func HasStore(data string) bool {
	_, err := os.Stat(filepath.Join(data, "bus"))
	return !errors.Is(err, fs.ErrNotExist) || bus.Rewritten(data)
}

// Pick returns the session that word names, which may be an abbreviation; for an empty word, the current one.
func Pick(ctx context.Context, d Client, word string) (projections.Summary, error) {
	list, current, err := d.Sessions(ctx)
	if err != nil {
		return projections.Summary{}, err
	}
	if word == "" {
		word = current
	}
	if word == "" || len(list) == 0 {
		return projections.Summary{}, exit.Errorf(exit.Failed, "no sessions yet; `slop run GOAL` opens one")
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
	return projections.Summary{}, exit.Errorf(exit.Failed, "no session %q", word)
}

// With calls f with a client of the running engine and the id of a session there; for an empty word, the current one.
func With(ctx context.Context, g *site.Flags, word string, f func(d Client, session string) error) error {
	return WithOpened(ctx, g, word, Open, func(d Client, s projections.Summary) error { return f(d, s.Session) })
}

// WithSession calls f with a session found by its id, an abbreviation or its folder, whether or not an engine is
// running.
func WithSession(ctx context.Context, g *site.Flags, word string, f func(Client, projections.Summary) error) error {
	return WithOpened(ctx, g, word, OpenRecord, f)
}

// OpenSameVersion opens a client of the running engine, which must have this program's version: an older one would
// take an approval with a rule for a rejection.
func OpenSameVersion(ctx context.Context, g *site.Flags, p site.Place) (Client, error) {
	d, err := Open(ctx, g, p)
	if err != nil {
		return nil, err
	}
	over, is := d.(*HTTP)
	if !is {
		return d, nil
	}
	runs, err := over.Version(ctx)
	own := version.ReadInfo().Version
	if words := strings.Fields(runs); err == nil && (len(words) < 2 || words[1] != own) {
		err = exit.Errorf(exit.Failed, "the engine on %s runs %s, and this is slop %s: use that version, or restart the "+
			"engine with this one", p.Data, term.Visible(runs), own)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
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

// History reads and decodes a whole session up to now.
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

// HistoryOf yields the events of History one by one. If ctx ends before the history does, its last error is that of
// ctx.
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
		if ctx.Err() != nil { // feeds end with it without an error
			yield(events.Event{}, context.Cause(ctx))
		}
	}
}

// Folded returns the read models of a session.
func Folded(ctx context.Context, d Client, session string) (*projections.Set, error) {
	set := projections.NewSet()
	for e, err := range HistoryOf(ctx, d, session) {
		if err != nil {
			return nil, exit.Errorf(exit.Failed, "read session %s: %w", session, err)
		}
		set.Apply(&e)
	}
	return set, nil
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

// undoOutcome reads what an event says about the undo with this event id. over is true if no other event will follow.
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
