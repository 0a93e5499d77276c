package aggregation

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"sync"

	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/wire"
	"manualslop/tiers"
	"manualslop/tiers/contributor"
	"manualslop/tiers/llm"
	"manualslop/tiers/runtime"
	"manualslop/tiers/runtime/retrieve"
	"manualslop/tools/builtin"
	"manualslop/tools/retrieval"
)

// Source holds the inputs of contexts.
type Source struct {
	Past  iter.Seq2[events.Event, error] // of the session, decoded and in order; it is read more than once
	Blobs events.Blobs
	Views Views
	// Person is the user who would send the turn.
	Person string
}

// Decoded decodes the events of a log for [Source.Past].
func Decoded(stored iter.Seq2[events.Event, error]) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		registry := events.Catalogue()
		for e, err := range stored {
			if err == nil {
				registry.Decode(&e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Views answers a ContextRequested event. It stores in blobs what does not fit into an event.
type Views func(ctx context.Context, blobs events.Blobs, asked events.Event) (events.Payload, error)

// Files returns a reader of the project's files, which uses the workers' code with the gate and the mask of this
// project. It always retrieves by words.
func Files(p site.Place, mask func([]byte) []byte) Views {
	return func(ctx context.Context, blobs events.Blobs, asked events.Event) (events.Payload, error) {
		want, ok := asked.Payload.(events.ContextRequested)
		if !ok {
			return nil, fmt.Errorf("%s does not ask for files", asked.Type)
		}
		env, err := p.ToolEnv()
		if err != nil {
			return nil, err
		}
		defer env.Workspace.Close()
		w := runtime.Worker{Tools: builtin.Engine(), Home: env, Mask: mask, Blobs: blobs,
			Retriever: &retrieve.Retriever{Finder: &retrieval.Finder{Mask: mask}}, Logger: slog.New(slog.DiscardHandler)}
		if want.Retrieval != nil {
			words := *want.Retrieval
			words.Source = events.RetrieveText // vectors of the question would cost something
			want.Retrieval = &words
		}
		return w.Views(ctx, asked.ID, want), nil
	}
}

// Make returns the requested context. If that is impossible, it returns a *problem.Problem.
func Make(ctx context.Context, s Source, want wire.ContextWanted) (wire.ContextPreview, error) {
	if want.Request != "" || want.Ticket != "" {
		return s.recorded(ctx, want)
	}
	return s.nextTurn(ctx, want.Turn)
}

// nextTurn returns the context that a turn would have.
func (s Source) nextTurn(ctx context.Context, turn events.TurnRequested) (wire.ContextPreview, error) {
	f := folded{s: s, blobs: &memory{under: s.Blobs, kept: map[string][]byte{}}, machine: contributor.Decider().Start()}
	for e, err := range s.Past {
		if err == nil {
			f.take(&e)
			_, err = f.machine.Take(&e)
		}
		if err != nil {
			return wire.ContextPreview{}, err
		}
	}
	asked, err := f.next(ctx, turn)
	if err != nil {
		return wire.ContextPreview{}, err
	}
	out, err := f.context(ctx, &asked)
	out.Request, out.Ticket, out.Attempt, out.Shortened = "", "", 0, f.shortened
	return out, err
}

// workerTier is the tier that carries out tickets.
const workerTier = 3

// recorded returns the context of a request that is on the log.
func (s Source) recorded(ctx context.Context, want wire.ContextWanted) (wire.ContextPreview, error) {
	id, attempt := want.Request, -1
	counted := map[string]int64{} // by request
	for e, err := range s.Past {
		if err != nil {
			return wire.ContextPreview{}, err
		}
		switch p := e.Payload.(type) {
		case events.ModelRequested:
			newer := p.TicketAttempt >= attempt && (want.Attempt == 0 || p.TicketAttempt == want.Attempt)
			works := events.IsTurn(p.Ticket) || p.Tier == workerTier // and does not review
			if want.Request == "" && p.Ticket == want.Ticket && p.Call == "" && works && newer {
				id, attempt = e.ID, p.TicketAttempt
			}
		case events.ModelReplied:
			if !p.Usage.Estimated {
				counted[p.Request] = p.Usage.Prompt()
			}
		}
	}
	f := folded{s: s, blobs: &memory{under: s.Blobs}}
	for e, err := range s.Past {
		if err != nil {
			return wire.ContextPreview{}, err
		}
		if f.take(&e); e.ID != id {
			continue
		}
		if _, is := e.Payload.(events.ModelRequested); !is {
			break
		}
		out, err := f.context(ctx, &e)
		if n, known := counted[id]; known {
			out.Count = &n
		}
		return out, err
	}
	return wire.ContextPreview{}, problem.New(http.StatusNotFound, "no such request to a model is on record",
		"Give a ticket or turn that has sent a request, or the id of a ModelRequested event.")
}

// folded is the state of a session up to the last event read.
type folded struct {
	s         Source
	blobs     *memory
	machine   *tiers.Machine
	record    llm.Record
	offered   events.ModelsOffered
	turns     map[string]events.TurnRequested // by ticket
	last      events.Event
	shortened bool
	unsaid    bool // the turn has no words yet, and its last part stands for them
}

func (f *folded) take(e *events.Event) {
	f.record.Take(e)
	switch p := e.Payload.(type) {
	case events.ModelsOffered:
		f.offered = p
	case events.TurnRequested:
		if f.turns == nil {
			f.turns = map[string]events.TurnRequested{}
		}
		f.turns[events.TurnTicket(e.ID)] = p
	}
	f.last = events.Event{ID: e.ID, Seq: e.Seq, Time: e.Time, Project: e.Project, Session: e.Session}
}

// next returns the request to the model that follows from a turn.
func (f *folded) next(ctx context.Context, turn events.TurnRequested) (events.Event, error) {
	if turn.Text == "" {
		turn.Text, f.unsaid = "?", true
	}
	facts, err := f.follow(f.s.Person, turn)
	for err == nil && len(facts) > 0 {
		asked := facts[len(facts)-1]
		switch p := asked.Payload.(type) {
		case events.ModelRequested:
			return asked, nil
		case events.TurnEnded:
			return asked, problem.New(http.StatusConflict, "the turn would be refused: "+p.Reason,
				"Nothing was sent. Correct the cause, or ask for the context of a recorded request.")
		case events.StepRequested: // a user would approve it as it is
			facts, err = f.follow(f.s.Person, events.StepApproved{Ticket: p.Ticket, Attempt: p.Attempt, Round: p.Round,
				By: f.s.Person})
		case events.ContextRequested:
			var built events.Payload
			if built, err = f.s.Views(ctx, f.blobs, asked); err == nil {
				facts, err = f.follow(previewer, built)
			}
		default:
			err = fmt.Errorf("the turn leads to %s", asked.Type)
		}
	}
	if err == nil {
		err = problem.New(http.StatusConflict, "the session accepts no turns", "It is closed; ask for the context of a "+
			"recorded request.")
	}
	return events.Event{}, err
}

// previewer is the actor of views that are not recorded.
const previewer = "worker-preview"

// follow applies an unrecorded event as the next one, and the facts that follow from it.
func (f *folded) follow(actor string, p events.Payload) ([]events.Event, error) {
	e, err := events.New(events.Origin{ID: events.DecidedID(previewer, f.last, 0), Time: f.last.Time,
		Project: f.last.Project, Session: f.last.Session, Actor: actor, Cause: f.last.ID}, p)
	if err != nil {
		return nil, err
	}
	e.Seq = f.last.Seq + 1
	f.take(&e)
	facts, err := f.machine.Take(&e)
	for i := range facts {
		_, cut := facts[i].Payload.(events.ConversationShortened)
		f.shortened = f.shortened || cut
		f.record.Take(&facts[i])
	}
	return facts, err
}

// memory is a store that keeps new blobs in memory, on top of another store.
type memory struct {
	under events.Blobs
	mu    sync.Mutex
	kept  map[string][]byte
}

// Put stores b in memory.
func (m *memory) Put(_ context.Context, b []byte, mediaType string) (events.BlobRef, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ref := events.BlobRef{SHA256: events.Digest(b), Size: int64(len(b)), MediaType: mediaType}
	m.kept[ref.SHA256] = b
	return ref, nil
}

// Get returns a blob from memory, or else from the other store.
func (m *memory) Get(ctx context.Context, sha256 string) ([]byte, error) {
	m.mu.Lock()
	b, kept := m.kept[sha256]
	m.mu.Unlock()
	switch {
	case kept:
		return b, nil
	case m.under == nil:
		return nil, events.ErrNoBlob
	}
	return m.under.Get(ctx, sha256)
}
