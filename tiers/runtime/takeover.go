package runtime

import (
	"context"
	"errors"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// unprepared answers a call that this worker cannot make: it does not have the
// tool, or not in the version whose arguments were approved. A call of which a
// claim says how it ended ends so. One that another worker began and did not end
// is put off: that worker, or one with its tools, can tell how far it came.
func (w site) unprepared(ctx context.Context, d events.Delivery, p events.ToolApproved, why error) error {
	effect := approvedEffect(p)
	if end, err := w.isLate(ctx, d.Event.Session, p); err != nil {
		return err
	} else if end != nil {
		return w.afterClose(ctx, d, p, effect, *end)
	}
	out := w.settled(ctx, p, tools.Failure(why), 0)
	return w.settleUnrun(ctx, d, p, effect, out, func(l *lease, before claim) (events.ToolSettled, error) {
		if before.Ended != "" {
			return *before.outcome(p), nil
		}
		if err := l.busy(ctx, &before); err != nil {
			return out, err
		}
		return out, &events.NotBeforeError{Time: time.Now().Add(newerPause),
			Reason: "worker " + before.Worker + " began it, and this worker cannot: " + why.Error()}
	})
}

// settleUnrun settles a call that does not begin here with an outcome. That is the
// call's claim, so a slow worker that found the call open cannot begin it. Where
// this approval of the call was claimed before, earlier says what it came to.
func (w site) settleUnrun(ctx context.Context, d events.Delivery, p events.ToolApproved, effect tools.Effect,
	out events.ToolSettled,
	earlier func(*lease, claim) (events.ToolSettled, error)) error {
	if !changing(effect) { // such a call has no claim
		return w.answer(ctx, &d.Event, out)
	}
	l := w.lease(&d.Event, p)
	if err := l.ended(ctx, out); err != nil {
		return err
	}
	before, err := l.take(ctx)
	if err != nil {
		return err
	}
	if over, err := l.settledBefore(ctx); over || err != nil {
		return err
	}
	switch {
	case before == nil:
		return w.report(ctx, &d.Event, l, out)
	case before.Generation >= p.Generation:
		if out, err = earlier(l, *before); err != nil {
			return err
		}
	}
	return w.finish(ctx, &d.Event, l, out)
}

// approvedEffect is the effect that a call was approved with. A call without a
// readable one counts as changing.
func approvedEffect(p events.ToolApproved) tools.Effect {
	var effect tools.Effect
	if err := effect.UnmarshalText([]byte(p.Effect)); err != nil {
		return tools.Executes
	}
	return effect
}

// changing tells whether a call of an effect has a claim.
func changing(e tools.Effect) bool { return e.Has(tools.Writes) || e.Has(tools.Executes) }

// lockWait bounds the wait for the files of a call that is not taken up again.
const lockWait = time.Second

// lockChanges keeps other writers from the files of a claim until release.
// locked tells that another writer holds them.
func (w site) lockChanges(ctx context.Context, changes []tools.PlannedChange) (release func(), locked bool) {
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, sandbox.ErrBusy)
	defer cancel()
	names := make([]string, 0, len(changes))
	for _, c := range changes {
		names = append(names, c.Path)
	}
	guard, err := w.Env.Workspace.Lock(ctx, names...)
	if err != nil {
		return func() {}, errors.Is(err, sandbox.ErrBusy)
	}
	return guard.Release, false
}

// unclaimed handles a write that did not come to its claim: it failed before
// it would change anything, or its predecessor has changed the files already
// and the same edit finds nothing to do. A predecessor that is only stopped holds
// the lock on its files and may still write, so the call is put off.
func (w site) unclaimed(ctx context.Context, d events.Delivery, p events.ToolApproved, l *lease, out events.ToolSettled,
	locked bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	before, err := l.peek(ctx)
	if err != nil {
		return err
	}
	if over, err := l.settledBefore(ctx); over || err != nil {
		return err
	}
	if before == nil || before.Generation < p.Generation {
		return w.answer(ctx, &d.Event, out)
	}
	if err := l.busy(ctx, before); err != nil {
		return err
	}
	settled, err := w.resume(ctx, p, l, *before)
	if err != nil {
		return err
	}
	if settled == nil && locked {
		return &events.NotBeforeError{Time: time.Now().Add(busyPause),
			Reason: "worker " + before.Worker + " claimed it, and its files are locked"}
	}
	if settled == nil {
		settled = &out // nothing of it is in place, and it fails as it is now
	}
	return w.finish(ctx, &d.Event, l, *settled)
}

