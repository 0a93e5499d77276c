// Package curation undoes and redoes people's changes to the discussions, the context and the project.
package curation

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/project"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
	"manualslop/projections/undo"
)

// Routes returns the routes that show the history of a session's curation and move through it.
func Routes(g *core.State) []request.Route {
	const group = "Curation"
	of := []request.Parameter{request.SessionParameter()}
	row := func(path, doc string, redo bool) request.Route {
		return request.Route{Method: http.MethodPost, Pattern: "/api/curation" + path, Right: access.RightHuman, Group: group,
			Query: of, Doc: doc, Takes: moveBody{}, Gives: wire.CurationAnswer{}, Body: request.SmallBody,
			Handle: g.In(func(c *core.Call) error { return postMove(c, redo) })}
	}
	return []request.Route{
		{Method: http.MethodGet, Pattern: "/api/curation", Right: access.RightRead, Group: group, Query: of,
			Gives: projections.Curation{}, Doc: "Lists the user's changes to the discussions, the context and the " +
				"project, and which of them were undone: up to 100 steps, the next one to undo or redo first.",
			Handle: g.In(getCuration())},
		row("/undo", "Undoes the user's newest change; what models and tools added stays. 409 if the history is no "+
			"longer at the position in after.", false),
		row("/redo", "Redoes the last undone change, unless something else was changed since.", true),
	}
}

// moveBody is the body of an undo or a redo.
type moveBody struct {
	// After is the position of the history that the user has seen; without it, the current one.
	After *uint64 `json:"after,omitempty"`
}

func getCuration() func(*core.Call) error {
	shown := request.View("curation", func(s *projections.Set) (any, error) { return s.Curation(), nil }, "session",
		"project")
	return func(c *core.Call) error { return c.Show(shown) }
}

func postMove(c *core.Call, redo bool) error {
	var want moveBody
	if err := c.Decode(&want, `{} or {"after": 120}, the position of GET /api/curation`); err != nil {
		return err
	}
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	e, step, err := move(c, session, redo, want.After)
	if err != nil {
		return err
	}
	for _, why := range []request.Refusal{(*projections.Set).DiscussionRefusal, (*projections.Set).ProjectRefusal} {
		if err := c.Counts(session, e.ID, why); err != nil {
			return err
		}
	}
	var preset string
	if err := c.Read(session, func(s *projections.Set) { preset = s.Tracking().Selected }); err != nil {
		return err
	}
	if c.Gw.Cfg.ProjectFiles != nil {
		if err := project.Retrack(c.Request.Context(), c.Gw, session, preset); err != nil {
			return err
		}
	}
	return c.Reply(http.StatusOK, wire.CurationAnswer{Status: "ok", Step: step, Position: e.Seq})
}

// move appends an undo or a redo on condition that the history has not changed since the client read it. Unrelated
// events of the session do not matter.
func move(c *core.Call, session string, redo bool, after *uint64) (e events.Event, step undo.Info, err error) {
	ctx, cancel := context.WithTimeout(c.Request.Context(), c.Gw.Cfg.Limits.SettleWait)
	defer cancel()
	all := events.Filter{Project: c.Gw.Cfg.Project, Session: session}
	for {
		var p events.CurationRestored
		var at, last uint64
		known := false
		if err := c.Read(session, func(s *projections.Set) {
			at, last = s.Curation().Position, s.Seq()
			p, step, known = s.Restoring(redo)
		}); err != nil {
			return e, step, err
		}
		switch {
		case after != nil && at != *after:
			return e, step, problem.New(http.StatusConflict, fmt.Sprintf("the history is at position %d, not at %d: something "+
				"was changed, undone or redone", at, *after), fmt.Sprintf(
				`Nothing was changed. GET /api/curation shows the steps; to continue anyway, send {"after": %d}.`, at))
		case !known:
			return e, step, problem.New(http.StatusConflict, "nothing to "+map[bool]string{false: "undo",
				true: "redo"}[redo], fmt.Sprintf("The user's last %d changes can be undone, and redone until "+
				"something else is changed; GET /api/curation lists them.", undo.MaxSteps))
		}
		after = &at
		if e, err = c.Stamp(c.Gw.Person, session, p); err != nil {
			return e, step, err
		}
		e.Seq, err = c.Gw.Append(ctx, c.Gw.Person, e, &events.Expect{Filter: all, Last: last})
		if err == nil {
			c.Wrote = true
			return e, step, c.Gw.CaughtUp(ctx, e.Seq)
		}
		if !errors.Is(err, events.ErrConflict) || ctx.Err() != nil {
			return e, step, err
		}
		if last, err = c.Gw.Cfg.Log.Last(ctx, all); err == nil {
			err = c.Gw.CaughtUp(ctx, last)
		}
		if err != nil {
			return e, step, err
		}
	}
}
