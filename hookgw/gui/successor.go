package gui

import (
	"context"
	"errors"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
	"manualslop/projections/live"
)

// successor is the session that replaces one that was reset. Its id and those of its first events derive from the task
// that asked for the reset, so any process that completes a reset writes the same events.
type successor struct {
	gw     *core.State
	queued events.Event // the task
	first  int          // how many events followed from the task before
}

func (n successor) session() string {
	return events.DecidedID(n.gw.Person.Actor, n.queued, n.first)
}

// event stamps the i-th event that the session begins with. It has no cause, because a cause must be in the same
// session as its event.
func (n successor) event(i int, p events.Payload) (request.Writer, events.Event, error) {
	w := n.gw.Person
	if _, outcome := p.(events.ProjectLoaded); outcome {
		w = n.gw.Own
	}
	e, err := events.New(events.Origin{
		ID: events.DecidedID(w.Actor, n.queued, n.first+i), Time: n.gw.Cfg.Clock(), Project: n.gw.Cfg.Project,
		Session: n.session(), Actor: w.Actor,
	}, p)
	return w, e, err
}

// begin opens the session, unless another one was opened after the sequence opened, and appends its first events.
func (n successor) begin(ctx context.Context, carried []events.Payload, opened uint64) error {
	g := n.gw
	w, e, err := n.event(0, carried[0])
	if err != nil {
		return err
	}
	e.Seq, err = g.Append(ctx, w, e, &events.Expect{Filter: openings(g.Cfg.Project), Last: opened})
	switch {
	case errors.Is(err, events.ErrConflict), errors.Is(err, events.ErrDuplicate):
		if opened, err = g.Cfg.Log.Last(ctx, events.Filter{Project: g.Cfg.Project, Session: n.session()}); err != nil {
			return err
		}
		if opened == 0 {
			return problem.New(http.StatusConflict, "another session was opened at the same time",
				"GET /api/sessions shows the current one.")
		}
		e.Seq = opened // another gateway is completing the same reset
	case err != nil:
		return err
	}
	if err := g.CaughtUp(ctx, e.Seq); err != nil {
		return err
	}
	return n.complete(ctx, carried)
}

// complete appends the first events that the session still lacks.
func (n successor) complete(ctx context.Context, carried []events.Payload) error {
	missing := map[string]int{}
	for i, p := range carried {
		_, e, err := n.event(i, p)
		if err != nil {
			return err
		}
		missing[e.ID] = i
	}
	for e, err := range n.gw.Cfg.Log.Read(ctx, events.Filter{Project: n.gw.Cfg.Project, Session: n.session()}, 1, 0) {
		if err != nil {
			return err
		}
		if delete(missing, e.ID); len(missing) == 0 {
			return nil
		}
	}
	for i, p := range carried {
		w, e, err := n.event(i, p)
		if err != nil {
			return err
		}
		if _, due := missing[e.ID]; !due {
			continue
		}
		e.Seq, err = n.gw.Append(ctx, w, e, nil)
		if errors.Is(err, events.ErrDuplicate) { // another gateway was faster
			continue
		}
		if err != nil {
			return err
		}
		if err := n.gw.CaughtUp(ctx, e.Seq); err != nil {
			return err
		}
	}
	return nil
}

// FinishReset completes a reset that another process began and did not finish: the session is closed and no other one
// is open, or the other one lacks its tools or project. Otherwise it changes nothing. Call it before any code opens a
// session because none is open.
func FinishReset(ctx context.Context, g *core.State) error {
	select {
	case g.Resets <- struct{}{}:
		defer func() { <-g.Resets }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return finishReset(ctx, g)
}

// finishReset is FinishReset for a caller that holds the reset slot.
func finishReset(ctx context.Context, g *core.State) error {
	opened, err := lastOpened(ctx, g)
	if err != nil {
		return err
	}
	was, now := lastReset(g)
	if was == "" {
		return nil
	}
	next, err := successorOf(ctx, g, was, now)
	if err != nil || next == nil {
		return err
	}
	view, ok := g.Cfg.Models.Session(was)
	if !ok {
		return nil
	}
	var carried []events.Payload
	rerr := view.Read(ctx, func(s *projections.Set) {
		carried, err = inherited(s, freeFolder(g, g.Cfg.Clock(), s.Summary().Label))
	})
	if err := errors.Join(rerr, err); err != nil {
		return err
	}
	if now == "" {
		return next.begin(ctx, carried, opened)
	}
	return next.complete(ctx, carried)
}

// lastOpened returns the sequence of the newest opening, once the read models include it.
func lastOpened(ctx context.Context, g *core.State) (uint64, error) {
	opened, err := g.Cfg.Log.Last(ctx, openings(g.Cfg.Project))
	if err == nil {
		err = g.CaughtUp(ctx, opened)
	}
	return opened, err
}

// lastReset returns the most recently reset session, if that is visible, and the open session that followed it. The
// first is empty if the newest session is unrelated to a reset, the second if no session was opened since.
func lastReset(g *core.State) (was, now string) {
	var opened []live.Summary
	for _, s := range g.Cfg.Models.Sessions() {
		if !s.Opened.IsZero() {
			opened = append(opened, s)
		}
	}
	last := len(opened) - 1
	switch {
	case last >= 0 && opened[last].CloseReason == resetReason:
		return opened[last].Session, ""
	case last >= 1 && opened[last].Closed == nil && opened[last-1].Closed != nil:
		return opened[last-1].Session, opened[last].Session
	}
	return "", ""
}

// mostBefore is the maximum number of events between the task of a reset and the opening of the next session: those
// that close the old session.
const mostBefore = 1

// successorOf returns the successor of a session that was reset: the open one, or the one that the task which closed
// it should have opened. It returns nil if the open session does not come from a reset.
func successorOf(ctx context.Context, g *core.State, was, now string) (*successor, error) {
	f := events.Filter{Project: g.Cfg.Project, Session: was, Type: events.NameOf[events.SessionClosed]()}
	cause := ""
	for e, err := range g.Cfg.Log.Read(ctx, f, 1, 0) {
		if err != nil {
			return nil, err
		}
		if events.Closes(e) {
			cause = e.Cause
			break // the first one counts
		}
	}
	f.Type = events.NameOf[events.GUITaskQueued]()
	for e, err := range g.Cfg.Log.Read(ctx, f, 1, 0) {
		if err != nil {
			return nil, err
		}
		for first := range mostBefore + 1 {
			next := successor{g, e, first}
			if now == "" && e.ID == cause && first == mostBefore || now != "" && next.session() == now {
				return &next, nil
			}
		}
	}
	return nil, nil
}
