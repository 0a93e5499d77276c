package request

import (
	"context"
	"iter"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/live"
)

// Models are the read models as the gateway uses them; *live.Live is one.
type Models interface {
	// Current is the session that a request without ?session= means; empty
	// while there is none.
	Current() string
	// Sessions lists the sessions of the project, oldest first.
	Sessions() []live.Summary
	// Listed is Current and Sessions as render shows them, rendered once for each
	// change and shared; a program has one render.
	Listed(render func(current string, all []live.Summary) ([]byte, error)) ([]byte, error)
	// Session is a view of a session's models; false where there is no such session.
	Session(id string) (*live.View, bool)
	// WaitFor returns once every event up to seq is in the models, or with ctx.
	WaitFor(ctx context.Context, seq uint64) error
	// Await returns once holds is true of a session's models, or with ctx. It is
	// called after every event, so it must be quick.
	Await(ctx context.Context, session string, holds func(*projections.Set) bool) error
	// Subscribe yields the session's events from sequence from on, decoded, and
	// then each new one as it comes, until ctx ends. An error is the last thing
	// yielded; events.ErrSlow cuts off a reader that fell behind.
	Subscribe(ctx context.Context, session string, from uint64) iter.Seq2[events.Event, error]
	// Err is why the models are no longer kept current; nil while they are.
	Err() error
}
