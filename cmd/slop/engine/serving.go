package engine

import (
	"context"
	"errors"

	"manualslop/bus"
	"manualslop/cmd/slop/site"
	"manualslop/events"
)

// Serve starts every role on an engine without roles, with the gateway at listen, and opens a session or resumes the
// newest open one. With yes, asks there are approved.
func (e *Engine) Serve(ctx context.Context, listen string, yes bool) (session string, err error) {
	conn, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Person, Name: e.Person})
	if err != nil {
		return "", err
	}
	if err := e.OpenModels(); err != nil { // they know which sessions are open
		return "", err
	}
	if err := e.HoldToRules(conn, yes); err != nil {
		return "", err
	}
	if err := e.All(ctx, HooksAt(e.Place, listen), false); err != nil {
		return "", err
	}
	if err := e.Hooks.FinishReset(e.Ctx); err != nil {
		return "", err
	}
	err = e.Stats.StartTasks.Do("session", func() error { session, err = e.openOrResume(conn, yes); return err })
	if err != nil {
		return "", err
	}
	e.Stats.StartTasks.Finish()
	remove, err := e.Register(session)
	if err != nil {
		return "", err
	}
	e.Group.Go(func() error { <-e.Ctx.Done(); remove(); return nil })
	return session, nil
}

// openOrResume returns the newest open session, or a new one.
func (e *Engine) openOrResume(conn *bus.Conn, yes bool) (string, error) {
	session, err := e.newestOpen(e.Ctx, conn)
	if err == nil {
		return session, nil
	}
	if !errors.Is(err, errNoOpenSession) {
		return "", err
	}
	v, err := e.OpenSession(e.Ctx, conn, "")
	if err == nil && yes {
		_, _, err = v.Publish(e.Ctx, events.RuleAdded{Rule: site.YesRule()})
	}
	return v.Session, err
}
