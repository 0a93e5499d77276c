package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"manualslop/events"
	"manualslop/tiers"
)

// Pools are the work pools of a project, by kind.
type Pools interface {
	// At returns the position of a pool, or events.ErrNoPool.
	At(ctx context.Context, kind string) (PoolAt, error)
	// Make creates a missing pool that delivers the events from a sequence on.
	Make(ctx context.Context, kind string, from uint64) error
	// Rewind makes a pool redeliver the events from a sequence on.
	Rewind(ctx context.Context, kind string, from uint64) error
}

// PoolAt is the progress of a pool.
type PoolAt struct {
	Done  uint64 // sequence up to which everything is done
	Given uint64 // newest delivered sequence
	Held  int    // number of delivered events that are not done, including postponed ones
}

// Intervals of reconciling.
const (
	// reconcileEvery is how often requests are compared with the pools.
	reconcileEvery = 10 * time.Second
	// returnedRest is how long a redelivered request is left alone; it doubles each
	// time, up to lastReturnedRest.
	returnedRest     = 10 * time.Second
	lastReturnedRest = time.Hour
)

// Reconciler compares the requests without an outcome with those that the pools still hold, and
// redelivers the missing ones. Any number of processes may do this for a project; an event decides
// which of them redelivers a request.
type Reconciler struct {
	Project  string
	Requests *Requests
	Pools    Pools
	Log      events.Log // with the rights of the actor timers
	Clock    Clock
	IDs      IDs
	Logger   *slog.Logger
	// Relinked returns a channel that is closed when the connection is restored; if Relinked is
	// nil, the connection is never lost.
	Relinked func() <-chan struct{}
}

// Run reconciles once the open sessions are known, when a session ends, when the connection is
// restored, and every ten seconds, until ctx ends. It returns an error if its rights are not
// sufficient.
func (r *Reconciler) Run(ctx context.Context) error {
	defer r.Requests.keepPage(ctx)
	select {
	case <-r.Requests.ready():
	case <-ctx.Done():
		return nil
	}
	tick := time.NewTicker(reconcileEvery)
	defer tick.Stop()
	for {
		var link <-chan struct{}
		if r.Relinked != nil {
			link = r.Relinked()
		}
		switch err := r.Reconcile(ctx); {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, events.ErrDenied):
			return fmt.Errorf("reconcile: %w", err)
		case err != nil:
			r.Logger.Warn("cannot compare requests with the pools; retrying soon", "error", err)
		}
		if r.Requests.pageIsOld() {
			r.Requests.keepPage(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-link:
		case <-r.Requests.closing:
		}
	}
}

// Reconcile compares all pools once.
func (r *Reconciler) Reconcile(ctx context.Context) error {
	for _, kind := range []string{events.PoolTools, events.PoolShort, events.PoolModels} {
		if err := r.pool(ctx, kind); err != nil {
			return fmt.Errorf("pool %s: %w", kind, err)
		}
	}
	return nil
}

// pool compares the requests of one pool. The requests are read before the pool's position, so a
// request that the pool is done with has its outcome in the log by now, or will never get one.
func (r *Reconciler) pool(ctx context.Context, kind string) error {
	owed, returned, upTo := r.Requests.owedBy(kind)
	at, err := r.Pools.At(ctx, kind)
	missing := errors.Is(err, events.ErrNoPool)
	if err != nil && !missing {
		return err
	}
	if missing {
		at.Done = math.MaxUint64
	}
	behind := slices.IndexFunc(owed, func(request tiers.OpenRequest) bool { return request.Seq > at.Done })
	if behind < 0 {
		behind = len(owed)
	}
	lost, err := r.openOf(ctx, owed[:behind], missing)
	if err != nil {
		return err
	}
	from := lost
	if lost == nil {
		if from, lost, err = r.lostBehind(ctx, owed[behind:], at); err != nil {
			return err
		}
	}
	if lost == nil {
		if missing {
			return r.handOut(ctx, kind, upTo+1, true)
		}
		return nil
	}
	won, err := r.record(ctx, *lost, max(returned[lost.Session], upTo), missing)
	if err != nil || !won { // the winner also redelivers everything after it
		return err
	}
	return r.handOut(ctx, kind, from.Seq, missing)
}

