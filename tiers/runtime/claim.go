package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"manualslop/events"
	"manualslop/tools"
)

// claim is the lease on one call that changes something. Its key is the session
// and the call; its revision is a fencing token: the holder of an older one
// cannot record an outcome. It is purged only once the outcome is in the log, so a claim alone
// does not prove that the call has no outcome; see settledBefore.
type claim struct {
	Worker     string                `json:"worker"`
	Process    string                `json:"process,omitempty"` // of the worker; see bus.Conn.Process
	Generation int                   `json:"generation"`
	Tool       string                `json:"tool,omitempty"`
	Approved   uint64                `json:"approved,omitempty"` // sequence of the approval
	Changes    []tools.PlannedChange `json:"changes,omitempty"`  // current and intended state of the files
	List       string                `json:"list,omitempty"`     // digest of the blob with Changes, if they are many
	Ended      string                `json:"ended,omitempty"`    // kind of the outcome, which may not be in the log yet
	SHA256     string                `json:"sha256,omitempty"`   // of the outcome
	Lost       bool                  `json:"lost,omitempty"`     // the real claim was lost; see bus.LostClaim
	// Outcome is the part that cannot be derived from Changes. A large one is stored as the blob
	// SHA256.
	Outcome *events.ToolSettled `json:"outcome,omitempty"`
}

// Limits of what is stored in a claim itself, in bytes of JSON; anything larger is a blob. Together with the other
// members of a claim they fit into bus.MaxClaim.
const (
	maxChangesInline = 2 << 10
	maxOutcomeInline = 5 << 10 // most results, so that an outcome rarely costs a blob that nobody reads afterwards
)

// lease is a claim that this worker holds.
type lease struct {
	w        *Worker
	session  string
	call     events.ToolApproved
	key      string
	revision uint64
	claim    claim
	held     bool
}

func (w *Worker) lease(approval *events.Event, p events.ToolApproved) *lease {
	return &lease{w: w, session: approval.Session, call: p, key: approval.Session + "." + p.Call,
		claim: claim{Worker: w.Name, Process: w.Process, Generation: p.Generation, Tool: p.Tool, Approved: approval.Seq}}
}

// take claims the call. If it was already claimed, take returns that claim, and
// the caller decides whether it may be taken over.
func (l *lease) take(ctx context.Context) (before *claim, err error) {
	value, err := l.value(ctx)
	if err != nil {
		return nil, err
	}
	l.revision, err = l.w.Claims.CreateClaim(ctx, l.key, value)
	if err == nil {
		l.held = true
		return nil, nil
	}
	if !errors.Is(err, events.ErrClaimed) {
		return nil, fmt.Errorf("claim %s: %w", l.key, err)
	}
	if before, err = l.peek(ctx); err == nil && before == nil {
		err = fmt.Errorf("claim %s: %w, and cannot be read", l.key, events.ErrClaimed) // not ours, so nothing may run
	}
	return before, err
}

// peek reads the current claim; nil if there is none.
func (l *lease) peek(ctx context.Context) (*claim, error) {
	value, revision, err := l.w.Claims.Claim(ctx, l.key)
	if errors.Is(err, events.ErrNoKey) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read claim %s: %w", l.key, err)
	}
	var c claim
	if err = json.Unmarshal(value, &c); err == nil {
		err = l.w.fetch(ctx, &c)
	}
	if err != nil {
		return nil, fmt.Errorf("claim %s is unreadable: %w", l.key, err)
	}
	l.revision = revision
	return &c, nil
}

// busyPause is the delay before another check of a call whose holder is still running.
const busyPause = time.Second

// busy returns the error that postpones a call because another worker holds its
// claim and is working on it; nil if the claim is free, settled or abandoned.
func (l *lease) busy(ctx context.Context, before *claim) error {
	if l.w.Peers == nil || before == nil || before.Lost || before.Ended != "" ||
		before.Generation < l.claim.Generation || before.Worker == l.w.Name && before.Process == l.w.Process {
		return nil
	}
	held, err := l.w.Peers.Holds(ctx, l.w.Project, before.Worker, before.Process, l.claim.Approved)
	if err != nil {
		return fmt.Errorf("ask whether worker %s is running: %w", before.Worker, err)
	}
	if held {
		return &events.NotBeforeError{Time: time.Now().Add(busyPause), Reason: "worker " + before.Worker +
			" is working on it"}
	}
	return nil
}

// fetch reads the parts of a claim that are blobs.
func (w *Worker) fetch(ctx context.Context, c *claim) error {
	if c.List != "" {
		b, err := w.Blobs.Get(ctx, c.List)
		if err == nil {
			err = json.Unmarshal(b, &c.Changes)
		}
		if err != nil {
			return err
		}
	}
	if c.Ended == "" || c.Outcome != nil || c.tells() {
		return nil
	}
	b, err := w.Blobs.Get(ctx, c.SHA256)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, &c.Outcome)
}

