package app

import (
	"context"
	"iter"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/live"
)

// hookModels gives the gateway its read models.
type hookModels struct {
	ctx  context.Context
	live *live.Live
}

// Current is the session that a request without ?session= means.
func (m hookModels) Current() string { return m.live.Current() }

// Sessions lists the sessions, oldest first.
func (m hookModels) Sessions() []projections.Summary {
	all := m.live.Sessions()
	out := make([]projections.Summary, len(all))
	for i, s := range all {
		out[i] = s.Summary
	}
	return out
}

// Read shows f one consistent state of a session.
func (m hookModels) Read(session string, f func(*projections.Set)) bool {
	view, ok := m.live.Session(session)
	return ok && view.Read(m.ctx, f) == nil
}

// WaitFor returns once every event up to seq is in the models.
func (m hookModels) WaitFor(ctx context.Context, seq uint64) error { return m.live.WaitFor(ctx, seq) }

// Subscribe yields a session's events, replayed and then live.
func (m hookModels) Subscribe(ctx context.Context, session string, from uint64) iter.Seq2[events.Event, error] {
	return m.live.Subscribe(ctx, session, from)
}