// openOf returns the first request that has no outcome and was not redelivered recently, or nil.
func (r *Reconciler) openOf(ctx context.Context, owed []tiers.OpenRequest, missing bool) (*tiers.OpenRequest, error) {
	for i := range owed {
		if !missing && r.rests(owed[i]) {
			continue
		}
		if open, err := r.isOpen(ctx, owed[i]); open || err != nil {
			return &owed[i], err
		}
	}
	return nil, nil
}

// lostBehind reports whether a pool lost a request that comes after one that it still holds. That
// is so if more delivered requests have no outcome than the pool holds. It is not known which one
// was lost: from is the oldest of them, and lost is one that was not redelivered recently.
func (r *Reconciler) lostBehind(ctx context.Context, owed []tiers.OpenRequest, at PoolAt) (from,
	lost *tiers.OpenRequest, err error) {
	given := slices.IndexFunc(owed, func(request tiers.OpenRequest) bool { return request.Seq > at.Given })
	if given >= 0 {
		owed = owed[:given]
	}
	if len(owed) <= at.Held {
		return nil, nil, nil
	}
	open := 0
	for i := range owed {
		is, err := r.isOpen(ctx, owed[i])
		if err != nil {
			return nil, nil, err
		}
		if !is {
			continue
		}
		if open++; from == nil {
			from = &owed[i]
		}
		if lost == nil && !r.rests(owed[i]) {
			lost = &owed[i]
		}
	}
	if open <= at.Held {
		return nil, nil, nil
	}
	return from, lost, nil
}

// handOut makes a pool deliver all events from a sequence on.
func (r *Reconciler) handOut(ctx context.Context, kind string, from uint64, missing bool) error {
	if missing {
		r.Logger.Warn("a pool was missing and is being created again", "pool", kind, "from", from)
		return r.Pools.Make(ctx, kind, from)
	}
	r.Logger.Warn("redelivering requests that were in no pool", "pool", kind, "from", from)
	return r.Pools.Rewind(ctx, kind, from)
}

// rests reports whether a request was redelivered too recently to do it again.
func (r *Reconciler) rests(request tiers.OpenRequest) bool {
	if request.Returned == 0 {
		return false
	}
	rest := min(returnedRest<<min(request.Returned-1, 16), lastReturnedRest)
	past := r.Clock().Sub(request.ReturnedAt)
	return past >= 0 && past < rest
}

// isOpen checks in the log that a request has no outcome.
func (r *Reconciler) isOpen(ctx context.Context, request tiers.OpenRequest) (bool, error) {
	registry := events.Catalogue()
	f := events.Filter{Project: r.Project, Session: request.Session}
	for e, err := range r.Log.Read(ctx, f, request.Asked, 0) {
		if err != nil {
			return false, err
		}
		registry.Decode(&e)
		if request.Settles(&e) {
			return false, nil
		}
	}
	return true, nil
}

// record records that a request is redelivered. It returns false if another process was faster, so
// that the session has a newer event.
func (r *Reconciler) record(ctx context.Context, request tiers.OpenRequest, known uint64, missing bool) (bool, error) {
	out := events.RequestReturned{Key: request.Key, Request: request.ID, Seq: request.Seq, Pool: request.Pool,
		Reason: "no pool held it any more"}
	if missing {
		out.Reason = "its pool was missing"
	}
	e, err := events.New(events.Origin{ID: r.IDs(), Time: r.Clock(), Project: r.Project, Session: request.Session,
		Actor: events.ActorTimers, Cause: request.ID}, out)
	if err != nil {
		return false, err
	}
	f := events.Filter{Project: r.Project, Session: request.Session, Actor: events.ActorTimers, Type: out.EventType().Name}
	last, err := r.Log.Last(ctx, f)
	if err != nil || last > known {
		return false, err
	}
	_, err = r.Log.Append(ctx, e, &events.Expect{Filter: f, Last: last})
	if errors.Is(err, events.ErrConflict) {
		return false, nil
	}
	return err == nil, err
}
