package chaos

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"

	"manualslop/events"
	"manualslop/events/eventstest"
)

// drain reads what nobody wants.
func drain(out io.Reader) { _, _ = io.Copy(io.Discard, out) }

// quiet is how long nothing happens on the log of an engine that has nothing
// to do, or has forgotten something: it looks for that every minute.
const quiet = 150 * time.Second

// letGo starts one arrangement without faults and waits until every session
// has come to its end. What is stuck is closed, and that must come to an end, too.
func (r *run) letGo() {
	r.over = context.Background()
	for _, link := range r.links {
		link.heal()
	}
	crew := r.raise(split)
	for _, m := range crew {
		if !r.mustAnswer(m) {
			r.clients.stop()
			r.end(crew, true)
			return
		}
	}
	if stuck := r.untilOver(); len(stuck) > 0 {
		for _, s := range stuck {
			if s.goal {
				r.violate("session-stuck", "session %s has no end, and nothing happened for %s", s.id, quiet)
			}
			r.person.say(context.Background(), s.id, ulid.Make().String(), events.SessionClosed{Reason: "stuck"})
		}
		for _, s := range r.untilOver() {
			r.violate("session-unclosed", "session %s cannot be closed", s.id)
		}
	}
	r.untilSettled()
	r.clients.stop()
	r.person.final(r)
	r.end(crew, false)
}

// mustAnswer waits until a process answers.
func (r *run) mustAnswer(m *member) bool {
	for begun := time.Now(); !m.isReady(); r.rest(10 * time.Millisecond) {
		if time.Since(begun) > eventstest.Patience {
			r.violate("process-not-ready", "%s does not answer; see %s", m.name, r.stderrDir())
			return false
		}
	}
	return true
}

// untilOver waits until every session with a goal is over, or nothing happens
// any more. Sessions that never got a goal are left over at once.
func (r *run) untilOver() []session {
	for {
		open := r.person.open()
		waits := false
		for _, s := range open {
			waits = waits || s.goal
		}
		if !waits || r.person.silence() > quiet {
			return open
		}
		r.rest(50 * time.Millisecond)
	}
}

// untilSettled waits until no request is open, or nothing happens any more.
func (r *run) untilSettled() {
	for len(unanswered(r.person.log())) > 0 && r.person.silence() < quiet {
		r.rest(200 * time.Millisecond)
	}
}

// silence is how long nothing was recorded, while the person could see it.
func (p *person) silence() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.moved)
}

// stop asks every run of a person to end, whose session is over.
func (c *clients) stop() {
	c.mu.Lock()
	for _, cmd := range c.alive {
		_ = cmd.Process.Signal(syscall.SIGTERM)
	}
	c.mu.Unlock()
	c.wg.Wait()
}

// final reads the whole log once more and compares it with what was seen.
func (p *person) final(r *run) {
	ctx, cancel := r.patience()
	defer cancel()
	p.mu.Lock()
	conn := p.conn
	p.mu.Unlock()
	if conn == nil {
		r.violate("bus-unreachable", "%s has no connection at the end", personName)
		return
	}
	got, ids := map[uint64]events.Event{}, map[string]uint64{}
	for e, err := range conn.Read(ctx, events.Filter{}, 1, 0) {
		if err != nil {
			r.violate("log-unreadable", "%v", err)
			return
		}
		if at, twice := ids[e.Session+e.ID]; twice {
			r.violate("event-twice", "%s %s stands at %d and %d", e.Type, e.ID, at, e.Seq)
		}
		got[e.Seq], ids[e.Session+e.ID] = e, e.Seq
	}
	if err := p.compare(got); err != nil {
		r.violate("acknowledged-lost", "%v", err)
	}
}

// goroutines is how a panic, or a dump of goroutines, begins a line.
var goroutines = regexp.MustCompile(`(?m)^(panic: |fatal error: |goroutine [0-9]+ \[|WARNING: DATA RACE)`)

// noDumps looks for panics in what every process said.
func (r *run) noDumps() {
	for _, file := range r.below(r.stderrDir(), func(_ string, d fs.DirEntry) bool { return d.Type().IsRegular() }) {
		raw, err := os.ReadFile(file)
		r.must(err)
		if at := goroutines.FindIndex(raw); at != nil {
			r.violate("panic", "%s: %s", filepath.Base(file), strings.TrimSpace(string(raw[at[0]:min(len(raw), at[0]+300)])))
		}
	}
}
