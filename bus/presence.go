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

// Times of presence: a process that was killed is noticed within a second.
const (
	presenceEvery = 200 * time.Millisecond
	// A process that is silent for presenceDoubt is asked for every presenceCheck.
	presenceDoubt = 500 * time.Millisecond
	presenceCheck = 100 * time.Millisecond
)

// Names of the signals by which actors show themselves.
const (
	signalHere = "here"
	signalGone = "gone"
)

// Announce shows every 200 ms that actor is at work in project, and which work
// the connection holds, until ctx ends; then it says good-bye. It shows that at
// once when work is taken and when somebody asks for the actor. It returns the
// context's end as nil.
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
				c.log.Debug("good-bye not sent; the closed connection tells the same", "actor", actor, "error", err)
			}
			return nil
		}
	}
}

// Presence calls changed each time an actor of the project appears or is gone,
// until ctx ends. A process is gone when it said so, when it is silent and the
// server knows no connection of it, or when it was silent for [Lease]; an actor
// is gone with its last process. It only reports; calls of changed do not
// overlap, and what comes and goes again during one is not reported. It needs
// the role Timers, Gateway or Admin.
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
	news chan struct{}                   // holds a value when an actor appeared or is gone
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

// answered takes the server's answer that a process is not connected. One that
// was seen meanwhile is.
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

// drop takes a process away, and its actor with the last one.
func (p *presence) drop(actor, process string) {
	delete(p.seen[actor], process)
	if p.seen[actor] != nil && len(p.seen[actor]) == 0 {
		delete(p.seen, actor)
		p.tell()
	}
}

// tell has the actors reported.
func (p *presence) tell() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// report calls changed for each actor that appeared or is gone since the last
// time. It holds no lock meanwhile: changed may wait for the log, and a process
// that nobody hears for as long would be taken for silent.
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

// here are the actors that are seen.
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
		case <-link: // others may still be on their way back
			link = p.c.Relinked()
			p.allSeen(time.Now())
		case now := <-tick.C:
			p.doubt(now)
		}
	}
}

// allSeen counts the silence of every process from now on.
func (p *presence) allSeen(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, processes := range p.seen {
		for process := range processes {
			processes[process] = now
		}
	}
}

// doubt asks for processes that are silent. A busy machine is silent, too.
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

// MaxSignal bounds the body of a signal in bytes.
const MaxSignal = 64 << 10

// Signal is a remark that is never stored and never folded: a text delta, a
// sign of life. It may be lost at any time.
type Signal struct {
	Project, Session, Actor, Name string
	Body                          []byte
}

// Signal publishes a signal. An empty session reads "-". While the connection
// is down signals are dropped. Errors: events.ErrSubject, events.ErrTooLarge,
// events.ErrClosed; rights are not reported, because nobody waits for an answer.
func (c *Conn) Signal(ctx context.Context, project, session, actor, name string, body []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if session == "" {
		session = "-"
	}
	for _, token := range []string{project, session, actor, name} {
		if !events.ValidToken(token) {
			return fmt.Errorf("signal: %w: %.80q is no token", events.ErrSubject, token)
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

// Signals calls take for each signal from now on until ctx ends; an empty
// field of the pattern matches anything. What a slow taker misses is gone.
func (c *Conn) Signals(ctx context.Context, pattern Signal, take func(Signal)) error {
	tokens := []string{pattern.Project, pattern.Session, pattern.Actor, pattern.Name}
	for i, t := range tokens {
		if t == "" {
			tokens[i] = "*"
		} else if !events.ValidToken(t) {
			return fmt.Errorf("signals: %w: %.80q is no token", events.ErrSubject, t)
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

// maxHeld bounds the sequences that one presence signal names for a pool.
const maxHeld = 2000

// Held are the deliveries of pools that a process of an actor has, by pool and
// sequence.
type Held struct {
	// Process is the name of the process; see [Conn.Process].
	Process string `json:"process"`
	// Now are those that a handler works on.
	Now map[string][]uint64 `json:"now,omitempty"`
	// Later are those that the actor gave back until a time that is still to come.
	Later map[string][]uint64 `json:"later,omitempty"`
	// Why are the reasons for which some of these were given back.
	Why map[string][]uint64 `json:"why,omitempty"`
}

// maxWhy bounds the sequences of which a presence signal says why they rest.
const maxWhy = 100

// Has tells whether an actor works on a sequence of any pool, or gave it back
// until later.
func (h Held) Has(seq uint64) bool {
	for _, by := range []map[string][]uint64{h.Now, h.Later} {
		// order-independent: any of them
		for _, list := range by {
			if slices.Contains(list, seq) {
				return true
			}
		}
	}
	return false
}

// holds are the deliveries of one connection.
type holds struct {
	mu      sync.Mutex
	pools   map[string]map[uint64]*hold
	changed chan struct{} // holds a value while nobody was told of the last change
}

// hold is one delivery. A pool may hand out what a handler still works on.
type hold struct {
	handlers int       // that work on it
	back     time.Time // when it comes back, where none does
	why      string    // it comes back then; empty: it is not said
}

// take notes that a handler works on a delivery.
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

// leave notes that a handler is through with a delivery, which comes back at a
// time and for a reason; zero: it does not.
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

// tell has the presence signal sent at once.
func (h *holds) tell() {
	select {
	case h.changed <- struct{}{}:
	default:
	}
}

// body is what the presence signal of a process says.
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

// Delays calls take with what each process of a project gave back and why, by
// sequence, until ctx ends; nothing for a process that is gone.
func (c *Conn) Delays(ctx context.Context, project string, take func(process string, why map[uint64]string)) error {
	return c.Signals(ctx, Signal{Project: project, Session: "-"}, func(s Signal) {
		if s.Name != signalHere && s.Name != signalGone {
			return
		}
		held, why := heldIn(s.Body), map[uint64]string{}
		for reason, seqs := range held.Why { // order-independent: each sequence stands once
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

// heldIn reads the body of a presence signal.
func heldIn(body []byte) (out Held) {
	if json.Unmarshal(body, &out) != nil {
		return Held{}
	}
	return out
}
