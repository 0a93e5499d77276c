package engine

import (
	"context"
	"errors"
	"fmt"

	"manualslop/bus"
	"manualslop/cmd/slop/exit"
	"manualslop/events"
)

// Resume finds the newest open session and its newest goal.
func (e *Engine) Resume(ctx context.Context, conn *bus.Conn) (SessionWriter, string, error) {
	v, err := e.Newest(ctx, conn)
	if err != nil {
		return v, "", err
	}
	goal := ""
	for ev, err := range conn.Read(ctx, events.Filter{Project: e.Name, Session: v.Session,
		Type: events.NameOf[events.GoalSubmitted]()}, 1, 0) {
		if err != nil {
			return v, "", err
		}
		goal = ev.ID
	}
	if goal == "" {
		return v, "", exit.Errorf(exit.Failed, "session %s has no goal to resume; slop chat --resume continues its discussion",
			v.Session)
	}
	return v, goal, nil
}

// Newest writes into the session that was opened last and not closed.
func (e *Engine) Newest(ctx context.Context, conn *bus.Conn) (SessionWriter, error) {
	session, err := e.newestOpen(ctx, conn)
	return SessionWriter{Log: conn, Project: e.Name, Session: session, Person: e.Person, Mask: e.Mask}, err
}

// errNoOpenSession means that no session is open.
var errNoOpenSession = errors.New("no session is open")

// newestOpen returns the session that was opened last and is not closed.
func (e *Engine) newestOpen(ctx context.Context, log events.Log) (string, error) {
	open, err := e.openSessions(ctx, log)
	if err != nil {
		return "", err
	}
	if len(open) == 0 {
		return "", &exit.Error{Code: exit.Failed, Err: fmt.Errorf("%w of project %s", errNoOpenSession, e.Name)}
	}
	return open[len(open)-1], nil
}

// openSessions returns the open sessions, oldest first, from the read models if this process keeps them.
func (e *Engine) openSessions(ctx context.Context, log events.Log) ([]string, error) {
	if e.Live == nil {
		return OpenSessions(ctx, log, e.Name)
	}
	var open []string
	for _, s := range e.Live.Sessions() {
		if !s.Opened.IsZero() && s.Closed == nil {
			open = append(open, s.Session)
		}
	}
	return open, nil
}

// OpenSessions returns the open sessions, oldest first.
func OpenSessions(ctx context.Context, log events.Log, project string) ([]string, error) {
	var open []string
	for _, typ := range []string{events.NameOf[events.SessionOpened](), events.NameOf[events.SessionClosed]()} {
		for e, err := range log.Read(ctx, events.Filter{Project: project, Type: typ}, 1, 0) {
			switch {
			case err != nil:
				return nil, err
			case typ == events.NameOf[events.SessionOpened]():
				open = append(open, e.Session)
			case events.Closes(e):
				open = Without(open, e.Session)
			}
		}
	}
	return open, nil
}

func Without(list []string, s string) []string {
	out := list[:0:0]
	for _, x := range list {
		if x != s {
			out = append(out, x)
		}
	}
	return out
}
