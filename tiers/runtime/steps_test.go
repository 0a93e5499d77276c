package runtime_test

import (
	"context"
	"errors"
	"iter"
	"sync"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/tiers/runtime"
)

// How a step of an effect goes wrong.
const (
	refused   = "refused"          // it is not done, and says so
	unheard   = "done but unheard" // it is done, and its answer is lost
	diesFirst = "dies before"      // the process is gone before it
	diesAfter = "dies after"       // the process is gone behind it

	refusedOften = "refused often"    // its request is refused so often as no request may be given up for
	poolGone     = "pool is deleted"  // before the step, under whatever runs
	poolBack     = "pool is put back" // to its beginning, before the step
)

// oftenRefused is over every count of deliveries that ever ended a request.
const oftenRefused = 30

// errStep is what a step that goes wrong says.
var errStep = errors.New("the step failed")

// steps counts what an effect does for requests of one type, from the delivery
// on, and lets one of them go wrong. What it does for others is left alone.
type steps struct {
	target string // type of the request; empty: all
	at     int    // from 0
	how    string
	die    func() // ends the process as a crash would
	pool   func() // does to the pools what how says

	mu       sync.Mutex
	names    []string
	refusals int
	dead     bool
	reached  bool
}

// marked is set in the context of a delivery of the target.
type marked struct{}

// step does one step, or what is to become of it.
func (s *steps) step(ctx context.Context, name string, do func() error) error {
	if s.target != "" && ctx.Value(marked{}) == nil {
		return s.others(do)
	}
	s.mu.Lock()
	if s.dead {
		s.mu.Unlock()
		return errStep
	}
	again := len(s.names) > 0 && s.names[len(s.names)-1] == name // it looks again and again while a call runs
	mine := len(s.names) == s.at && !s.reached && !again
	if !again {
		s.names = append(s.names, name)
	}
	s.reached = s.reached || mine
	s.mu.Unlock()
	if !mine {
		return do()
	}
	switch s.how {
	case poolGone, poolBack:
		s.pool()
		return do()
	case refused:
		return errStep
	case unheard:
		return errors.Join(do(), errStep)
	case diesFirst:
		s.ends()
		return errStep
	}
	err := do()
	s.ends()
	return errors.Join(err, errStep)
}

// others does a step of another request, as long as the process lives.
func (s *steps) others(do func() error) error {
	s.mu.Lock()
	dead := s.dead
	s.mu.Unlock()
	if dead {
		return errStep
	}
	return do()
}

// refuses tells whether a delivery is refused once more.
func (s *steps) refuses() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.how != refusedOften || s.refusals == oftenRefused {
		return false
	}
	s.refusals++
	s.reached, s.names = true, []string{"delivery"}
	return true
}

// ends lets the process die.
func (s *steps) ends() {
	s.mu.Lock()
	s.dead = true
	s.mu.Unlock()
	s.die()
}

// what tells which step went wrong; false if the effect has fewer of them.
func (s *steps) what() (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.reached {
		return "", false
	}
	return s.names[s.at], true
}

// steppedQueue has the delivery as its first step, and the handling behind it.
type steppedQueue struct {
	runtime.Queue
	*steps
}

func (q steppedQueue) Work(ctx context.Context, pool string, slots int, handle func(context.Context,
	events.Delivery) error) error {
	return q.Queue.Work(ctx, pool, slots, func(ctx context.Context, d events.Delivery) error {
		if d.Event.Type == q.target {
			ctx = context.WithValue(ctx, marked{}, true)
			if q.refuses() {
				return &events.NotBeforeError{}
			}
		}
		if err := q.step(ctx, "delivery", func() error { return nil }); err != nil {
			return err
		}
		return handle(ctx, d)
	})
}

// steppedClaims has each use of a claim as a step.
type steppedClaims struct {
	runtime.Claims
	*steps
}

func (c steppedClaims) CreateClaim(ctx context.Context, key string, value []byte) (revision uint64, err error) {
	err = c.step(ctx, "create claim", func() error { revision, err = c.Claims.CreateClaim(ctx, key, value); return err })
	return revision, err
}

func (c steppedClaims) Claim(ctx context.Context, key string) (value []byte, revision uint64, err error) {
	err = c.step(ctx, "get claim", func() error { value, revision, err = c.Claims.Claim(ctx, key); return err })
	return value, revision, err
}

func (c steppedClaims) UpdateClaim(
	ctx context.Context, key string, value []byte, revision uint64,
) (next uint64, err error) {
	err = c.step(ctx, "update claim", func() error {
		next, err = c.Claims.UpdateClaim(ctx, key, value, revision)
		return err
	})
	return next, err
}

func (c steppedClaims) PurgeClaim(ctx context.Context, key string, revision uint64) error {
	return c.step(ctx, "purge claim", func() error { return c.Claims.PurgeClaim(ctx, key, revision) })
}

// steppedLog has each use of the log as a step.
type steppedLog struct {
	*bus.Conn
	*steps
}

func (l steppedLog) Append(ctx context.Context, e events.Event, x *events.Expect) (seq uint64, err error) {
	err = l.step(ctx, "append "+e.Type, func() error { seq, err = l.Conn.Append(ctx, e, x); return err })
	return seq, err
}

func (l steppedLog) LastEvent(ctx context.Context, f events.Filter) (e events.Event, found bool, err error) {
	err = l.step(ctx, "last "+f.Type, func() error { e, found, err = l.Conn.LastEvent(ctx, f); return err })
	return e, found, err
}

func (l steppedLog) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		err := l.step(ctx, "read "+f.Type, func() error { return nil })
		if err != nil {
			yield(events.Event{}, err)
			return
		}
		for e, err := range l.Conn.Read(ctx, f, from, to) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// steppedBlobs has each use of a body as a step.
type steppedBlobs struct {
	events.Blobs
	*steps
}

func (b steppedBlobs) Put(ctx context.Context, body []byte, mediaType string) (ref events.BlobRef, err error) {
	err = b.step(ctx, "put blob", func() error { ref, err = b.Blobs.Put(ctx, body, mediaType); return err })
	return ref, err
}

func (b steppedBlobs) Claim(ctx context.Context, digest string) (body []byte, err error) {
	err = b.step(ctx, "get blob", func() error { body, err = b.Blobs.Get(ctx, digest); return err })
	return body, err
}

// onSteps has a worker go wrong.
func (s *steps) onSteps(w *runtime.Worker, conn *bus.Conn) {
	w.Queue, w.Claims, w.Log, w.Blobs = steppedQueue{w.Queue, s}, steppedClaims{w.Claims, s}, steppedLog{conn, s},
		steppedBlobs{conn, s}
}
