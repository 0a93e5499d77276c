package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers"
)

// sweepEvery is how often leftover claims are searched for.
const sweepEvery = time.Minute

// settledBefore reports whether the call of a lease has an outcome in the log, and if so purges
// its claim. A changing call starts only if this returned false while its claim is held: a claim
// is purged only after its outcome is in the log, so a worker that claims the call again finds the
// outcome here. If the log cannot be read, a new claim is released, so that the next delivery does
// not treat the call as interrupted.
func (l *lease) settledBefore(ctx context.Context) (bool, error) {
	asked := &tiers.OpenRequest{Key: "call " + l.call.Call, Generation: l.call.Generation, Session: l.session,
		Seq: l.claim.Approved}
	found, err := l.w.hasOutcome(ctx, asked, tiers.Outcomes(l.call), events.Token(l.call.Tool))
	if found || err != nil && l.held {
		l.remove(ctx, l.revision)
	}
	if err != nil {
		return false, fmt.Errorf("look for an outcome of call %s: %w", l.call.Call, err)
	}
	return found, nil
}

// hasOutcome reports whether a request has an outcome of one of the given types. Usually the
// newest event of each type answers that; all events after the request are read only if there is a
// newer one.
func (w *Worker) hasOutcome(ctx context.Context, asked *tiers.OpenRequest, types []string, topic string) (bool, error) {
	for _, typ := range types {
		f := events.Filter{Project: w.Project, Session: asked.Session, Type: typ, Topic: topic}
		last, err := w.Log.Last(ctx, f)
		if err != nil {
			return false, err
		}
		if last <= asked.Seq {
			continue
		}
		if found, err := w.readOutcomes(ctx, f, asked); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

func (w *Worker) readOutcomes(ctx context.Context, f events.Filter, asked *tiers.OpenRequest) (bool, error) {
	registry := events.Catalogue()
	for e, err := range w.Log.Read(ctx, f, asked.Seq+1, 0) {
		if err != nil {
			return false, err
		}
		registry.Decode(&e)
		if asked.Settles(&e) {
			return true, nil
		}
	}
	return false, nil
}

// begin records that the call of a lease starts. It returns begun if that is already recorded:
// then the call's claim was lost, and it is not known how far the call got.
func (l *lease) begin(ctx context.Context, approval *events.Event) (begun bool, err error) {
	started := events.ToolStarted{Call: l.call.Call, Tool: l.call.Tool, Generation: l.call.Generation}
	f := events.Filter{Project: l.w.Project, Session: l.session, Type: started.EventType().Name,
		Topic: started.EventTopic()}
	last, err := l.w.Log.Last(ctx, f)
	if err == nil && last > l.claim.Approved {
		begun, err = l.w.readStarts(ctx, f, started, l.claim.Approved)
	}
	if err == nil && !begun {
		err = l.w.publish(ctx, approval, started)
	}
	if err != nil && l.held {
		l.remove(ctx, l.revision) // nothing has started under it
	}
	return begun, err
}

func (w *Worker) readStarts(ctx context.Context, f events.Filter, call events.ToolStarted, approved uint64) (bool,
	error) {
	registry := events.Catalogue()
	for e, err := range w.Log.Read(ctx, f, approved+1, 0) {
		if err != nil {
			return false, err
		}
		registry.Decode(&e)
		if p, is := e.Payload.(events.ToolStarted); is && p.Call == call.Call && p.Generation >= call.Generation {
			return true, nil
		}
	}
	return false, nil
}

// sweepClaims periodically purges the claims of settled calls until ctx ends. They are left by
// workers that died between the outcome and the purge.
func (w *Worker) sweepClaims(ctx context.Context) {
	for {
		if err := w.sweepOnce(ctx); err != nil && ctx.Err() == nil {
			w.Logger.Warn("cannot check leftover claims", "error", err)
		}
		if pause(ctx, sweepEvery) != nil {
			return
		}
	}
}

func (w *Worker) sweepOnce(ctx context.Context) error {
	keys, err := w.Claims.ClaimKeys(ctx)
	if err != nil {
		return err
	}
	var wrong []error
	for _, key := range keys {
		if ctx.Err() != nil {
			break
		}
		wrong = append(wrong, w.sweepKey(ctx, key))
	}
	return errors.Join(wrong...)
}

// sweepKey removes one leftover claim or count of attempts.
func (w *Worker) sweepKey(ctx context.Context, key string) error {
	if strings.Contains(key, attemptsInfix) {
		return w.sweepAttempts(ctx, key)
	}
	session, call, _ := strings.Cut(key, ".")
	l := &lease{w: w, session: session, key: key}
	c, err := l.peek(ctx)
	if err != nil || c == nil || c.Tool == "" {
		return err
	}
	l.call = events.ToolApproved{Call: call, Tool: c.Tool, Generation: c.Generation}
	l.claim = *c
	_, err = l.settledBefore(ctx)
	return err
}
