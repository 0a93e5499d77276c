package bus

import (
	"context"
	"sync"
	"time"
)

// Times of presence: a process that was killed is noticed within a second.
const (
	presenceEvery = 200 * time.Millisecond
	presenceLost  = 700 * time.Millisecond
	presenceCheck = 100 * time.Millisecond
)

// Names of the signals by which actors show themselves.
const (
	signalHere = "here"
	signalGone = "gone"
)

// Announce shows every 200 ms that actor is at work in project, until ctx ends;
// then it says good-bye. It returns the context's end as nil.
func (c *Conn) Announce(ctx context.Context, project, actor string) error {
	tick := time.NewTicker(presenceEvery)
	defer tick.Stop()
	for {
		if err := c.Signal(ctx, project, "", actor, signalHere, nil); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			// The connection may be closed already; then silence says the same.
			_ = c.Signal(context.WithoutCancel(ctx), project, "", actor, signalGone, nil)
			return nil
		}
	}
}

// Presence calls changed each time an actor of the project appears or is gone,
// until ctx ends: gone is who said so, or was silent for 700 ms. It only
// reports; calls of changed do not overlap.
func (c *Conn) Presence(ctx context.Context, project string, changed func(actor string, here bool)) error {
	p := &presence{seen: map[string]time.Time{}, changed: changed}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { p.watchSilence(ctx) })
	defer wg.Wait()
	defer cancel()
	return c.Signals(ctx, Signal{Project: project, Session: "-"}, p.take)
}

type presence struct {
	mu      sync.Mutex
	seen    map[string]time.Time
	changed func(string, bool)
}

func (p *presence) take(s Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, known := p.seen[s.Actor]
	switch s.Name {
	case signalHere:
		p.seen[s.Actor] = time.Now()
		if !known {
			p.changed(s.Actor, true)
		}
	case signalGone:
		if known {
			delete(p.seen, s.Actor)
			p.changed(s.Actor, false)
		}
	}
}

func (p *presence) watchSilence(ctx context.Context) {
	tick := time.NewTicker(presenceCheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			p.expire(now)
		}
	}
}

func (p *presence) expire(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for actor, at := range p.seen {
		if now.Sub(at) > presenceLost {
			delete(p.seen, actor)
			p.changed(actor, false)
		}
	}
}
