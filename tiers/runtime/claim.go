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
// and the call; its revision is the fence: the holder of an older one cannot
// record an outcome. It is purged when the outcome is on the log, so a claim is
// proof of nothing without a look at the log; see settledBefore.
type claim struct {
	Worker     string                `json:"worker"`
	Process    string                `json:"process,omitempty"` // of the worker; see bus.Conn.Process
	Generation int                   `json:"generation"`
	Tool       string                `json:"tool,omitempty"`
	Approved   uint64                `json:"approved,omitempty"` // sequence of the approval
	Changes    []tools.PlannedChange `json:"changes,omitempty"`  // files as they were and as they are to be
	List       string                `json:"list,omitempty"`     // digest of the blob with Changes, where they are many
	Ended      string                `json:"ended,omitempty"`    // kind of the outcome; it may not be on the log yet
	SHA256     string                `json:"sha256,omitempty"`   // of the outcome
	Lost       bool                  `json:"lost,omitempty"`     // the true claim was lost; see bus.LostClaim
	// Outcome is what Changes cannot tell again. A large one is the blob SHA256.
	Outcome *events.ToolSettled `json:"outcome,omitempty"`
}

// maxInline bounds what a claim holds itself of its changes, and of its outcome,
// in bytes of JSON; more is a blob.
const maxInline = 2 << 10

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

// take claims the call. Where somebody claimed it before, it tells what that
// claim says; the caller decides whether it may be taken over.
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

// peek reads the claim as it stands; nil if nobody made one.
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

// busyPause is when a call is looked at again whose holder is at work.
const busyPause = time.Second

// busy is the error that puts a call off because another worker holds its claim
// and is at work on it; nil where the claim is free, ended or left behind.
func (l *lease) busy(ctx context.Context, before *claim) error {
	if l.w.Peers == nil || before == nil || before.Lost || before.Ended != "" ||
		before.Generation < l.claim.Generation || before.Worker == l.w.Name && before.Process == l.w.Process {
		return nil
	}
	held, err := l.w.Peers.Holds(ctx, l.w.Project, before.Worker, before.Process, l.claim.Approved)
	if err != nil {
		return fmt.Errorf("ask for worker %s: %w", before.Worker, err)
	}
	if held {
		return &events.NotBeforeError{Time: time.Now().Add(busyPause), Reason: "worker " + before.Worker +
			" is at work on it"}
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

// tells reports whether the outcome follows from the changes.
func (c *claim) tells() bool { return c.Ended == events.ToolDone && len(c.Changes) > 0 }

// outcome is what the claim says that the call came to; nil where it does not know.
func (c *claim) outcome(p events.ToolApproved) *events.ToolSettled {
	if c.Outcome == nil && c.tells() {
		return inPlace(p, c.Changes)
	}
	return c.Outcome
}

// inPlace is the outcome of a call whose changes are in the files.
func inPlace(p events.ToolApproved, changes []tools.PlannedChange) *events.ToolSettled {
	text := "done: the change is in place; its first worker stopped after it"
	out := events.ToolSettled{Call: p.Call, Tool: p.Tool, Outcome: events.ToolDone,
		Text: text, SHA256: events.Digest([]byte(text)), ArgsSHA256: p.ArgsSHA256, Generation: p.Generation}
	for _, c := range changes {
		out.Files = append(out.Files, events.FileState{Path: c.Path, SHA256: c.After, Size: c.AfterSize, Written: true,
			Before: c.Before, Mode: bits(c.AfterMode), BeforeMode: bits(c.BeforeMode)})
	}
	out.Edited = edited(changes)
	return &out
}

// value is what is stored of the claim.
func (l *lease) value(ctx context.Context) ([]byte, error) {
	c := l.claim
	if c.List == "" && len(c.Changes) > 0 {
		list, err := json.Marshal(c.Changes)
		if err != nil {
			return nil, err
		}
		if len(list) > maxInline {
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

// write stores the lease's claim in place of the one last seen; ErrConflict if
// somebody else was faster.
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

// settle records in the claim what the call came to, before it goes to the log.
// A lease that was taken over meanwhile may not settle.
func (l *lease) settle(ctx context.Context, out events.ToolSettled) error {
	if err := l.ended(ctx, out); err != nil {
		return fmt.Errorf("claim %s: %w", l.key, err)
	}
	return l.write(ctx)
}

// ended puts the digest of an outcome into the claim, and the outcome itself
// where a successor could not find it out again.
func (l *lease) ended(ctx context.Context, out events.ToolSettled) error {
	body, err := json.Marshal(out)
	if err != nil {
		return err
	}
	l.claim.Ended, l.claim.SHA256, l.claim.Outcome = out.Outcome, events.Digest(body), nil
	switch {
	case l.claim.tells():
	case len(body) <= maxInline:
		l.claim.Outcome = &out
	default:
		_, err = l.w.Blobs.Put(ctx, body, "application/json")
	}
	return err
}

// purgeWait bounds how long a claim's purge may take.
const purgeWait = 5 * time.Second

// purge removes the claim as it was last seen, while the worker goes on.
func (l *lease) purge(ctx context.Context) {
	revision := l.revision
	l.w.purges.Go(func() { l.remove(ctx, revision) })
}

// remove is purge that waits. A claim that stays is removed by the next sweep;
// see sweepClaims.
func (l *lease) remove(ctx context.Context, revision uint64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), purgeWait)
	defer cancel()
	if err := l.w.Claims.PurgeClaim(ctx, l.key, revision); err != nil {
		l.w.Logger.Info("a claim is left over for the next sweep", "key", l.key, "error", err)
	}
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
