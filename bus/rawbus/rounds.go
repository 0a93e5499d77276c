package rawbus

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"manualslop/bus"
	"manualslop/events"
)

// Rounds runs rounds of appends for several requesters at once, each in its own session and with one append in
// progress. A round of n appends consists of n-2 requests, each published when the ordered consumer has delivered
// the previous one, an approval, and the outcome from a worker of the pool.
type Rounds struct {
	chain      Chain // provides the connections
	appends    int
	requesters map[string]*requester // by session
}

// requester runs one round after another.
type requester struct {
	requested, approved leg
	requests, outcomes  chan struct{} // as the ordered consumer delivers them
	n                   int
}

// MinAppends is the minimum number of appends per round.
const MinAppends = 3

// NewRounds prepares requesters whose rounds have the given number of appends. A [Work] must serve the pool of
// tools, and nothing else may. Close ends it.
func NewRounds(connect Connect, requesters, appends int) (*Rounds, error) {
	if appends < MinAppends {
		return nil, fmt.Errorf("raw rounds: a round has at least %d appends, got %d", MinAppends, appends)
	}
	r := &Rounds{appends: appends, requesters: map[string]*requester{}}
	for i := range requesters {
		session := "S" + strconv.Itoa(i+1)
		r.requesters[session] = &requester{requested: requested(session), approved: approved(session),
			requests: make(chan struct{}, 1), outcomes: make(chan struct{}, 1)}
	}
	if err := r.open(connect); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Rounds) open(connect Connect) (err error) {
	contributor := bus.Role{Kind: bus.Decider, Name: events.ActorContributor}
	if r.chain.contributor, err = r.chain.open(connect, contributor); err != nil {
		return err
	}
	if r.chain.approval, err = r.chain.open(connect, bus.Role{Kind: bus.Decider, Name: events.ActorApproval}); err != nil {
		return err
	}
	reader, err := r.chain.open(connect, bus.Role{Kind: bus.Reader})
	if err != nil {
		return err
	}
	return r.chain.consumeNew(reader, events.Filter{Project: Project}, r.show)
}

// show passes a message of the ordered consumer to its requester.
func (r *Rounds) show(m jetstream.Msg) {
	t, err := events.ParseSubject(m.Subject())
	if err != nil {
		return
	}
	q := r.requesters[t.Session]
	switch {
	case q == nil:
	case m.Subject() == q.requested.subject:
		q.requests <- struct{}{}
	case m.Subject() != q.approved.subject:
		q.outcomes <- struct{}{}
	}
}

// Close ends the rounds.
func (r *Rounds) Close() { r.chain.Close() }

// Run makes each requester run the given number of rounds, all concurrently, and returns how long each round took.
func (r *Rounds) Run(ctx context.Context, each int) ([]time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	var all []time.Duration
	var wg sync.WaitGroup
	for _, q := range r.requesters {
		wg.Go(func() {
			for range each {
				began := time.Now()
				if err := r.round(ctx, q); err != nil {
					cancel(err)
					return
				}
				took := time.Since(began)
				mu.Lock()
				all = append(all, took)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return all, context.Cause(ctx)
}

func (r *Rounds) round(ctx context.Context, q *requester) error {
	for range r.appends - 2 {
		q.n++
		if err := q.requested.publish(ctx, r.chain.contributor, strconv.Itoa(q.n)); err != nil {
			return err
		}
		if err := await(ctx, q.requests); err != nil {
			return err
		}
	}
	if err := q.approved.publish(ctx, r.chain.approval, strconv.Itoa(q.n)); err != nil {
		return err
	}
	return await(ctx, q.outcomes)
}
