package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/script"
)

// ProviderScript is the name of the scripted provider.
const ProviderScript = script.Name

// Models is the effect that calls models: it records at most one ModelStarted, and one
// ModelReplied or ModelFailed, for each ModelRequested.
type Models struct {
	Project     string
	Process     string     // name of the connection
	Log         events.Log // with the rights of the actor models
	Queue       Queue
	Peers       Peers // nil: an attempt whose request was redelivered twice counts as abandoned
	Transcripts *Transcripts
	Providers   map[string]llm.Provider
	Script      *script.Script // nil: the scripted provider has no lines
	Signals     Signals        // nil: no live text
	Mask        Mask
	Clock       Clock
	IDs         IDs
	Logger      *slog.Logger

	calling flights // requests in progress

	mu    sync.Mutex
	lines map[string]*lines // by session
}

// lines assigns the lines of the script to a session's requests.
type lines struct {
	assigner *script.Assigner
	given    map[string]int // line by request, 0 for none
}

// Run calls models for requests of the pool until ctx ends, at most slots at
// once.
func (m *Models) Run(ctx context.Context, slots int) error {
	return workUntilFull(ctx, m.Queue, events.PoolName(events.PoolModels, m.Project), slots, m.handle)
}

// Restore restores nothing: only the transcripts need a session's past.
func (m *Models) Restore(context.Context, string, Mark) Mark { return Nothing }

// Save does nothing: the transcripts are stored instead.
func (m *Models) Save(string, Mark) func(context.Context) { return nil }

// Begin does nothing.
func (m *Models) Begin(context.Context, string, []*events.Event) {}

// Take drops the script lines of a session when it is closed.
func (m *Models) Take(_ context.Context, e *events.Event) {
	if closes(e) {
		m.mu.Lock()
		delete(m.lines, e.Session)
		m.mu.Unlock()
	}
}

// Rest waits until this process has no call in progress for a session, or ctx ends. Calls of a
// closed session are cancelled, so the wait is short.
func (m *Models) Rest(ctx context.Context, session string) { m.calling.rest(ctx, session+" ") }

// fold moves opaque blocks that are too long for an event to a blob. If that fails, the reply is
// recorded without them, and the next request sends its portable part.
func (m *Models) fold(ctx context.Context, out events.ModelReplied) events.ModelReplied {
	if len(out.Raw) <= events.MaxInline {
		return out
	}
	ref, err := m.Transcripts.Blobs.Put(ctx, out.Raw, "application/json")
	if err != nil {
		m.Logger.Warn("cannot store the opaque blocks of a reply", "bytes", len(out.Raw), "error", err)
		out.Raw = nil
		return out
	}
	out.Raw, out.RawBlob = nil, &ref
	return out
}

// provider returns the provider for a request: the line of the script that is next in the
// session's order of requests, or the configured provider.
func (m *Models) provider(ctx context.Context, tr *transcript, record *llm.Record, e *events.Event,
	p events.ModelRequested) (llm.Provider, int, error) {
	if p.Provider != ProviderScript {
		if !tr.mayRun(p.Provider, p.Command) {
			return nil, 0, &llm.Error{Kind: events.ModelInvalidRequest, Message: fmt.Sprintf("the program %q was not allowed "+
				"for %s in this session, so it is not run", p.Command, p.Provider)}
		}
		provider, ok := m.Providers[p.Provider]
		if !ok {
			return nil, 0, &llm.Error{Kind: events.ModelInvalidRequest, Message: fmt.Sprintf("this program has no provider %q "+
				"for tier %d; it has %s, and the scripted model (pass --script FILE)", p.Provider, p.Tier, m.names())}
		}
		return provider, 0, nil
	}
	if m.Script == nil {
		return nil, 0, &llm.Error{Kind: events.ModelInvalidRequest, Message: "the scripted provider has no script; pass " +
			"--script FILE"}
	}
	line, err := m.assign(tr, record.Resolve(m.Transcripts.blobsOf(ctx)), e)
	if err != nil {
		return nil, 0, err
	}
	chosen, ok := m.Script.Play(line)
	if !ok {
		return nil, 0, script.Exhausted(p)
	}
	return chosen, line, nil
}

