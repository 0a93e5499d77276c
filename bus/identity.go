package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats.go/jetstream"

	"manualslop/events"
)

// identity is which log a connection reads. A server that comes back may have
// another store, whose positions mean other events.
type identity struct {
	mu      sync.Mutex
	created time.Time // of the stream; zero before it was asked for
	link    uint64    // the connection over which that was asked last
}

// sameLog makes sure, once for each time that the connection was made, that the
// stream is the one that it found first; events.ErrReplaced. A role that may not
// ask takes it on trust.
func (c *Conn) sameLog(ctx context.Context) error {
	if !c.role.readsLog() {
		return nil
	}
	link := c.Links()
	c.identity.mu.Lock()
	known := c.identity.link == link
	c.identity.mu.Unlock()
	if known {
		return nil
	}
	info, err := c.stream(ctx, StreamEvents)
	if err != nil {
		return err
	}
	return c.isLog(info.Created, link)
}

// isLog notes when the stream was created, as told over a connection.
func (c *Conn) isLog(created time.Time, link uint64) error {
	c.identity.mu.Lock()
	defer c.identity.mu.Unlock()
	if c.identity.created.IsZero() {
		c.identity.created = created
	}
	if !c.identity.created.Equal(created) {
		return fmt.Errorf("%w: it was created %s, not %s", events.ErrReplaced,
			created.UTC().Format(time.RFC3339Nano), c.identity.created.UTC().Format(time.RFC3339Nano))
	}
	c.identity.link = link
	return nil
}

// mark is a place in the log and what stands there. A server that comes back
// with another store has another message there, or none.
type mark struct {
	seq     uint64
	subject string
	id      string
	at      time.Time
}

func markOf(d delivery) mark {
	return mark{d.seq, d.msg.Subject, d.msg.Header.Get(jetstream.MsgIDHeader), d.at}
}

// markAt is what stands at seq; empty where nothing does, or the role may not look.
func (c *Conn) markAt(ctx context.Context, seq uint64) (mark, error) {
	if seq == 0 || !c.role.readsLog() {
		return mark{}, nil
	}
	m, err := c.storedAt(ctx, seq)
	if err != nil || m == nil {
		return mark{}, err
	}
	return mark{m.Seq, m.Subject, m.MsgID, m.Time}, nil
}

// stillHolds makes sure that the log is the one in which m was found;
// events.ErrReplaced.
func (c *Conn) stillHolds(ctx context.Context, m mark) error {
	if m.seq == 0 || !c.role.readsLog() {
		return nil
	}
	now, err := c.markAt(ctx, m.seq)
	if err != nil {
		return err
	}
	if now.seq != m.seq || now.subject != m.subject || now.id != m.id || !now.at.Equal(m.at) {
		return fmt.Errorf("%w: event %d has changed", events.ErrReplaced, m.seq)
	}
	return nil
}

// witness notices stored events that are not delivered. The server skips what
// it cannot read without a word.
type witness struct {
	whole bool   // every sequence must come
	from  uint64 // where reading began
	seq   uint64 // the last one that came
	left  uint64 // events that were stored when reading began and have not come
}

func newWitness(f events.Filter, from, total uint64) *witness {
	return &witness{whole: f == events.Filter{}, from: from, left: total}
}

// see books a delivery. ErrHole when an event before it, or all that were
// counted behind it, are missing.
func (w *witness) see(d delivery) error {
	if w.left > 0 {
		w.left--
	}
	prev := w.seq
	if prev == 0 {
		prev = w.from - 1
	}
	w.seq = d.seq
	if w.whole && d.seq != prev+1 {
		return fmt.Errorf("%w: %d follows on %d", events.ErrHole, d.seq, prev)
	}
	if d.pending < w.left {
		return fmt.Errorf("%w: %d of them, at or before %d", events.ErrHole, w.left-d.pending, d.seq)
	}
	return nil
}

// nothingSkipped looks for holes up to d, the last stored event under f: what
// the server could not read it still counts as to come, and behind d there is
// less than that. ErrHole. On a cluster another replica counts, which may have
// to catch up first.
func (c *Conn) nothingSkipped(ctx context.Context, f events.Filter, d delivery) error {
	if d.pending == 0 {
		return nil
	}
	for until := time.Now().Add(holePatience); ; pause(ctx, lagPause) {
		behind, err := c.openFeed(ctx, f, d.seq+1)
		if err != nil {
			return err
		}
		behind.close()
		if behind.total >= d.pending || ctx.Err() != nil {
			return ctx.Err()
		}
		if !c.replicated.Load() || time.Now().After(until) {
			return fmt.Errorf("%w: %d of them, before %d", events.ErrHole, d.pending-behind.total, d.seq)
		}
	}
}

// LockedError says which process serves a data folder.
type LockedError struct {
	Dir    string
	PID    int
	Serves string
	Since  time.Time
}

// Error names the process.
func (e *LockedError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	if e.Serves != "" {
		who += " (" + e.Serves + ")"
	}
	return fmt.Sprintf("%v: %s is served by %s", ErrLocked, e.Dir, who)
}

// Is makes the error match ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// holder is what the lock file says about the process that holds it.
type holder struct {
	PID    int       `json:"pid"`
	Serves string    `json:"serves,omitempty"`
	Since  time.Time `json:"since"`
}

// lockFolder takes the data folder for this process. The operating system
// frees it when the process dies; the file stays and says who was last.
func lockFolder(dir, serves string) (*flock.Flock, error) {
	path := filepath.Join(dir, "bus.lock")
	lock := flock.New(path, flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	if !ok {
		return nil, lockedBy(dir, path)
	}
	body, err := json.Marshal(holder{PID: os.Getpid(), Serves: serves, Since: time.Now().UTC()})
	if err == nil {
		err = os.WriteFile(path, body, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, joinUnlock(err, lock))
	}
	return lock, nil
}

func lockedBy(dir, path string) error {
	e := &LockedError{Dir: dir}
	var h holder
	// A holder that has not written its name yet stays unnamed.
	if body, err := os.ReadFile(path); err == nil && json.Unmarshal(body, &h) == nil {
		e.PID, e.Serves, e.Since = h.PID, h.Serves, h.Since
	}
	return e
}
