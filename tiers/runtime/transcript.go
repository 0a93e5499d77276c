package runtime

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// Transcripts holds the unanswered requests of every open session and, for sessions with model
// calls, the texts that prompts refer to: replies, results and views.
type Transcripts struct {
	Blobs events.Blobs
	// States stores the state of requests.
	States States

	mu       sync.Mutex
	sessions map[string]*transcript
	restored map[string]restoredRequests // restored, but not begun
	words    words
}

// restoredRequests is the restored state of a session, and its position.
type restoredRequests struct {
	requests
	at Mark
}

// transcript is the state of one session.
type transcript struct {
	mu    sync.Mutex
	seq   uint64
	moved chan struct{} // closed and replaced when seq changes
	requests
	outcomes map[string]events.Payload // by request; could not be recorded yet
	first    map[string]time.Time      // by request; when this process first saw a retry
	sending  sync.Mutex                // serialises the starts of attempts

	record   *llm.Record     // nil: read when a request needs it
	recorded uint64          // sequence of the newest event in record
	scripted []scripted      // requests for the scripted provider without a line yet, in stream order
	loading  chan struct{}   // closed when the current read has ended; nil if there is none
	pending  []*events.Event // events that arrived during the read
}

// requests is the stored state of a session.
type requests struct {
	open     map[string]*events.Event // ModelRequested without a reply or a failure, by id
	sends    map[string]*sent         // started attempts of these requests
	lastSent uint64                   // sequence of the newest ModelStarted
	offered  events.ModelsOffered
	killed   map[string]int // ticket to its newest killed attempt
	closed   bool
	programs map[program]bool
}

func noRequests() requests {
	return requests{open: map[string]*events.Event{}, sends: map[string]*sent{}, killed: map[string]int{},
		programs: map[program]bool{}}
}

// program is a program that a user configured for a provider.
type program struct{ provider, command string }

// Restore restores the stored requests of a session.
func (t *Transcripts) Restore(ctx context.Context, session string, last Mark) Mark {
	r := restoredRequests{requests: noRequests()}
	r.at = t.States.restore(ctx, session, last, &r.requests)
	if r.at.Seq == 0 {
		return Mark{}
	}
	// order-independent: each attempt is handled separately
	for _, s := range r.sends {
		s.returned = 0 // counts releases by this process only
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.restored == nil {
		t.restored = map[string]restoredRequests{}
	}
	t.restored[session] = r
	return r.at
}

// Save returns a function that stores the state of a session's requests.
func (t *Transcripts) Save(session string, at Mark) func(context.Context) {
	tr := t.session(session)
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return t.States.save(session, at, &tr.requests)
}

// Forget returns a function that removes the stored requests of a closed
// session.
func (t *Transcripts) Forget(session string) func(context.Context) { return t.States.forget(session) }

// Begin takes a session. The texts for its prompts are collected if this process sees the session
// from its first event; otherwise they are read when a request needs them.
func (t *Transcripts) Begin(_ context.Context, session string, history []*events.Event) {
	tr := t.session(session)
	t.mu.Lock()
	r := t.restored[session]
	delete(t.restored, session)
	t.mu.Unlock()
	whole := len(history) > 0 && opens(history[0])
	tr.begin(r, whole, len(history))
	for _, e := range history {
		tr.take(e)
	}
	t.trim()
}

// begin adopts the restored state, unless the whole session follows.
func (tr *transcript) begin(r restoredRequests, whole bool, events int) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if whole && events == 1 {
		tr.record = &llm.Record{}
	}
	if !whole && r.at.Seq > 0 {
		tr.requests = r.requests
		tr.reach(r.at.Seq)
	}
}

// Take folds the next event of a session.
func (t *Transcripts) Take(_ context.Context, e *events.Event) { t.session(e.Session).take(e) }

func (t *Transcripts) session(id string) *transcript {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sessions == nil {
		t.sessions = map[string]*transcript{}
	}
	tr := t.sessions[id]
	if tr == nil {
		tr = &transcript{moved: make(chan struct{}), requests: noRequests(), outcomes: map[string]events.Payload{},
			first: map[string]time.Time{}}
		t.sessions[id] = tr
	}
	return tr
}

func (tr *transcript) take(e *events.Event) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		for _, named := range p.Settings.Providers {
			tr.programs[program{events.ProviderName(named.Provider), named.Command}] = true
		}
	case events.ProviderChanged:
		tr.programs[program{events.ProviderName(p.Provider), p.Command}] = true
	case events.ModelsOffered:
		tr.offered = p
	case events.ModelRequested:
		tr.open[e.ID] = e
	case events.ModelStarted:
		tr.noteSent(e.Seq, e.ID, p)
	case events.ModelReplied:
		tr.answered(p.Request)
	case events.ModelFailed:
		tr.answered(p.Request)
	case events.ModelDenied:
		tr.answered(p.Request)
	case events.SessionClosed:
		tr.closed = true
	case events.TicketKilled:
		tr.killed[p.Ticket] = max(tr.killed[p.Ticket], p.Attempt)
	}
	switch {
	case tr.closed:
		tr.letGo()
	case tr.record != nil:
		tr.refer(e)
	case tr.loading != nil:
		tr.pending = append(tr.pending, e)
	}
	tr.reach(e.Seq)
}