// names returns the names of the configured providers.
func (m *Models) names() string { return strings.Join(slices.Sorted(maps.Keys(m.Providers)), ", ") }

// assign assigns lines to the session's scripted requests up to e and returns e's line, 0 for
// none. It assigns nothing in a closed session.
func (m *Models) assign(tr *transcript, resolve llm.Resolve, e *events.Event) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	over := &llm.Error{Kind: events.ModelCancelled, Message: errClosed.Error()}
	if tr.isOver() {
		return 0, over
	}
	if m.lines == nil {
		m.lines = map[string]*lines{}
	}
	have := m.lines[e.Session]
	if have == nil {
		have = &lines{script.NewAssigner(m.Script), map[string]int{}}
		m.lines[e.Session] = have
	}
	requests := tr.lineless(e.ID)
	for _, r := range requests {
		if len(r.newest) == 0 {
			continue // a prompt that cannot be assembled uses no line
		}
		newest, err := llm.Newest(r.newest, resolve)
		if err != nil {
			return 0, err
		}
		have.given[r.event.ID], _ = have.assigner.Assign(r.event, newest)
	}
	tr.lined(len(requests))
	line, known := have.given[e.ID]
	if !known { // it was just closed
		return 0, over
	}
	return line, nil
}

// publish records an outcome under an id derived from the request, so that repeated attempts give
// one event. A reply that is too large to store is recorded as a failure.
func (m *Models) publish(ctx context.Context, request *events.Event, outcome events.Payload) error {
	e, err := events.New(events.Origin{
		ID: events.DecidedID(events.ActorModels, *request, 0), Time: m.Clock(), Project: request.Project,
		Session: request.Session,
		Actor:   events.ActorModels, Cause: request.ID,
	}, outcome)
	if err != nil {
		return err
	}
	err = appendUntil(ctx, m.Log, e, m.Logger, fatal)
	if replied, ok := outcome.(events.ModelReplied); errors.Is(err, events.ErrTooLarge) && ok {
		return m.publish(ctx, request, events.ModelFailed{Request: request.ID, Kind: events.ModelInvalidRequest,
			Usage:   &replied.Usage,
			Message: fmt.Sprintf("the reply has more than %d bytes", events.MaxEventBytes)})
	}
	return err
}

// isRecorded reports whether the log holds an outcome of a request. The bus detects a repeated id
// only for ten minutes, and a process may sleep for longer. The transcript knows every outcome up
// to its position, so the session's events are read only if it has not reached the newest event of
// the models. Once working has ended, the transcript makes no more progress, but ctx still allows
// reading.
func (m *Models) isRecorded(working, ctx context.Context, tr *transcript, request *events.Event) (bool, error) {
	f := events.Filter{Project: request.Project, Session: request.Session, Actor: events.ActorModels}
	last, err := m.Log.Last(ctx, f)
	if err != nil || last <= request.Seq {
		return false, err
	}
	if tr.await(working, last) == nil {
		return tr.isAnswered(request.ID), nil
	}
	found, _, err := isOn(ctx, m.Log, f, request.Seq, events.DecidedID(events.ActorModels, *request, 0))
	return found, err
}

// flights tracks the requests in progress.
type flights struct {
	mu      sync.Mutex
	running map[string]chan struct{} // closed when the request has ended
}

// rest waits until nothing with this key prefix is in progress, or ctx ends.
func (f *flights) rest(ctx context.Context, prefix string) {
	for {
		done := f.any(prefix)
		if done == nil {
			return
		}
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}

// any returns a call in progress with this key prefix, or nil.
func (f *flights) any(prefix string) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	// order-independent: any of them
	for key, done := range f.running {
		if strings.HasPrefix(key, prefix) {
			return done
		}
	}
	return nil
}

// begin starts a flight. It returns false if one with this key is in progress here: a request is redelivered if the
// machine is too busy to report progress or if its pool is recreated. That delivery is left to the running one, whose
// progress keeps both alive.
func (f *flights) begin(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running[key] != nil {
		return false
	}
	if f.running == nil {
		f.running = map[string]chan struct{}{}
	}
	f.running[key] = make(chan struct{})
	return true
}

// end ends a flight.
func (f *flights) end(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.running[key])
	delete(f.running, key)
}
