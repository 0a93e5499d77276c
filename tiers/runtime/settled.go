package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

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

// hasOutcome reports whether a request has an outcome of one of the given types.
func (w *Worker) hasOutcome(ctx context.Context, asked *tiers.OpenRequest, types []string, topic string) (bool, error) {
	var found atomic.Bool
	var looks errgroup.Group
	for _, typ := range types {
		looks.Go(func() error {
			f := events.Filter{Project: w.Project, Session: asked.Session, Type: typ, Topic: topic}
			has, err := w.found.has(ctx, w.Log, f, mark{asked.Seq, asked.Key, asked.Generation})
			if has {
				found.Store(true)
			}
			return err
		})
	}
	if err := looks.Wait(); !found.Load() {
		return false, err
	}
	return true, nil
}

// before reports whether the log has an outcome of the lease's call, as settledBefore does, and whether it has a start
// of the call, as begunBefore does.
func (l *lease) before(ctx context.Context) (settled, begun bool, err error) {
	var looks errgroup.Group
	looks.Go(func() (err error) { settled, err = l.settledBefore(ctx); return err })
	looks.Go(func() (err error) { begun, err = l.begunBefore(ctx); return err })
	err = looks.Wait()
	return settled, begun, err
}

// begunBefore reports whether the log says that the call of a lease has started. Then the call's claim was lost, and it
// is not known how far the call got.
func (l *lease) begunBefore(ctx context.Context) (bool, error) {
	start := l.start()
	f := events.Filter{Project: l.w.Project, Session: l.session, Type: start.EventType().Name, Topic: start.EventTopic()}
	begun, err := l.w.found.has(ctx, l.w.Log, f, mark{l.claim.Approved, startOf(start), start.Generation})
	if err != nil && l.held {
		l.remove(ctx, l.revision) // nothing has started under it
	}
	return begun, err
}

// begin records that the call of a lease starts.
func (l *lease) begin(ctx context.Context, approval *events.Event) error {
	_, err := l.w.record(ctx, approval, l.start())
	if err != nil && l.held {
		l.remove(ctx, l.revision) // nothing has started under it
	}
	return err
}

func (l *lease) start() events.ToolStarted {
	return events.ToolStarted{Call: l.call.Call, Tool: l.call.Tool, Generation: l.call.Generation}
}

// startOf returns the key under which findings keep the start of a call.
func startOf(p events.ToolStarted) string { return "start " + p.Call }

// Limits of findings.
const (
	maxSpans = 64   // filters; before a further one all are forgotten
	maxSpan  = 1024 // events of one filter; beyond it the older half is forgotten
)

// findings remembers the outcomes and starts that reads of the log found. A worker has one reader at a time, so calls
// that run at once would wait for each other's reads; with findings they share them.
type findings struct {
	mu    sync.Mutex // held while the log is read
	spans map[events.Filter]*span
}

// span holds the events of one filter in a range of the log.
type span struct {
	from, to uint64 // both included; to is from-1 if nothing was read yet
	marks    []mark // in order
}

// mark is one event: the request that it answers, or the call that it starts, and up to which generation.
type mark struct {
	seq        uint64
	key        string
	generation int
}

// has reports whether the log has an event under f after wanted.seq with the wanted key and at least its generation.
// Usually the newest event under f answers that; events are read only if there is a newer one, and only once.
func (q *findings) has(ctx context.Context, log OwnLog, f events.Filter, wanted mark) (bool, error) {
	last, err := log.Last(ctx, f)
	if err != nil || last <= wanted.seq {
		return false, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.spans[f]
	if s == nil || wanted.seq+1 < s.from || wanted.seq > s.to {
		if q.spans == nil || len(q.spans) >= maxSpans {
			q.spans = map[events.Filter]*span{}
		}
		s = &span{from: wanted.seq + 1, to: wanted.seq}
		q.spans[f] = s
	}
	defer s.trim()
	if last > s.to {
		if err := s.extend(ctx, log, f); err != nil {
			return false, err
		}
		s.to = max(s.to, last)
	}
	return slices.ContainsFunc(s.marks, func(m mark) bool {
		return m.seq > wanted.seq && m.key == wanted.key && m.generation >= wanted.generation
	}), nil
}

// extend reads the events after the span.
func (s *span) extend(ctx context.Context, log OwnLog, f events.Filter) error {
	registry := events.Catalogue()
	for e, err := range log.Read(ctx, f, s.to+1, 0) {
		if err != nil {
			return err
		}
		registry.Decode(&e)
		m := mark{seq: e.Seq}
		if p, starts := e.Payload.(events.ToolStarted); starts {
			m.key, m.generation = startOf(p), p.Generation
		} else {
			m.key, m.generation = tiers.Answered(&e)
		}
		s.to = e.Seq
		s.marks = append(s.marks, m)
	}
	return nil
}

// trim forgets the older half of too many events.
func (s *span) trim() {
	if len(s.marks) > maxSpan {
		s.marks = slices.Clone(s.marks[len(s.marks)/2:])
		s.from = s.marks[0].seq
	}
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
