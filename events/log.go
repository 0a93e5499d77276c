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
	// ErrConflict means that another writer was the first to append under the expected filter.
	ErrConflict = errors.New("log: another writer appended first")
	// ErrDuplicate means that a different event is stored with the same id.
	ErrDuplicate = errors.New("log: the id is used by another event")
	// ErrHole means that stored events are missing, so the log is damaged.
	ErrHole = errors.New("log: events are missing from the stream")
	// ErrFull means that the disk budget is used up. Nothing was stored, and nothing was lost.
	ErrFull = errors.New("log: the disk budget is used up")
	// ErrDiskFull means that the file system has no space left; nothing was stored. It is an
	// ErrFull from which the log recovers by itself once there is space.
	ErrDiskFull error = stillFull("log: the disk is full")
	// ErrReserve means that only the reserve of the budget is left, so nothing new may start;
	// nothing was stored. It is an ErrFull, but events that continue running work or close
	// sessions are still accepted.
	ErrReserve error = stillFull("log: only the reserve of the disk budget is left, so nothing new starts")
	// ErrTooLarge means that an event is larger than MaxEventBytes.
	ErrTooLarge = errors.New("log: event too large")
	// ErrDenied means that the connection's rights do not allow the operation.
	ErrDenied = errors.New("log: not permitted")
	// ErrSlow means that a live reader fell behind and was disconnected; it can watch again from
	// its position.
	ErrSlow = errors.New("log: reader too slow")
	// ErrReplaced means that the log is not the one that was read before: it is shorter, or has
	// another event at the reader's position. Earlier content must not be mixed with its current
	// content.
	ErrReplaced = errors.New("log: the history differs from the one that was read")
	// ErrClosed means that the log was closed.
	ErrClosed = errors.New("log: closed")
)

// MaxEventBytes is the maximum size of one stored event, including the
// envelope.
const MaxEventBytes = 512 << 10

// MaxInline is the maximum size of a text inside an event; larger texts are stored in the blob
// store and referred to by digest.
const MaxInline = 64 << 10

// Expect makes an append conditional: it succeeds only if the last event under Filter is still at
// Last (0 means that there is none yet).
type Expect struct {
	Filter Filter
	Last   uint64
}

// Log is the stream of facts. Every implementation passes eventstest.TestLog. Events are yielded
// with Seq set. Events of Watch may be decoded; otherwise Payload is nil, and the caller decodes
// it with its [Registry].
type Log interface {
	// Append stores e and returns its sequence. If the same id is appended again within the log's
	// window, Append returns the first event's sequence, or ErrDuplicate if the log can tell that
	// the two differ. It returns ErrConflict, ErrFull, ErrTooLarge, ErrDenied, or the context's
	// error.
	Append(ctx context.Context, e Event, x *Expect) (uint64, error)
	// Read yields the stored events under f with from <= Seq <= to in stream order; to == 0 means
	// the end of the stream at the time of the call. If there is an error, it is the last item; it
	// is ErrHole if stored events are missing.
	Read(ctx context.Context, f Filter, from, to uint64) iter.Seq2[Event, error]
	// Watch yields the stored events under f from the sequence from on, and then each new one as
	// it is stored. When ctx ends, it stops without an error. Cutoff is the sequence of the newest
	// event under f at the time of the call, or 0 if there was none: the replay is complete once
	// an event at or after cutoff was yielded, or immediately if cutoff is below from.
	Watch(ctx context.Context, f Filter, from uint64) (cutoff uint64, feed iter.Seq2[Event, error], err error)
	// Last returns the sequence of the newest event under f, 0 if there is none.
	Last(ctx context.Context, f Filter) (uint64, error)
}

// BlobRef identifies bytes in the blob store by their content.
type BlobRef struct {
	SHA256    string `json:"sha256"`
	Size      int64  `json:"size"`
	MediaType string `json:"media_type,omitempty"`
}

// Blobs is the content-addressed store for texts larger than MaxInline.
type Blobs interface {
	// Put stores b under its SHA-256; storing the same bytes again has no effect.
	Put(ctx context.Context, b []byte, mediaType string) (BlobRef, error)
	// Get returns the bytes, or an error if they do not match the digest. It returns ErrNoBlob if
	// there is no such blob.
	Get(ctx context.Context, sha256 string) ([]byte, error)
}

// ErrNoBlob means that no blob has the requested digest.
var ErrNoBlob = errors.New("no such blob")

// stillFull is a kind of ErrFull that may go away by waiting.
type stillFull string

// Error returns what is full.
func (e stillFull) Error() string { return string(e) }

// Is makes the error also match ErrFull.
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

// ErrTakenOver is returned by a handler of pool work if another handler has taken over the work. The work is left to
// the other handler: it is neither acknowledged nor released.
var ErrTakenOver = errors.New("the work was taken over")

// NeedsNewer is the beginning of the reason with which a program releases work that it is too old
// to read.
const NeedsNewer = "needs a newer program"

// NotBeforeError is returned by a handler of pool work that is not due yet. The pool frees the
// slot and redelivers the work at the given time.
type NotBeforeError struct {
	Time time.Time
	// Reason tells people what the work waits for; empty if only for its time.
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
	// ErrClaimed means that a claim already exists.
	ErrClaimed = errors.New("already claimed")
	// ErrNoKey means that nothing is stored under a key.
	ErrNoKey = errors.New("no such key")
	// ErrNoPool means that there is no work pool with that name.
	ErrNoPool = errors.New("no such pool")
)

// Delivery is one piece of work from a pool. It may have been delivered before, to this process or
// another, and may already have been carried out.
type Delivery struct {
	Event Event
	// Deliveries counts how often it was delivered, including this time.
	Deliveries int
}
