package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/runtime/retrieve"
	"manualslop/tools"
	"manualslop/tools/checkpoint"
	"manualslop/tools/repomap"
)

// Worker is the effect that runs tools: it answers ToolApproved, and the
// requests for previews, views and refreshes that need the project's files.
type Worker struct {
	Project string
	Name    string // actor, worker-<host>-<n>
	Process string // identifies this process among all with the same name; stored in its claims
	Log     OwnLog // with the worker's rights
	Queue   Queue
	Claims  Claims
	Blobs   events.Blobs
	Live    Live    // nil: kills are not followed
	Signals Signals // nil: reports of external servers are only recorded
	Peers   Peers   // nil: a claim whose call was redelivered counts as abandoned
	Tools   ToolSet
	Home    tools.Env // environment of calls in the user's folder; see site
	// Checkpoints tracks what scripts change; nil disables tracking.
	Checkpoints *checkpoint.Store
	// Workspaces creates the workspaces of attempts; nil means that this worker cannot create any.
	Workspaces *Workspaces
	// Retriever finds passages for turns; nil means that this worker cannot search files.
	Retriever *retrieve.Retriever
	Mask      Mask
	Clock     Clock
	IDs       IDs
	Logger    *slog.Logger

	numbers numbers
	stored  known
	kills   kills
	flights flights
	passed  passed
	own     journal
	keepers keepers
	maps    repomap.Cache
	purges  sync.WaitGroup
	reports reports
	found   findings
}

// Run works on the pools until ctx ends, with at most slots calls at once, and as many previews,
// views and refreshes.
func (w *Worker) Run(ctx context.Context, slots int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer w.purges.Wait()
	if w.Live != nil {
		wg.Go(func() { w.hear(ctx) })
	}
	wg.Go(func() { w.sweepClaims(ctx) })
	var short error
	wg.Go(func() {
		short = workUntilFull(ctx, w.Queue, events.PoolName(events.PoolShort, w.Project), slots, w.handle)
		cancel(nil) // a worker that answers only half of the requests would delay sessions
	})
	err := workUntilFull(ctx, w.Queue, events.PoolName(events.PoolTools, w.Project), slots, w.handle)
	cancel(nil)
	wg.Wait()
	return errors.Join(err, short)
}

// hear follows kills until ctx ends. A kill that is missed while the connection is down is found
// by reading the log.
func (w *Worker) hear(ctx context.Context) {
	f := events.Filter{Project: w.Project, Actor: events.ActorConductor, Type: events.NameOf[events.TicketKilled]()}
	for ctx.Err() == nil {
		err := w.Live.Follow(ctx, f, w.kills.heard)
		if ctx.Err() != nil || pause(ctx, retryPause) != nil {
			return
		}
		w.Logger.Info("cannot listen for kills; retrying", "error", err)
	}
}

// handle carries out a request, unless that is no longer needed.
func (w *Worker) handle(ctx context.Context, d events.Delivery) error {
	key := d.Event.Session + " " + d.Event.ID
	if !w.flights.begin(key) {
		return events.ErrTakenOver
	}
	defer w.flights.end(key)
	if err := needsNewer(&d.Event); err != nil {
		return err
	}
	if w.mayBeAnswered(d) {
		over, err := w.isAnswered(ctx, &d.Event)
		if over {
			w.forgetOf(ctx, &d.Event)
		}
		if over || err != nil {
			return err
		}
	}
	if d.Deliveries < 2 || tiers.Asked(&d.Event) == nil {
		return w.begin(ctx, d)
	}
	begun, over, err := w.again(ctx, d)
	if err == nil && !over {
		err = w.begin(ctx, d)
		if _, putOff := errors.AsType[*events.NotBeforeError](err); putOff { // postponed, so nothing was started
			w.uncount(ctx, begun)
		}
	}
	if err == nil {
		w.forget(ctx, begun)
	}
	return err
}

// begin carries out a request.
func (w *Worker) begin(ctx context.Context, d events.Delivery) error {
	session := d.Event.Session
	switch p := d.Event.Payload.(type) {
	case events.ToolApproved:
		return w.carryOutCall(ctx, d, p)
	case events.PreviewRequested:
		return w.at(ctx, session, p.Workspace, func(at site) error { return w.answer(ctx, &d.Event, at.preview(ctx, p)) })
	case events.ContextRequested:
		return w.at(ctx, session, p.Workspace, func(at site) error {
			return w.answer(ctx, &d.Event, at.views(ctx, d.Event.ID,
				p))
		})
	case events.ContextInjectionRequested:
		return w.at(ctx, session, "", func(at site) error { return w.answer(ctx, &d.Event, at.injected(ctx, d.Event.ID, p)) })
	case events.RefreshRequested:
		return w.at(ctx, session, p.Workspace, func(at site) error {
			return w.answer(ctx, &d.Event,
				at.refresh(ctx, d.Event.ID, p))
		})
	case events.WorkspaceRequested:
		return w.prepareWorkspace(ctx, d, p)
	case events.MergeRequested:
		return w.mergeWorkspace(ctx, d, p)
	}
	w.Logger.Warn("ignoring an event that is not a request", "type", d.Event.Type, "id", d.Event.ID)
	return nil
}

