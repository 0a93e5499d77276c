package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/tiers"
)

// maxAttempts limits how often one request is restarted after a delivery that produced no
// outcome. Deliveries that were never started do not count.
const maxAttempts = 20

// newerPause is the delay before redelivery of a request that this program
// cannot read.
const newerPause = time.Second

// needsNewer returns the error that releases a request which this program is too old to read, so
// that a newer one can take it; else nil.
func needsNewer(e *events.Event) error {
	if _, unknown := e.Payload.(events.Unknown); !unknown {
		return nil
	}
	return &events.NotBeforeError{Time: time.Now().Add(newerPause), Reason: events.NeedsNewer + ": " + e.Type}
}

// attempts counts the restarts of a request. It is stored with the claims, because a request that
// crashes its worker also loses every count in memory.
type attempts struct {
	Attempts int `json:"attempts"`
	// Asked, Types and Topic identify the request and its outcomes for sweepClaims.
	Asked *tiers.OpenRequest `json:"asked,omitempty"`
	Types []string           `json:"types,omitempty"`
	Topic string             `json:"topic,omitempty"`

	key      string
	revision uint64
}

// again handles a redelivery. It postpones a call that another worker is running; otherwise it
// counts an attempt. A request that was started too often is given up; over reports that it has
// its outcome then.
func (w *Worker) again(ctx context.Context, d events.Delivery) (a *attempts, over bool, err error) {
	if p, call := d.Event.Payload.(events.ToolApproved); call {
		l := w.lease(&d.Event, p)
		before, err := l.peek(ctx)
		if err == nil {
			err = l.busy(ctx, before)
		}
		if err != nil {
			return nil, false, err
		}
	}
	if a, err = w.count(ctx, &d.Event); err != nil || a.Attempts <= maxAttempts {
		return a, false, err
	}
	return a, true, w.giveUp(ctx, d, a.Attempts)
}

// attemptsInfix separates the session from the id in the key of a count.
const attemptsInfix = ".attempts."

func attemptsOf(e *events.Event) string { return e.Session + attemptsInfix + e.ID }

// count adds one attempt.
func (w *Worker) count(ctx context.Context, e *events.Event) (*attempts, error) {
	for {
		a := &attempts{key: attemptsOf(e)}
		value, revision, err := w.Claims.Claim(ctx, a.key)
		if err == nil {
			err = json.Unmarshal(value, a)
		} else if errors.Is(err, events.ErrNoKey) {
			revision, err = 0, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read attempts at %s: %w", e.ID, err)
		}
		a.Attempts++
		a.Asked, a.Types, a.Topic = tiers.Asked(e), tiers.Outcomes(e.Payload), topicOf(e)
		if value, err = json.Marshal(a); err != nil {
			return nil, err
		}
		if revision == 0 {
			a.revision, err = w.Claims.CreateClaim(ctx, a.key, value)
		} else {
			a.revision, err = w.Claims.UpdateClaim(ctx, a.key, value, revision)
		}
		if !errors.Is(err, events.ErrClaimed) && !errors.Is(err, events.ErrConflict) {
			return a, err
		}
		if err := pause(ctx, retryPause); err != nil { // another worker updated the count in the meantime
			return nil, err
		}
	}
}

// uncount removes the attempt that was counted last, because it was not started.
func (w *Worker) uncount(ctx context.Context, a *attempts) {
	if a.Attempts--; a.Attempts == 0 {
		w.forget(ctx, a)
		return
	}
	value, err := json.Marshal(a)
	if err == nil {
		_, err = w.Claims.UpdateClaim(ctx, a.key, value, a.revision)
	}
	if err != nil {
		w.Logger.Info("a postponed request counts as started", "key", a.key, "error", err)
	}
}

// forget removes the count of a request that has an outcome.
func (w *Worker) forget(ctx context.Context, a *attempts) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), purgeWait)
	defer cancel()
	if err := w.Claims.PurgeClaim(ctx, a.key, a.revision); err != nil {
		w.Logger.Info("cannot remove a count of attempts", "key", a.key, "error", err)
	}
}

// forgetOf removes the count of a request that turned out to have an outcome.
func (w *Worker) forgetOf(ctx context.Context, e *events.Event) {
	a := &attempts{key: attemptsOf(e)}
	var err error
	if _, a.revision, err = w.Claims.Claim(ctx, a.key); err == nil {
		w.forget(ctx, a)
	}
}

// sweepAttempts removes a count whose request has an outcome.
func (w *Worker) sweepAttempts(ctx context.Context, key string) error {
	a := &attempts{key: key}
	value, revision, err := w.Claims.Claim(ctx, key)
	if errors.Is(err, events.ErrNoKey) {
		return nil
	}
	if err == nil {
		a.revision, err = revision, json.Unmarshal(value, a)
	}
	if err != nil || a.Asked == nil {
		return err
	}
	found, err := w.hasOutcome(ctx, a.Asked, a.Types, a.Topic)
	if found {
		w.forget(ctx, a)
	}
	return err
}

// topicOf returns the topic of a request's outcomes; empty means any.
func topicOf(e *events.Event) string {
	if p, call := e.Payload.(events.ToolApproved); call {
		return events.Token(p.Tool)
	}
	return ""
}

// isAnswered reports whether the log has an outcome of a request.
func (w *Worker) isAnswered(ctx context.Context, e *events.Event) (bool, error) {
	asked := tiers.Asked(e)
	if asked == nil {
		return false, nil
	}
	found, err := w.hasOutcome(ctx, asked, tiers.Outcomes(e.Payload), topicOf(e))
	if err != nil {
		return false, fmt.Errorf("look for an outcome of %s: %w", asked.Key, err)
	}
	return found, nil
}

// passed holds the newest requests delivered to this worker, by kind of pool. A request that
// arrives after a later one is a redelivery, unless its pool was recreated.
type passed struct {
	mu     sync.Mutex
	newest map[string]uint64
}

// by reports whether a request, or a later one of its pool, was delivered
// before.
func (p *passed) by(asked *tiers.OpenRequest) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.newest == nil {
		p.newest = map[string]uint64{}
	}
	later := p.newest[asked.Pool] >= asked.Seq
	p.newest[asked.Pool] = max(p.newest[asked.Pool], asked.Seq)
	return later
}

// mayBeAnswered reports whether to check the log for an outcome of a request. Merges and
// workspaces are always checked, because they are few and important.
func (w *Worker) mayBeAnswered(d events.Delivery) bool {
	asked := tiers.Asked(&d.Event)
	if asked == nil {
		return false
	}
	later := w.passed.by(asked)
	switch d.Event.Payload.(type) {
	case events.WorkspaceRequested, events.MergeRequested:
		return true
	}
	return later || d.Deliveries > 1
}
