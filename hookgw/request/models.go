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
	// Current returns the session of requests without ?session=; empty if there is none.
	Current() string
	// Sessions lists the sessions of the project, oldest first.
	Sessions() []live.Summary
	// Listed returns Current and Sessions as rendered by render, once for each change and shared; a program has one
	// render.
	Listed(render func(current string, all []live.Summary) ([]byte, error)) ([]byte, error)
	// Session returns a view of a session's models; false if there is no such session.
	Session(id string) (*live.View, bool)
	// WaitFor returns once the models have every event up to seq, or when ctx ends.
	WaitFor(ctx context.Context, seq uint64) error
	// Await returns once holds is true of a session's models, or when ctx ends. holds is called after every event, so
	// it must be quick.
	Await(ctx context.Context, session string, holds func(*projections.Set) bool) error
	// Subscribe yields the session's events from sequence from on, decoded, and
	// then each new one as it comes, until ctx ends. An error is the last thing
	// yielded; events.ErrSlow cuts off a reader that fell behind.
	Subscribe(ctx context.Context, session string, from uint64) iter.Seq2[events.Event, error]
	// Err returns why the models are no longer kept current; nil while they are.
	Err() error
}
