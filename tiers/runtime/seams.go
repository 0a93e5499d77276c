// Package runtime is the impure edge around the deciders: it carries events to
// them and their facts to the log, calls models, runs tools, rereads files and
// watches clocks. It decides nothing.
//
// # Contract
//
//   - One [Reader] per process follows the stream and fans out to the parts
//     that asked; no part opens a consumer of its own.
//   - A [Handler] is one decider on one session. Running and restarting are one
//     procedure: foreign events in stream order, each with its full list of
//     facts; what is on the log is skipped, what is missing at the tail is
//     appended, anything else stalls the session with a reason.
//   - Each effect carries the id of the fact that caused it and settles once.
//     Whoever dies at any line is replaced by reading the log again.
//   - A call that changes something takes its claim before it acts. A claimed
//     call without an outcome is never silently run again.
//
// The package knows no bus: the seams below are what it needs of one.
package runtime

import (
	"context"
	"encoding/json"
	"time"

	"manualslop/events"
	"manualslop/tools"
)

// Queue delivers work that is kept alive until it is handled.
type Queue interface {
	// Work takes deliveries of a pool, at most slots at once, until ctx ends. A
	// handle that returns nil acknowledges; an error releases the work, and an
	// [events.NotBeforeError] postpones it until its time.
	Work(ctx context.Context, pool string, slots int, handle func(context.Context, events.Delivery) error) error
}

// Claims is the store of leases on calls that change something.
type Claims interface {
	// CreateClaim stores value under key; events.ErrClaimed if there is a claim.
	CreateClaim(ctx context.Context, key string, value []byte) (revision uint64, err error)
	// Claim returns a claim and its revision; events.ErrNoKey if there is none.
	Claim(ctx context.Context, key string) (value []byte, revision uint64, err error)
	// UpdateClaim replaces the claim at revision; events.ErrConflict if it changed.
	UpdateClaim(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)
	// PurgeClaim removes the claim unless it changed since revision.
	PurgeClaim(ctx context.Context, key string, revision uint64) error
	// ClaimKeys lists the keys of all projects' claims.
	ClaimKeys(ctx context.Context) ([]string, error)
}

// OwnLog is a log that can find the newest event under a filter. A worker may
// read its own events, the outcomes of calls, and what closes a session.
type OwnLog interface {
	events.Log
	// LastEvent is the newest event under f; false if there is none.
	LastEvent(ctx context.Context, f events.Filter) (events.Event, bool, error)
}

// Peers reports what other processes are doing.
type Peers interface {
	// Holds reports whether a process of an actor is connected and working on an
	// event.
	Holds(ctx context.Context, project, actor, process string, seq uint64) (bool, error)
	// Gone reports whether a process of an actor has ended; false if it is unknown.
	Gone(ctx context.Context, project, actor, process string) (bool, error)
}

// Live is the re-published feed for parts that may not read the stream.
type Live interface {
	// Follow calls take for each event under f from now on, until ctx ends.
	Follow(ctx context.Context, f events.Filter, take func(events.Event)) error
}

// Signals publishes what is never stored: text deltas, presence.
type Signals interface {
	Signal(ctx context.Context, project, session, actor, name string, body []byte) error
}

// ToolSet has the tools that a worker runs. *tools.Registry is one.
type ToolSet interface {
	// Prepare decodes the arguments of a call; see [tools.Registry.Prepare].
	Prepare(ctx context.Context, env tools.Env, name string, args json.RawMessage) (*tools.Prepared, error)
}

// Clock provides the time for effects.
type Clock func() time.Time

// IDs returns new identifiers for outcomes.
type IDs func() string

// Mask removes known secrets from bytes before they reach the log.
type Mask func([]byte) []byte