// reach updates the position in the session; tr.mu must be held.
func (tr *transcript) reach(seq uint64) {
	tr.seq = seq
	close(tr.moved)
	tr.moved = make(chan struct{})
}

// letGo drops what requests of a closed session no longer need; tr.mu must be held. Attempts in
// progress keep their own references.
func (tr *transcript) letGo() {
	tr.record, tr.scripted = &llm.Record{}, nil
	if len(tr.open) == 0 {
		tr.offered = events.ModelsOffered{}
		clear(tr.killed)
	}
}

// reached returns the sequence of the newest event taken, or 0 if there is none.
func (tr *transcript) reached() uint64 {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.seq
}

// readWait is how long a request waits in its slot for this process to read it.
const readWait = time.Second

// await waits until the transcript has reached seq. If that takes too long, it postpones the
// request: the reader is behind, or has stopped in this session.
func (tr *transcript) await(ctx context.Context, seq uint64) error {
	long := time.NewTimer(readWait)
	defer long.Stop()
	for {
		tr.mu.Lock()
		done, moved := tr.seq >= seq, tr.moved
		tr.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-long.C:
			return later(handBack, "this process has not read the request yet")
		case <-moved:
		}
	}
}

// due returns the request that a delivery asks to send; nil if there is none. A guarded request is
// sent only after its approval.
func (tr *transcript) due(e *events.Event) (*events.Event, events.ModelRequested) {
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		if !p.Guarded {
			return e, p
		}
	case events.ModelApproved:
		tr.mu.Lock()
		defer tr.mu.Unlock()
		if asked := tr.open[p.Request]; asked != nil {
			if r, ok := asked.Payload.(events.ModelRequested); ok && r.Guarded {
				return asked, r
			}
		}
	}
	return nil, events.ModelRequested{}
}

// isAnswered reports whether a request that was taken has a recorded reply or failure.
func (tr *transcript) isAnswered(request string) bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.open[request] == nil
}

// answer notes that the outcome of a request is stored, before the feed delivers it.
func (tr *transcript) answer(request string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.answered(request)
}

// answered drops a request; tr.mu must be held.
func (tr *transcript) answered(request string) {
	delete(tr.open, request)
	delete(tr.sends, request)
	delete(tr.outcomes, request)
	delete(tr.first, request)
}

// Reasons why the answer to a request is no longer needed.
var (
	errKilled   = errors.New("the ticket was killed")
	errClosed   = errors.New("the session was closed")
	errAnswered = errors.New("the request was answered by another process")
)

// over returns the reason why the answer to a request is no longer needed; nil if it still is.
func (tr *transcript) over(request string, m events.ModelRequested) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	switch {
	case tr.open[request] == nil:
		return errAnswered
	case tr.closed:
		return errClosed
	case m.Ticket != "" && m.TicketAttempt > 0 && tr.killed[m.Ticket] >= m.TicketAttempt:
		return errKilled
	}
	return nil
}

// isOver reports whether the session is closed.
func (tr *transcript) isOver() bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.closed
}

// mayRun reports whether a user of this session ever named the program for the provider; an
// empty command means the provider's default program. A request with any other program does not
// come from someone who may start programs here.
func (tr *transcript) mayRun(provider, command string) bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return command == "" || events.CheckCommand(command) == nil && tr.programs[program{provider, command}]
}

// scripted is a request for the scripted provider, with the newest message of its prompt; the
// message is empty if the prompt cannot be assembled.
type scripted struct {
	event  *events.Event
	newest []events.Part
}

// lineless returns the scripted requests up to id that have no line yet, in stream order.
func (tr *transcript) lineless(id string) []scripted {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	at := slices.IndexFunc(tr.scripted, func(r scripted) bool { return r.event.ID == id })
	return slices.Clone(tr.scripted[:at+1])
}

// lined removes the first n scripted requests, which now have their lines.
func (tr *transcript) lined(n int) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.scripted = slices.Delete(tr.scripted, 0, min(n, len(tr.scripted)))
}

// blobsOf returns a function that reads blobs for the prompts of one call.
func (t *Transcripts) blobsOf(ctx context.Context) llm.Blob {
	return func(sha256 string) ([]byte, error) {
		if b := t.words.get(sha256); b != nil {
			return b, nil
		}
		b, err := t.Blobs.Get(ctx, sha256)
		if err == nil {
			t.words.keep(sha256, b)
		}
		return b, err
	}
}