// resume reads what a predecessor's claim says. A nil outcome means that the
// call may run again, because every file is as it was before it.
func (w site) resume(ctx context.Context, p events.ToolApproved, l *lease, before claim) (*events.ToolSettled, error) {
	if before.Generation < p.Generation {
		return nil, nil
	}
	if before.Ended != "" {
		return before.outcome(p), nil
	}
	if before.Lost {
		out := w.interrupted(p)
		return &out, nil
	}
	done, untouched := true, true
	for _, c := range before.Changes {
		state, err := tools.ResumeChange(ctx, w.Env, c)
		if err != nil {
			w.Logger.Warn("a claimed file cannot be looked at", "path", c.Path, "error", err)
		}
		done = done && state == tools.ChangeAfter
		untouched = untouched && state == tools.ChangeBefore
	}
	switch {
	case untouched:
		return nil, nil
	case done:
		return inPlace(p, before.Changes), nil
	}
	l.claim.Changes = before.Changes
	out := w.interrupted(p)
	return &out, nil
}

// maxKills bounds the tickets of which a worker knows that they were killed. It
// forgets all of them beyond it and reads them from the log again.
const maxKills = 10_000

// kills remembers which tickets were killed, and cancels what runs for them. The
// zero value knows of none.
type kills struct {
	mu      sync.Mutex
	running map[string]map[int]running // by session and ticket
	killed  map[string]int             // newest killed attempt, by the same
	read    map[string]uint64          // sequence up to which kills were read, by session
	forgot  int                        // how often all of them were forgotten
	next    int
}

// running is a call under way.
type running struct {
	attempt int
	cancel  context.CancelCauseFunc
}

// heard takes a kill from the live feed or from the log.
func (k *kills) heard(e events.Event) {
	p, ok := e.Payload.(events.TicketKilled)
	if !ok {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.killed == nil || len(k.killed) >= maxKills {
		k.killed, k.read = map[string]int{}, map[string]uint64{}
		k.forgot++
	}
	key := e.Session + " " + p.Ticket
	k.killed[key] = max(k.killed[key], p.Attempt)
	// order-independent: every one of them is cancelled
	for _, r := range k.running[key] {
		if r.attempt <= p.Attempt {
			r.cancel(errKilled)
		}
	}
}

// has tells whether an attempt at a ticket was killed, as far as is known.
func (k *kills) has(session string, p events.ToolApproved) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	killed, ok := k.killed[session+" "+p.Ticket]
	return ok && p.Attempt <= killed
}

// watch gives a context for a call. It ends when the call's attempt is killed,
// and has ended where that is known.
func (k *kills) watch(ctx context.Context, session string, p events.ToolApproved) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if k.has(session, p) {
		cancel(errKilled)
	}
	key := session + " " + p.Ticket
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running == nil {
		k.running = map[string]map[int]running{}
	}
	if k.running[key] == nil {
		k.running[key] = map[int]running{}
	}
	k.next++
	id := k.next
	k.running[key][id] = running{p.Attempt, cancel}
	return ctx, func() {
		cancel(nil)
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.running[key], id)
		if len(k.running[key]) == 0 {
			delete(k.running, key)
		}
	}
}

// upTo is the sequence up to which a session's kills were read, and how often
// kills were forgotten.
func (k *kills) upTo(session string) (seq uint64, forgot int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.read[session], k.forgot
}

// reached notes that a session's kills were read up to a sequence; false where
// some were forgotten meanwhile.
func (k *kills) reached(session string, seq uint64, forgot int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.forgot != forgot {
		return false
	}
	if k.read == nil || len(k.read) >= maxKills {
		k.read = map[string]uint64{}
	}
	k.read[session] = max(k.read[session], seq)
	return true
}

// isKilled reads from the log whether the attempt that a call is for was
// killed, wherever the yes to it stands. An undo belongs to no attempt.
func (w *Worker) isKilled(ctx context.Context, session string, p events.ToolApproved) (bool, error) {
	if p.Tool == events.RestoreTool {
		return false, nil
	}
	f := events.Filter{Project: w.Project, Session: session, Actor: events.ActorConductor,
		Type: events.NameOf[events.TicketKilled]()}
	last, err := w.Log.Last(ctx, f)
	if err != nil {
		return false, err
	}
	from, forgot := w.kills.upTo(session)
	if last > from {
		if err := w.readKills(ctx, f, from, w.kills.heard); err != nil {
			return false, err
		}
	}
	killed := w.kills.has(session, p)
	if w.kills.reached(session, last, forgot) {
		return killed, nil
	}
	killed = false // what was read is forgotten: there are too many
	err = w.readKills(ctx, f, 0, func(e events.Event) {
		k, ok := e.Payload.(events.TicketKilled)
		killed = killed || ok && k.Ticket == p.Ticket && p.Attempt <= k.Attempt
	})
	return killed, err
}

// readKills reads the kills behind a sequence.
func (w *Worker) readKills(ctx context.Context, f events.Filter, behind uint64, take func(events.Event)) error {
	registry := events.Catalogue()
	for e, err := range w.Log.Read(ctx, f, behind+1, 0) {
		if err != nil {
			return err
		}
		registry.Decode(&e)
		take(e)
	}
	return nil
}
