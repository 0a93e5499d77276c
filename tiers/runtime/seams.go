// Package runtime is the impure layer around the deciders: it passes events to them and writes
// their facts to the log, calls models, runs tools, rereads files and watches clocks. It decides
// nothing.
//
// # Contract
//
//   - One [Reader] per process follows the stream and fans out to its
//     subscribers; no other part opens a consumer.
//   - A [Handler] runs one decider on one session. Running and restarting are
//     the same procedure: it takes the events of others in stream order and
//     decides the full list of facts for each. Facts that are in the log are
//     skipped, facts missing at the end are appended, and any difference stalls
//     the session with a reason.
//   - Each effect carries the id of the fact that caused it and settles once.
//     A process that dies at any point is replaced by one that reads the log
//     again.
//   - A call that changes something takes its claim before it acts. A claimed
//     call without an outcome is never silently run again.
//
// The package does not depend on the bus: the interfaces below are all that it needs from one.
package runtime

import (
	"context"
	"encoding/json"
	"time"

	"manualslop/events"
	"manualslop/tools"
)

// Queue delivers work and keeps each delivery alive until it is handled.
type Queue interface {
	// Work passes deliveries of a pool to handle, at most slots at once, until ctx ends. If handle
	// returns nil, the delivery is acknowledged; an error releases it, and an
	// [events.NotBeforeError] postpones it until its time.
	Work(ctx context.Context, pool string, slots int, handle func(context.Context, events.Delivery) error) error
}

// Claims stores the leases on calls that change something.
type Claims interface {
	// CreateClaim stores value under key, or returns events.ErrClaimed if there is a claim.
	CreateClaim(ctx context.Context, key string, value []byte) (revision uint64, err error)
	// Claim returns a claim and its revision, or events.ErrNoKey if there is none.
	Claim(ctx context.Context, key string) (value []byte, revision uint64, err error)
	// UpdateClaim replaces the claim at revision, or returns events.ErrConflict if it has changed.
	UpdateClaim(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)
	// PurgeClaim removes the claim unless it changed since revision.
	PurgeClaim(ctx context.Context, key string, revision uint64) error
	// ClaimKeys lists the keys of all projects' claims.
	ClaimKeys(ctx context.Context) ([]string, error)
}

// OwnLog is a log that can find the newest event under a filter. A worker has the rights to read
// its own events, the outcomes of calls, and the events that close a session.
type OwnLog interface {
	events.Log
	// LastEvent returns the newest event under f; false if there is none.
	LastEvent(ctx context.Context, f events.Filter) (events.Event, bool, error)
}

// Peers reports what other processes are doing.
type Peers interface {
	// Holds reports whether a process of an actor is connected and is working on an event.
	Holds(ctx context.Context, project, actor, process string, seq uint64) (bool, error)
	// Gone reports whether a process of an actor is known to have ended.
	Gone(ctx context.Context, project, actor, process string) (bool, error)
}

// Live is the republished event feed, for parts without the right to read the stream.
type Live interface {
	// Follow calls take for each new event under f until ctx ends.
	Follow(ctx context.Context, f events.Filter, take func(events.Event)) error
}

// Signals publishes messages that are never stored: text deltas, presence.
type Signals interface {
	Signal(ctx context.Context, project, session, actor, name string, body []byte) error
}

// ToolSet holds the tools that a worker runs. *tools.Registry implements it.
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