// tells reports whether the outcome can be derived from Changes.
func (c *claim) tells() bool { return c.Ended == events.ToolDone && len(c.Changes) > 0 }

// outcome returns the call's outcome according to the claim; nil if unknown.
func (c *claim) outcome(p events.ToolApproved) *events.ToolSettled {
	if c.Outcome == nil && c.tells() {
		return inPlace(p, c.Changes)
	}
	return c.Outcome
}

// inPlace returns the outcome of a call whose changes are already made.
func inPlace(p events.ToolApproved, changes []tools.PlannedChange) *events.ToolSettled {
	text := "done: the change is in place; its first worker stopped after making it"
	out := events.ToolSettled{Call: p.Call, Tool: p.Tool, Outcome: events.ToolDone,
		Text: text, SHA256: events.Digest([]byte(text)), ArgsSHA256: p.ArgsSHA256, Generation: p.Generation}
	for _, c := range changes {
		out.Files = append(out.Files, events.FileState{Path: c.Path, SHA256: c.After, Size: c.AfterSize, Written: true,
			Before: c.Before, Mode: bits(c.AfterMode), BeforeMode: bits(c.BeforeMode)})
	}
	out.Edited = edited(changes)
	return &out
}

// value returns the stored form of the claim.
func (l *lease) value(ctx context.Context) ([]byte, error) {
	c := l.claim
	if c.List == "" && len(c.Changes) > 0 {
		list, err := json.Marshal(c.Changes)
		if err != nil {
			return nil, err
		}
		if len(list) > maxChangesInline {
			ref, err := l.w.Blobs.Put(ctx, list, "application/json")
			if err != nil {
				return nil, fmt.Errorf("claim %s: %w", l.key, err)
			}
			c.List, l.claim.List = ref.SHA256, ref.SHA256
		}
	}
	if c.List != "" {
		c.Changes = nil
	}
	return json.Marshal(c)
}

// write replaces the claim that was read last with the lease's. It returns ErrConflict if another
// worker was faster.
func (l *lease) write(ctx context.Context) error {
	value, err := l.value(ctx)
	if err != nil {
		return err
	}
	revision, err := l.w.Claims.UpdateClaim(ctx, l.key, value, l.revision)
	if err != nil {
		return fmt.Errorf("update claim %s: %w", l.key, err)
	}
	l.revision, l.held = revision, true
	return nil
}

// settle records the call's outcome in the claim before it is appended to the
// log. A lease that was taken over in the meantime may not settle.
func (l *lease) settle(ctx context.Context, out events.ToolSettled) error {
	if err := l.ended(ctx, out); err != nil {
		return fmt.Errorf("claim %s: %w", l.key, err)
	}
	return l.write(ctx)
}

// ended adds the digest of an outcome to the claim, and the outcome itself if a
// later holder could not determine it.
func (l *lease) ended(ctx context.Context, out events.ToolSettled) error {
	body, err := json.Marshal(out)
	if err != nil {
		return err
	}
	l.claim.Ended, l.claim.SHA256, l.claim.Outcome = out.Outcome, events.Digest(body), nil
	switch {
	case l.claim.tells():
	case len(body) <= maxOutcomeInline:
		l.claim.Outcome = &out
	default:
		_, err = l.w.Blobs.Put(ctx, body, "application/json")
	}
	return err
}

// purgeWait limits the duration of purging a claim.
const purgeWait = 5 * time.Second

// purge removes the claim that was read last, in the background.
func (l *lease) purge(ctx context.Context) {
	revision := l.revision
	l.w.purges.Go(func() { l.remove(ctx, revision) })
}

// remove is like purge but waits. If it fails, sweepClaims removes the claim later.
func (l *lease) remove(ctx context.Context, revision uint64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), purgeWait)
	defer cancel()
	if err := l.w.Claims.PurgeClaim(ctx, l.key, revision); err != nil {
		l.w.Logger.Info("cannot remove a claim; the next sweep will", "key", l.key, "error", err)
	}
}

// fillIn adds the state before the claimed change to a written file.
func (l *lease) fillIn(f *events.FileState) {
	for _, c := range l.claim.Changes {
		if c.Path == f.Path {
			f.Before, f.BeforeMode, f.Mode = c.Before, bits(c.BeforeMode), bits(c.AfterMode)
		}
	}
}

// bits returns the permission bits of a mode.
func bits(mode fs.FileMode) uint32 { return uint32(mode.Perm()) }
