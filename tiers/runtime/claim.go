package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"manualslop/events"
	"manualslop/tools"
)

// claim is the lease on one call that changes something. Its key is the
// session and the call; its revision is the fence: whoever holds an older one
// cannot record an outcome.
type claim struct {
	Worker     string                `json:"worker"`
	Generation int                   `json:"generation"`
	Changes    []tools.PlannedChange `json:"changes,omitempty"` // files as they were and as they are to be
	Outcome    *events.ToolSettled   `json:"outcome,omitempty"` // what was found out; it may not be on the log yet
	// Whole is the digest of the blob that holds the claim, where it is over maxClaim.
	Whole string `json:"whole,omitempty"`
}

// maxClaim bounds a claim that is stored as it is, in bytes of JSON; the bus
// takes a little more.
const maxClaim = 48 << 10

// lease is a claim that this worker holds.
type lease struct {
	w        *Worker
	key      string
	revision uint64
	claim    claim
	held     bool
}

func (w *Worker) lease(session string, p events.ToolApproved) *lease {
	return &lease{w: w, key: session + "." + p.Call, claim: claim{Worker: w.Name, Generation: p.Generation}}
}

// take claims the call. Where somebody claimed it before, it tells what that
// claim says; the caller decides whether it may be taken over.
func (l *lease) take(ctx context.Context) (before *claim, err error) {
	value, err := l.value(ctx)
	if err != nil {
		return nil, err
	}
	l.revision, err = l.w.Claims.Create(ctx, l.key, value)
	if err == nil {
		l.held = true
		return nil, nil
	}
	if !errors.Is(err, ErrClaimed) {
		return nil, fmt.Errorf("claim %s: %w", l.key, err)
	}
	if before, err = l.peek(ctx); err == nil && before == nil {
		err = fmt.Errorf("claim %s: %w, and cannot be read", l.key, ErrClaimed) // not ours, so nothing may run
	}
	return before, err
}

// peek reads the claim as it stands; nil if nobody made one.
func (l *lease) peek(ctx context.Context) (*claim, error) {
	value, revision, err := l.w.Claims.Get(ctx, l.key)
	if errors.Is(err, ErrUnclaimed) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read claim %s: %w", l.key, err)
	}
	var c claim
	err = json.Unmarshal(value, &c)
	if err == nil && c.Whole != "" {
		if value, err = l.w.Blobs.Get(ctx, c.Whole); err == nil {
			err = json.Unmarshal(value, &c)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("claim %s is unreadable: %w", l.key, err)
	}
	l.revision = revision
	return &c, nil
}

// value is what is stored of the claim.
func (l *lease) value(ctx context.Context) ([]byte, error) {
	value, err := json.Marshal(l.claim)
	if err != nil || len(value) <= maxClaim {
		return value, err
	}
	ref, err := l.w.Blobs.Put(ctx, value, "application/json")
	if err != nil {
		return nil, fmt.Errorf("claim %s: %w", l.key, err)
	}
	return json.Marshal(claim{Worker: l.claim.Worker, Generation: l.claim.Generation, Whole: ref.SHA256})
}

// write stores the lease's claim in place of the one last seen; ErrConflict if
// somebody else was faster.
func (l *lease) write(ctx context.Context) error {
	value, err := l.value(ctx)
	if err != nil {
		return err
	}
	revision, err := l.w.Claims.Update(ctx, l.key, value, l.revision)
	if err != nil {
		return fmt.Errorf("update claim %s: %w", l.key, err)
	}
	l.revision, l.held = revision, true
	return nil
}

// settle records the outcome in the claim before it goes to the log. A lease
// that was taken over meanwhile may not settle.
func (l *lease) settle(ctx context.Context, out events.ToolSettled) error {
	l.claim.Outcome = &out
	return l.write(ctx)
}

// fillIn says of a written file what it was before the claimed change.
func (l *lease) fillIn(f *events.FileState) {
	for _, c := range l.claim.Changes {
		if c.Path == f.Path {
			f.Before, f.BeforeMode, f.Mode = c.Before, bits(c.BeforeMode), bits(c.AfterMode)
		}
	}
}

// bits are the permission bits of a mode.
func bits(mode fs.FileMode) uint32 { return uint32(mode.Perm()) }
