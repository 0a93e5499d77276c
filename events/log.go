package events

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Errors of a [Log]. Callers branch on them with errors.Is.
var (
	// ErrConflict means that another writer appended under the expected filter
	// first.
	ErrConflict = errors.New("log: another writer appended first")
	// ErrDuplicate means that another, different event is stored under the same id.
	ErrDuplicate = errors.New("log: the id is used by another event")
	// ErrHole means that stored events are missing: damage.
	ErrHole = errors.New("log: events are missing from the stream")
	// ErrFull means that the disk budget is used up; nothing was stored or
	// forgotten.
	ErrFull = errors.New("log: the disk budget is used up")
	// ErrDiskFull means that the file system has no room; nothing was stored. It is
	// an ErrFull after which the log continues by itself when there is room.
	ErrDiskFull error = stillFull("log: the disk is full")
	// ErrReserve means that only the reserve of the budget is left, so nothing new
	// may start; nothing was stored. It is an ErrFull, but events that continue
	// running work or close sessions are still stored.
	ErrReserve error = stillFull("log: only the reserve of the disk budget is left, so nothing new starts")
	// ErrTooLarge means that an event is larger than MaxEventBytes.
	ErrTooLarge = errors.New("log: event too large")
	// ErrDenied means that the connection's rights do not allow the operation.
	ErrDenied = errors.New("log: not permitted")
	// ErrSlow means that a live reader fell behind and was cut off; it may watch
	// again from its position.
	ErrSlow = errors.New("log: reader too slow")
	// ErrReplaced means that the log is not the one that was read before: it is
	// shorter, or another event is at the reader's position. What was read must not
	// be mixed with its current content.
	ErrReplaced = errors.New("log: the history differs from the one that was read")
	// ErrClosed means that the log was closed.
	ErrClosed = errors.New("log: closed")
)

// MaxEventBytes is the maximum size of one stored event, including the
// envelope.
const MaxEventBytes = 512 << 10

// MaxInline is the largest body part kept inside an event; larger texts go to
// the blob store and are named by digest.
const MaxInline = 64 << 10

// Expect is a compare-and-set: the append succeeds only if the last event under
// Filter is still at Last (0 means that there is none yet).
type Expect struct {
	Filter Filter
	Last   uint64
}

// Log is the one stream of facts. Every implementation passes
// eventstest.TestLog. Events are yielded with Seq set. Those of Watch may be decoded;
// else Payload is nil, and a caller decodes with its [Registry].
type Log interface {
	// Append stores e and returns its sequence. A second append of the same ID
	// within the log's window is acknowledged with the first one's sequence, or
	// rejected with ErrDuplicate if the log can tell that the two differ. Errors:
	// ErrConflict, ErrFull, ErrTooLarge, ErrDenied, or the context's.
	Append(ctx context.Context, e Event, x *Expect) (uint64, error)
	// Read yields the stored events under f with from <= Seq <= to in stream order;
	// to == 0 means the end of the stream at the time of the call. An error is the
	// last thing yielded; it is ErrHole if stored events are missing.
	Read(ctx context.Context, f Filter, from, to uint64) iter.Seq2[Event, error]
	// Watch yields the stored events under f from sequence from on, and then each
	// new one as it is stored, until ctx ends (it then stops without an error).
	// Cutoff is the sequence of the newest event under f when the call was made, 0
	// if there was none: the replay is over once an event at or past it was
	// yielded, or at once if it is below from.
	Watch(ctx context.Context, f Filter, from uint64) (cutoff uint64, feed iter.Seq2[Event, error], err error)
	// Last returns the sequence of the newest event under f, 0 if there is none.
	Last(ctx context.Context, f Filter) (uint64, error)
}

// BlobRef names bytes in the blob store by content.
type BlobRef struct {
	SHA256    string `json:"sha256"`
	Size      int64  `json:"size"`
	MediaType string `json:"media_type,omitempty"`
}

// Blobs is the content-addressed store of bodies over MaxInline.
type Blobs interface {
	// Put stores b under its SHA-256; storing the same bytes again is free.
	Put(ctx context.Context, b []byte, mediaType string) (BlobRef, error)
	// Get returns the bytes and fails if they do not match the digest. It returns
	// ErrNoBlob if there is none.
	Get(ctx context.Context, sha256 string) ([]byte, error)
}

// ErrNoBlob means that no blob has the requested digest.
var ErrNoBlob = errors.New("no such blob")

// stillFull is a kind of ErrFull that is waited for.
type stillFull string

// Error returns what is full.
func (e stillFull) Error() string { return string(e) }

// Is makes the error match ErrFull, too.
func (stillFull) Is(target error) bool { return target == ErrFull }

// Kinds of pools. Each project has one pool of each kind; see [PoolName].
const (
	// PoolTools holds approved tool calls, workspaces and merges.
	PoolTools = "tools"
	// PoolShort holds previews, views, injections and refreshes.
	PoolShort = "short"
	// PoolModels holds model calls.
	PoolModels = "models"
)

// PoolName returns the name of a project's pool of one kind. It is a subject
// token.
func PoolName(kind, project string) string { return kind + "-" + project }

// ErrTakenOver is returned by a handler of pool work that another handler has
// taken over. The work is left to that one: it is neither done nor released.
var ErrTakenOver = errors.New("the work was taken over")

// NeedsNewer starts the reason of work that a program releases because it is
// too old to read it.
const NeedsNewer = "needs a newer program"

// NotBeforeError is returned by a handler of pool work that is not due yet. The
// pool redelivers the work at the given time and frees the slot until then.
type NotBeforeError struct {
	Time time.Time
	// Reason says for people what the work waits for; empty: only its time.
	Reason string
}

// Error names the time and the reason.
func (e *NotBeforeError) Error() string {
	said := fmt.Sprintf("not before %s", e.Time.UTC().Format(time.RFC3339Nano))
	if e.Reason != "" {
		said += ": " + e.Reason
	}
	return said
}

// Errors of pools of work and of claims. Callers branch on them with errors.Is.
var (
	// ErrClaimed says that a claim exists already.
	ErrClaimed = errors.New("already claimed")
	// ErrNoKey says that nothing is stored under a key.
	ErrNoKey = errors.New("no such key")
	// ErrNoPool says that there is no work pool of that name.
	ErrNoPool = errors.New("no such pool")
)

// Delivery is one piece of work from a pool. It may have been handed out before, to
// this process or another, and that one may have carried it out.
type Delivery struct {
	Event Event
	// Deliveries counts how often it was handed out, this time included.
	Deliveries int
}
