package runtime

import (
	"context"
	"errors"
	"slices"
	"sync"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// Transcripts keep what prompts refer to, for every open session: replies,
// results, views, and the requests that have no answer. Of a session that is
// over they know no more than that, and what is still to be ended for it.
type Transcripts struct {
	Blobs events.Blobs

	mu       sync.Mutex
	sessions map[string]*transcript
}

// transcript is one session's part of what prompts refer to.
type transcript struct {
	mu       sync.Mutex
	seq      uint64
	moved    chan struct{} // closed and renewed when seq moves
	record   *llm.Record
	open     map[string]*events.Event // ModelRequested without a reply or a failure, by id
	scripted []scripted               // those for the scripted provider that have no line yet, in stream order
	offered  events.ModelsOffered
	killed   map[string]int // ticket to its newest killed attempt
	closed   bool
	programs map[program]bool

	started    map[string]*started // what providers were asked to keep, without a known end, by label
	ended      map[string]bool     // labels of which the end is known
	starts     int
	kept       map[string]*kept // what providers keep of prompts, by name
	dropped    map[string]bool  // names that are used no more
	unkeepable map[keptKey]bool // what a provider did not want to keep, in this process
}

// program is one that a person named for a provider.
type program struct{ provider, command string }

// Begin takes over a session.
func (t *Transcripts) Begin(_ context.Context, session string, history []*events.Event) {
	tr := t.session(session)
	for _, e := range history {
		tr.take(e)
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
		tr = &transcript{moved: make(chan struct{}), record: &llm.Record{}, open: map[string]*events.Event{}, killed: map[string]int{}, programs: map[program]bool{},
			started: map[string]*started{}, ended: map[string]bool{}, kept: map[string]*kept{}, dropped: map[string]bool{}, unkeepable: map[keptKey]bool{}}
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
	case events.ModelReplied:
		delete(tr.open, p.Request)
	case events.ModelFailed:
		delete(tr.open, p.Request)
	case events.ModelDenied:
		delete(tr.open, p.Request)
	case events.SessionClosed:
		tr.closed = true
	case events.TicketKilled:
		tr.killed[p.Ticket] = max(tr.killed[p.Ticket], p.Attempt)
	}
	tr.takeKept(e)
	if tr.closed {
		tr.letGo()
	} else {
		tr.record.Take(e)
		tr.takeScripted(e)
	}
	tr.seq = e.Seq
	close(tr.moved)
	tr.moved = make(chan struct{})
}

// letGo drops what no request of a session that is over can want; tr.mu is
// held. Those under way have their record, and the price of what they used.
func (tr *transcript) letGo() {
	tr.record, tr.scripted = &llm.Record{}, nil
	if len(tr.open) == 0 {
		tr.offered = events.ModelsOffered{}
		clear(tr.killed)
	}
}

// soFar is the record as it is and grows until the session is over.
func (tr *transcript) soFar() *llm.Record {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.record
}

// reached is the sequence of the newest event taken; 0: none was.
func (tr *transcript) reached() uint64 {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.seq
}

// await waits until the transcript has passed seq.
func (tr *transcript) await(ctx context.Context, seq uint64) error {
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
		case <-moved:
		}
	}
}

// due is the request that a delivery asks to send; nil where it is none. A
// guarded one is sent on approval's word and never on its own.
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

// isAnswered tells whether a request that was taken has a reply or a failure on
// the record.
func (tr *transcript) isAnswered(request string) bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.open[request] == nil
}

// answer notes that the outcome of a request is stored, before the feed says so.
func (tr *transcript) answer(request string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	delete(tr.open, request)
}

// Reasons for which nobody waits for the answer to a request any more.
var (
	errKilled   = errors.New("the ticket was killed")
	errClosed   = errors.New("the session was closed")
	errAnswered = errors.New("the request was answered by another process")
)

// over is why nobody waits for the answer to a request any more; nil while
// somebody does.
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

// isOver tells whether the session is.
func (tr *transcript) isOver() bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.closed
}

// mayRun tells whether a person of this session named the program for the
// provider, at any time; no program named is the provider's own. A request that
// says otherwise comes from nobody who may start programs here.
func (tr *transcript) mayRun(provider, command string) bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return command == "" || events.CheckCommand(command) == nil && tr.programs[program{provider, command}]
}

// scripted is a request for the scripted provider, and its prompt's newest
// message; none where nobody can put that together.
type scripted struct {
	event  *events.Event
	newest []events.Part
}

func (tr *transcript) takeScripted(e *events.Event) {
	if m, ok := e.Payload.(events.ModelRequested); ok && m.Provider == ProviderScript {
		tr.scripted = append(tr.scripted, scripted{e, tr.record.Newest(e.ID)})
	}
}

// lineless are the requests up to id that the scripted provider answers and
// that have no line yet, in stream order.
func (tr *transcript) lineless(id string) []scripted {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	at := slices.IndexFunc(tr.scripted, func(r scripted) bool { return r.event.ID == id })
	return slices.Clone(tr.scripted[:at+1])
}

// lined notes that the first so many scripted requests have their lines.
func (tr *transcript) lined(n int) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.scripted = slices.Delete(tr.scripted, 0, min(n, len(tr.scripted)))
}

// blobsOf reads bodies for prompts of one call.
func (t *Transcripts) blobsOf(ctx context.Context) llm.Blob {
	return func(sha256 string) ([]byte, error) { return t.Blobs.Get(ctx, sha256) }
}
