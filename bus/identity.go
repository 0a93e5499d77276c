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

// identity identifies the log that a connection reads. A server that comes back may have another store, in which
// the sequences refer to other events.
type identity struct {
	mu      sync.Mutex
	created time.Time // creation time of the stream; zero until known
	link    uint64    // the connection on which that was last checked
}

// sameLog checks once per connection that the stream is still the one first seen. If it is not, sameLog returns
// events.ErrReplaced. A role without the right to check assumes that it is.
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

// isLog records the creation time of the stream, as reported over a connection, or compares it with the recorded one.
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

// mark is a position in the log with the message there. If a server comes back with another store, the message
// there differs or is missing.
type mark struct {
	seq     uint64
	subject string
	id      string
	at      time.Time
}

func markOf(d delivery) mark {
	return mark{d.seq, d.msg.Subject, d.msg.Header.Get(jetstream.MsgIDHeader), d.at}
}

// markAt returns the mark at seq. It is empty if there is no message or the role may not read it.
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

// stillHolds checks that the log still contains m. If it does not, stillHolds returns events.ErrReplaced.
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

// witness detects stored events that are not delivered, because the server silently skips what it cannot read.
type witness struct {
	whole bool   // every sequence must be delivered
	from  uint64 // where reading began
	seq   uint64 // the last sequence delivered
	left  uint64 // events that were stored when reading began and are not yet delivered
}

func newWitness(f events.Filter, from, total uint64) *witness {
	return &witness{whole: f == events.Filter{}, from: from, left: total}
}

// see records a delivery. It returns ErrHole if an event before it, or all the events counted after it, are missing.
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
		return fmt.Errorf("%w: sequence %d follows %d", events.ErrHole, d.seq, prev)
	}
	if d.pending < w.left {
		return fmt.Errorf("%w: %d missing at or before sequence %d", events.ErrHole, w.left-d.pending, d.seq)
	}
	return nil
}

// nothingSkipped looks for holes up to d, the last stored event under f, and returns ErrHole if there is one.
// Unreadable events still count as pending, so then fewer events follow d than that number. In a cluster another
// replica does the counting and may have to catch up first.
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
			return fmt.Errorf("%w: %d missing before sequence %d", events.ErrHole, d.pending-behind.total, d.seq)
		}
	}
}

// LockedError names the process that uses a data folder.
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

// holder is the lock file's description of the process that holds the lock.
type holder struct {
	PID    int       `json:"pid"`
	Serves string    `json:"serves,omitempty"`
	Since  time.Time `json:"since"`
}

// lockFolder locks the data folder for this process. The operating system
// releases the lock when the process ends; the file remains and names the last
// holder.
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
	// A holder that has not written its name yet is not named.
	if body, err := os.ReadFile(path); err == nil && json.Unmarshal(body, &h) == nil {
		e.PID, e.Serves, e.Since = h.PID, h.Serves, h.Since
	}
	return e
}
