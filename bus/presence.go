package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"manualslop/events"
)

// Intervals of presence. A killed process is detected within a second.
const (
	presenceEvery = 200 * time.Millisecond
	// A process that is silent for presenceDoubt is probed every presenceCheck.
	presenceDoubt = 500 * time.Millisecond
	presenceCheck = 100 * time.Millisecond
)

// Names of the presence signals of actors.
const (
	signalHere = "here"
	signalGone = "gone"
)

// Announce signals every 200 ms that actor is working in project, and which work the connection holds. It also
// signals at once when work is taken or the actor is probed. When ctx ends, it signs off and returns nil.
func (c *Conn) Announce(ctx context.Context, project, actor string) error {
	sub, err := c.nc.Subscribe(hereSubject(project, actor, c.process), func(*nats.Msg) { c.holds.tell() })
	if err != nil {
		return mapConn(err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only on a closed connection
	tick := time.NewTicker(presenceEvery)
	defer tick.Stop()
	for {
		if err := c.Signal(ctx, project, "", actor, signalHere, c.holds.body(c.process, time.Now())); err != nil &&
			ctx.Err() == nil {
			return err
		}
		select {
		case <-tick.C:
		case <-c.holds.changed:
		case <-ctx.Done():
			if err := c.Signal(context.WithoutCancel(ctx), project, "", actor, signalGone, c.holds.body(c.process,
				time.Now())); err != nil {
				c.log.Debug("sign-off not sent; the closed connection shows the same", "actor", actor, "error", err)
			}
			return nil
		}
	}
}

// Presence calls changed each time an actor of the project appears or disappears, until ctx ends. A process is
// gone when it has signed off, when it is silent and not connected, or when it was silent for [Lease]. An actor
// is gone with its last process. Calls of changed do not overlap, and an actor that appears and disappears during
// one call is not reported. It needs the role Timers, Gateway or Admin.
func (c *Conn) Presence(ctx context.Context, project string, changed func(actor string, here bool)) error {
	p := &presence{c: c, project: project, inbox: c.nc.NewInbox(), seen: map[string]map[string]time.Time{},
		news: make(chan struct{}, 1)}
	sub, err := c.nc.Subscribe(p.inbox+".*.*", p.answered)
	if err != nil {
		return mapConn(err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only on a closed connection
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { p.watchSilence(ctx) })
	wg.Go(func() { p.report(ctx, changed) })
	defer wg.Wait()
	defer cancel()
	return c.Signals(ctx, Signal{Project: project, Session: "-"}, p.take)
}

type presence struct {
	c              *Conn
	project, inbox string

	mu   sync.Mutex
	seen map[string]map[string]time.Time // by actor and process
	news chan struct{}                   // holds a value when an actor appeared or disappeared
}

func (p *presence) take(s Signal) {
	process := heldIn(s.Body).Process
	if !events.ValidToken(process) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch s.Name {
	case signalHere:
		if p.seen[s.Actor] == nil {
			p.seen[s.Actor] = map[string]time.Time{}
			p.tell()
		}
		p.seen[s.Actor][process] = time.Now()
	case signalGone:
		p.drop(s.Actor, process)
	}
}

// answered handles the server's answer that a process is not connected. It ignores the answer if the process was
// seen in the meantime.
func (p *presence) answered(m *nats.Msg) {
	actor, process, _ := strings.Cut(strings.TrimPrefix(m.Subject, p.inbox+"."), ".")
	if m.Header.Get("Status") != noResponders {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if at, known := p.seen[actor][process]; known && time.Since(at) > presenceDoubt {
		p.drop(actor, process)
	}
}

// drop removes a process, and its actor with the last process.
func (p *presence) drop(actor, process string) {
	delete(p.seen[actor], process)
	if p.seen[actor] != nil && len(p.seen[actor]) == 0 {
		delete(p.seen, actor)
		p.tell()
	}
}

// tell triggers a report of the actors.
func (p *presence) tell() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// report calls changed for each actor that appeared or disappeared since the last time. It holds no lock while it
// does, because changed may wait for the log, and processes would seem silent for that long.
func (p *presence) report(ctx context.Context, changed func(actor string, here bool)) {
	reported := map[string]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.news:
		}
		here := p.here()
		for actor := range reported {
			if !here[actor] {
				delete(reported, actor)
				changed(actor, false)
			}
		}
		for actor := range here {
			if !reported[actor] {
				reported[actor] = true
				changed(actor, true)
			}
		}
	}
}

// here returns the actors that are present.
func (p *presence) here() map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[string]bool{}
	for actor := range p.seen {
		out[actor] = true
	}
	return out
}

func (p *presence) watchSilence(ctx context.Context) {
	tick := time.NewTicker(presenceCheck)
	defer tick.Stop()
	link := p.c.Relinked()
	for {
		select {
		case <-ctx.Done():
			return
		case <-link: // others may still be reconnecting
			link = p.c.Relinked()
			p.allSeen(time.Now())
		case now := <-tick.C:
			p.doubt(now)
		}
	}
}

// allSeen restarts the silence period of every process.
func (p *presence) allSeen(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, processes := range p.seen {
		for process := range processes {
			processes[process] = now
		}
	}
}

// doubt probes silent processes, because a busy machine may be silent too.
func (p *presence) doubt(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for actor, processes := range p.seen {
		for process, at := range processes {
			switch silent := now.Sub(at); {
			case silent > Lease:
				p.drop(actor, process)
			case silent > presenceDoubt:
				p.c.askFor(p.project, actor, process, p.inbox+"."+actor+"."+process)
			}
		}
	}
}

// MaxSignal is the maximum size of a signal's body in bytes.
const MaxSignal = 64 << 10

// Signal is a message that is never stored or folded, such as a text delta or a presence signal. It may be lost
// at any time.
type Signal struct {
	Project, Session, Actor, Name string
	Body                          []byte
}

// Signal publishes a signal. An empty session becomes "-". While the connection is down, signals are dropped. It
// returns events.ErrSubject, events.ErrTooLarge or events.ErrClosed. Missing rights are not reported, because
// there is no answer to wait for.
func (c *Conn) Signal(ctx context.Context, project, session, actor, name string, body []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if session == "" {
		session = "-"
	}
	for _, token := range []string{project, session, actor, name} {
		if !events.ValidToken(token) {
			return fmt.Errorf("signal: %w: every token must consist of A-Z a-z 0-9 _ -, got %.80q", events.ErrSubject, token)
		}
	}
	if len(body) > MaxSignal {
		return fmt.Errorf("signal %s: %w: %d bytes, at most %d", name, events.ErrTooLarge, len(body), MaxSignal)
	}
	err := c.nc.Publish(strings.Join([]string{events.RootSignals, project, session, actor, name}, "."), body)
	if errors.Is(err, nats.ErrConnectionClosed) {
		return fmt.Errorf("signal %s: %w", name, mapConn(err))
	}
	return nil
}

// Signals calls take for each new signal until ctx ends. An empty field of the pattern matches anything. Signals
// that a slow receiver misses are lost.
func (c *Conn) Signals(ctx context.Context, pattern Signal, take func(Signal)) error {
	tokens := []string{pattern.Project, pattern.Session, pattern.Actor, pattern.Name}
	for i, t := range tokens {
		if t == "" {
			tokens[i] = "*"
		} else if !events.ValidToken(t) {
			return fmt.Errorf("signals: %w: every token must consist of A-Z a-z 0-9 _ -, got %.80q", events.ErrSubject, t)
		}
	}
	subject := events.RootSignals + "." + strings.Join(tokens, ".")
	for {
		err := c.listen(ctx, subject, func(m *nats.Msg) {
			part := strings.Split(strings.TrimPrefix(m.Subject, events.RootSignals+"."), ".")
			take(Signal{part[0], part[1], part[2], part[3], m.Data})
		})
		if err == nil || !errors.Is(err, nats.ErrSlowConsumer) {
			return err
		}
	}
}

// maxHeld limits the sequences per pool in one presence signal.
const maxHeld = 2000

// Held lists the deliveries of pools that a process of an actor holds, by pool and sequence.
type Held struct {
	// Process is the name of the process; see [Conn.Process].
	Process string `json:"process"`
	// Now lists the deliveries that a handler is working on.
	Now map[string][]uint64 `json:"now,omitempty"`
	// Later lists the deliveries that the actor released until a future time.
	Later map[string][]uint64 `json:"later,omitempty"`
	// Why lists the reasons for which some of these were released.
	Why map[string][]uint64 `json:"why,omitempty"`
}

// maxWhy limits the sequences with a reason in a presence signal.
const maxWhy = 100

// Has reports whether an actor works on a sequence of any pool, or released it
// until later.
func (h Held) Has(seq uint64) bool {
	for _, by := range []map[string][]uint64{h.Now, h.Later} {
		// order-independent: any list may match
		for _, list := range by {
			if slices.Contains(list, seq) {
				return true
			}
		}
	}
	return false
}

// holds is the set of deliveries that one connection holds.
type holds struct {
	mu      sync.Mutex
	pools   map[string]map[uint64]*hold
	changed chan struct{} // holds a value while the last change is unannounced
}

// hold is one delivery. A pool may redeliver what a handler still works on.
type hold struct {
	handlers int       // number of handlers that work on it
	back     time.Time // when it is redelivered if no handler works on it
	why      string    // why it was released; empty if unknown
}

// take records that a handler works on a delivery.
func (h *holds) take(pool string, seq uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pools[pool] == nil {
		h.pools[pool] = map[uint64]*hold{}
	}
	if h.pools[pool][seq] == nil {
		h.pools[pool][seq] = &hold{}
	}
	h.pools[pool][seq].handlers++
	h.tell()
}

// leave records that a handler has finished a delivery, which is redelivered at the given time for the given
// reason, or never if the time is zero.
func (h *holds) leave(pool string, seq uint64, back time.Time, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	held := h.pools[pool][seq]
	held.handlers--
	held.back, held.why = back, why
	if held.handlers == 0 && back.IsZero() {
		delete(h.pools[pool], seq)
		return
	}
	h.tell()
}

// tell triggers a presence signal at once.
func (h *holds) tell() {
	select {
	case h.changed <- struct{}{}:
	default:
	}
}

// body returns the body of a process's presence signal.
func (h *holds) body(process string, now time.Time) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := Held{Process: process, Now: map[string][]uint64{}, Later: map[string][]uint64{}, Why: map[string][]uint64{}}
	said := 0
	for _, pool := range slices.Sorted(maps.Keys(h.pools)) {
		for _, seq := range slices.Sorted(maps.Keys(h.pools[pool])) {
			switch held := h.pools[pool][seq]; {
			case held.handlers > 0 && len(out.Now[pool]) < maxHeld:
				out.Now[pool] = append(out.Now[pool], seq)
			case held.handlers > 0:
			case !held.back.After(now):
				delete(h.pools[pool], seq)
			case len(out.Later[pool]) < maxHeld:
				out.Later[pool] = append(out.Later[pool], seq)
				if held.why != "" && said < maxWhy {
					out.Why[held.why], said = append(out.Why[held.why], seq), said+1
				}
			}
		}
	}
	body, err := json.Marshal(out)
	if err != nil {
		return nil
	}
	return body
}

// Delays calls take with the reasons for which each process of a project released work, by sequence, until ctx
// ends. The map is empty for a process that is gone.
func (c *Conn) Delays(ctx context.Context, project string, take func(process string, why map[uint64]string)) error {
	return c.Signals(ctx, Signal{Project: project, Session: "-"}, func(s Signal) {
		if s.Name != signalHere && s.Name != signalGone {
			return
		}
		held, why := heldIn(s.Body), map[uint64]string{}
		for reason, seqs := range held.Why { // order-independent: each sequence occurs once
			for _, seq := range seqs {
				why[seq] = reason
			}
		}
		if s.Name == signalGone {
			clear(why)
		}
		take(s.Actor+" "+held.Process, why)
	})
}

// heldIn decodes the body of a presence signal.
func heldIn(body []byte) (out Held) {
	if json.Unmarshal(body, &out) != nil {
		return Held{}
	}
	return out
}