// Rest waits until this worker has no work in progress for a session, or ctx ends. Work for a
// closed session is stopped, so the wait is short.
func (w *Worker) Rest(ctx context.Context, session string) { w.flights.rest(ctx, session+" ") }

// giveUp answers a request that was started too often without an outcome, so that nothing waits
// for it forever.
func (w *Worker) giveUp(ctx context.Context, d events.Delivery, begun int) error {
	why := fmt.Sprintf("started %d times without an outcome", begun)
	w.Logger.Error("giving up on a request", "type", d.Event.Type, "id", d.Event.ID, "reason", why)
	switch p := d.Event.Payload.(type) {
	case events.ToolApproved:
		return w.answer(ctx, &d.Event, events.ToolParked{Call: p.Call, Tool: p.Tool, Deliveries: begun, Reason: why})
	case events.PreviewRequested:
		return w.answer(ctx, &d.Event, events.PreviewBuilt{Call: p.Call, Error: why, GivenUp: true})
	case events.ContextRequested:
		out := events.ContextBuilt{Request: d.Event.ID}
		for _, v := range p.Views {
			out.Views = append(out.Views, events.View{Path: v.Path, View: v.View, Error: why})
		}
		if p.Retrieval != nil {
			out.Retrieved = &events.Retrieved{Ticket: p.Ticket, Tier: p.Tier, Source: events.RetrieveText, Problem: why}
		}
		return w.answer(ctx, &d.Event, out)
	case events.ContextInjectionRequested:
		return w.answer(ctx, &d.Event, events.ContextBuilt{Request: d.Event.ID,
			Views: []events.View{{Path: p.Path, View: p.View, Error: why}}})
	case events.RefreshRequested:
		return w.answer(ctx, &d.Event, events.FilesUpdated{Request: d.Event.ID, Ticket: p.Ticket,
			Files: []events.FileUpdate{}})
	case events.WorkspaceRequested:
		return w.answer(ctx, &d.Event, events.WorkspacePrepared{Request: d.Event.ID, Ticket: p.Ticket, Attempt: p.Attempt,
			Name: p.Name, Error: why})
	case events.MergeRequested:
		return w.answer(ctx, &d.Event, events.MergeSettled{Request: d.Event.ID, Ticket: p.Ticket, Attempt: p.Attempt,
			Try: p.Try, Outcome: events.MergeFailed, Detail: why})
	}
	return nil
}

// answer records an outcome that may be determined more than once; the first one counts.
func (w *Worker) answer(ctx context.Context, cause *events.Event, p events.Payload) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, err := w.record(ctx, cause, p)
	return err
}

// record appends an event under the worker's name with its next ordinal, and returns it. Ordinals have no gaps: the
// ordinal of an event that was not stored is reused.
func (w *Worker) record(ctx context.Context, cause *events.Event, p events.Payload) (e events.Event, err error) {
	err = w.numbers.use(ctx, w, cause, func(n uint64) error {
		e, err = events.New(events.Origin{
			ID: w.IDs(), Time: w.Clock(), Project: cause.Project, Session: cause.Session, Actor: w.Name, Cause: cause.ID, N: n,
		}, p)
		if err != nil {
			return err
		}
		return appendUntil(ctx, w.Log, e, w.Logger, fatal)
	})
	return e, err
}

// numbers holds the last ordinal of the worker's events in each session.
type numbers struct {
	mu   sync.Mutex
	last map[string]uint64
}

// use calls write with the next ordinal of cause's session, one call at a time.
func (n *numbers) use(ctx context.Context, w *Worker, cause *events.Event, write func(uint64) error) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.last == nil {
		n.last = map[string]uint64{}
	}
	last, ok := n.last[cause.Session]
	if !ok {
		own, found, err := w.Log.LastEvent(ctx, events.Filter{Project: cause.Project, Session: cause.Session, Actor: w.Name})
		if err != nil {
			return err
		}
		if found {
			last = own.N
		}
	}
	if err := write(last + 1); err != nil {
		delete(n.last, cause.Session) // it is checked again whether the event was stored
		return err
	}
	n.last[cause.Session] = last + 1
	return nil
}

// carryOutCall runs an approved call in its workspace. An undo of merged work runs on the
// session's branch, while merges are locked out.
func (w *Worker) carryOutCall(ctx context.Context, d events.Delivery, p events.ToolApproved) error {
	session := d.Event.Session
	if p.Tool != events.RestoreTool || p.Workspace != events.WorkspaceMerged {
		return w.at(ctx, session, p.Workspace, func(at site) error { return at.approved(ctx, d, p) })
	}
	hold, err := w.hold(ctx, session)
	if again := undecided(ctx, err); again != nil {
		return again
	}
	if err != nil {
		return w.answer(ctx, &d.Event, w.failed(p, w.notRestored(err)))
	}
	defer hold.Release()
	own, err := w.Workspaces.Open(hold.Dir)
	if err != nil {
		return err
	}
	env := w.Home
	env.Workspace = own
	return errors.Join(site{Worker: w, Env: env, session: session, name: p.Workspace, hold: hold}.approved(ctx, d, p),
		own.Close())
}
