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

// unprepared answers a call that this worker cannot make because it does not have the tool, or not
// in the version whose arguments were approved. If a claim records how the call ended, that is its
// outcome. A call that another worker started and did not end is postponed: that worker, or one
// with its tools, can determine how far it got.
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
			Reason: "worker " + before.Worker + " started it, and this worker cannot continue it: " + why.Error()}
	})
}

// settleUnrun settles a call that is not started here. It writes the outcome to the call's claim,
// so that a slow worker which saw the call as open cannot start it. If this approval of the call
// was already claimed, earlier determines the outcome.
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

// approvedEffect returns the effect that a call was approved with. A call
// without a readable one counts as changing.
func approvedEffect(p events.ToolApproved) tools.Effect {
	var effect tools.Effect
	if err := effect.UnmarshalText([]byte(p.Effect)); err != nil {
		return tools.Executes
	}
	return effect
}

// changing reports whether a call with this effect needs a claim.
func changing(e tools.Effect) bool { return e.Has(tools.Writes) || e.Has(tools.Executes) }

// lockWait limits the wait for the files of a call that is not resumed.
const lockWait = time.Second

// lockChanges locks the files of a claim until release is called. locked means that another writer
// holds them.
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

// unclaimed handles a write that was not claimed: either it failed before changing anything, or an
// earlier attempt has already changed the files and the same edit finds nothing to do. An earlier
// attempt that is only suspended holds the lock on its files and may still write, so the call is
// postponed.
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
		settled = &out // none of its changes was made, and it fails now
	}
	return w.finish(ctx, &d.Event, l, *settled)
}

// resume evaluates the claim of an earlier attempt. A nil outcome means that the call may run
// again, because no file has changed since before that attempt.
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
			w.Logger.Warn("cannot check a claimed file", "path", c.Path, "error", err)
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

// maxKills limits how many killed tickets a worker remembers. If there are more, all are dropped
// and read from the log again.
const maxKills = 10_000

// kills tracks which tickets were killed, and cancels their running calls. The zero value is
// empty.
type kills struct {
	mu      sync.Mutex
	running map[string]map[int]running // by session and ticket
	killed  map[string]int             // newest killed attempt, with the same keys
	read    map[string]uint64          // sequence up to which kills were read, by session
	forgot  int                        // how often all of them were dropped
	next    int
}

// running is a call in progress.
type running struct {
	attempt int
	cancel  context.CancelCauseFunc
}

// heard handles a kill from the live feed or the log.
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
	// order-independent: all of them are cancelled
	for _, r := range k.running[key] {
		if r.attempt <= p.Attempt {
			r.cancel(errKilled)
		}
	}
}

// has reports whether the attempt of a call is known to be killed.
func (k *kills) has(session string, p events.ToolApproved) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	killed, ok := k.killed[session+" "+p.Ticket]
	return ok && p.Attempt <= killed
}

// watch returns a context for a call that ends when the call's attempt is killed. It is already
// done if the attempt was killed before.
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

// upTo returns the sequence up to which a session's kills were read, and how
// often kills were dropped.
func (k *kills) upTo(session string) (seq uint64, forgot int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.read[session], k.forgot
}

// reached records that a session's kills were read up to a sequence; false if
// some were dropped in the meantime.
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

// isKilled reads from the log whether a call's attempt was killed, no matter when the call was
// approved. An undo belongs to no attempt.
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
	killed = false // the kills were dropped because there were too many
	err = w.readKills(ctx, f, 0, func(e events.Event) {
		k, ok := e.Payload.(events.TicketKilled)
		killed = killed || ok && k.Ticket == p.Ticket && p.Attempt <= k.Attempt
	})
	return killed, err
}

// readKills reads the kills after a sequence.
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
