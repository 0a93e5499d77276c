package runtime_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/runtime"
)

// aside is one process that calls models.
type aside struct {
	*world
	models *runtime.Models
}

// callsModels makes a process that calls models, with what it hears of the log.
func (w *world) callsModels(q runtime.Queue) aside {
	conn := w.connect(bus.Role{Kind: bus.Models})
	transcripts := &runtime.Transcripts{Blobs: conn}
	reader := &runtime.Reader{Log: w.connect(bus.Role{Kind: bus.Reader}), Registry: events.Catalogue(), Project: project,
		Logger: logger()}
	reader.Subscribe(transcripts)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { require.NoError(w.t, reader.Run(ctx)) })
	w.t.Cleanup(func() { cancel(); wg.Wait() })
	clock := w.clock
	if clock == nil {
		clock = time.Now
	}
	return aside{w, &runtime.Models{Project: project, Log: conn, Queue: q, IDs: newID, Transcripts: transcripts,
		Providers: map[string]llm.Provider{w.more.Name(): w.more}, Signals: w.live, Clock: clock, Logger: logger()}}
}

// run works until stop is called; done is closed when all work is.
func (c aside) run() (done <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = c.models.Run(ctx, 4)
	}()
	stop = func() { cancel(); <-over }
	c.t.Cleanup(stop)
	return over, stop
}

// ask has the contributor ask for a reply on a wire.
func (w *world) ask(on onWire, change func(*events.ModelRequested)) events.Event {
	w.t.Helper()
	parts := []events.Part{{Role: "system", Text: "You are tier 3 of four."},
		{Role: "user", Text: "# Ticket T-1\n\nCount."}}
	digest, err := events.ManifestDigest(parts)
	require.NoError(w.t, err)
	p := events.ModelRequested{StreamID: events.WorkerStream("T-1"), Ticket: "T-1", Attempt: 1, TicketAttempt: 1, Round: 1,
		Tier:     3,
		Provider: on.name, Model: on.model, Manifest: parts, SHA256: digest}
	if change != nil {
		change(&p)
	}
	return w.decided(events.ActorContributor, p)
}

// decided records what a decider says.
func (w *world) decided(actor string, p events.Payload) events.Event {
	w.t.Helper()
	e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session, Actor: actor}, p)
	require.NoError(w.t, err)
	e.Seq, err = w.connect(bus.Role{Kind: bus.Decider, Name: actor}).Append(w.t.Context(), e, nil)
	require.NoError(w.t, err)
	e.Payload = p
	return e
}

// outcomes are the answers to a request on the log.
func (w *world) outcomes(request events.Event) []events.Payload {
	w.t.Helper()
	return slices.DeleteFunc(w.said(request), func(p events.Payload) bool {
		_, is := p.(events.ModelStarted)
		return is
	})
}

// said is what models said about a request.
func (w *world) said(request events.Event) []events.Payload {
	w.t.Helper()
	registry := events.Catalogue()
	var out []events.Payload
	for e, err := range w.person.Read(w.t.Context(), events.Filter{Project: project, Session: session,
		Actor: events.ActorModels}, 1, 0) {
		require.NoError(w.t, err)
		registry.Decode(&e)
		if e.Cause == request.ID {
			out = append(out, e.Payload)
		}
	}
	return out
}

// held is a fake whose first answer stands still in its middle until it is
// freed or nobody listens any more; the others come whole.
func (w *world) held(on onWire) (s *llmtest.Server, free func()) {
	gate := make(chan struct{}, 1000)
	gate <- struct{}{}
	gate <- struct{}{}
	s = w.serveOn(w.t.(*testing.T), on, func(v llmtest.View) llmtest.Turn {
		turn := llmtest.Turn{Text: "DONE: two three."}
		if v.Number == 0 {
			turn.Text, turn.Gate = halfAnswer+" two three", gate
		}
		return turn
	})
	return s, func() {
		for range 900 {
			gate <- struct{}{}
		}
	}
}

// streams waits until a fake has sent a part of an answer.
func (w *world) streams(s *llmtest.Server) {
	require.Eventually(w.t, func() bool { return s.Active() == 1 && len(s.Requests()) > 0 }, eventstest.Patience,
		time.Millisecond)
}

func (w *world) quiet(s *llmtest.Server) {
	require.Eventually(w.t, func() bool { return s.Active() == 0 }, eventstest.Patience, time.Millisecond,
		"the server is told")
}

func TestACallWhoseAnswerNobodyWaitsForIsCancelled(t *testing.T) {
	t.Parallel()
	for _, on := range theWires() {
		for name, end := range map[string]func(w *world){
			"killed": func(w *world) {
				w.decided(events.ActorConductor, events.TicketKilled{Ticket: "T-1", Attempt: 1, By: person})
			},
			"closed": func(w *world) { w.say(events.SessionClosed{Reason: "enough"}) },
		} {
			t.Run(on.model+" "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				w.openOn(on)
				s, _ := w.held(on)
				asked := w.ask(on, nil)
				done, _ := w.callsModels(handed{asked, 1}).run()
				w.streams(s)
				end(w)
				<-done
				w.quiet(s)
				outcomes := w.outcomes(asked)
				require.Len(t, outcomes, 1)
				require.Equal(t, events.ModelCancelled, outcomes[0].(events.ModelFailed).Kind)
				again := w.ask(on, nil)
				done, _ = w.callsModels(handed{again, 1}).run()
				<-done
				outcomes = w.outcomes(again)
				require.Len(t, outcomes, 1)
				require.Equal(t, events.ModelCancelled, outcomes[0].(events.ModelFailed).Kind)
				require.Len(t, s.Requests(), 1, "and none is sent any more")
			})
		}
	}
}

func TestARequestThatIsUnderWayHereIsNotSentTwice(t *testing.T) {
	t.Parallel()
	on := theWires()[0]
	w := newWorld(t, nil)
	w.openOn(on)
	s, free := w.held(on)
	asked := w.ask(on, nil)
	released := false
	done, _ := w.callsModels(handedTwice{asked, func() bool {
		if s.Active() == 1 && !released {
			released = true
			time.AfterFunc(20*time.Millisecond, free) // the second delivery is there by then, or comes behind the answer
		}
		return released
	}}).run()
	<-done
	require.Len(t, s.Requests(), 1)
	require.Len(t, w.outcomes(asked), 1)
}

// TestARequestOfASessionThatIsLongOverHoldsNobodyUp holds for one that was asked
// before the end and for one that was decided before who decided had heard of it;
// each is answered once, however often it is handed out.
func TestARequestOfASessionThatIsLongOverHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	on := theWires()[0]
	w := newWorld(t, nil)
	w.openOn(on)
	s := w.serveOn(t, on, allDone)
	before := w.ask(on, nil)
	w.say(events.SessionClosed{Reason: "over"})
	behind := w.ask(on, nil)
	guarded := w.ask(on, func(p *events.ModelRequested) { p.Guarded = true })
	approved := w.decided(events.ActorApproval, events.ModelApproved{Request: guarded.ID})
	for _, p := range []events.Payload{events.SessionOpened{Folder: "later"}, events.SessionClosed{Reason: "over"}} {
		e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: "later", Actor: person},
			p)
		require.NoError(t, err)
		_, err = w.person.Append(t.Context(), e, nil)
		require.NoError(t, err)
	}
	for _, c := range []struct{ asked, handed events.Event }{{before, before}, {behind, behind}, {before, before},
		{guarded, approved}} {
		done, _ := w.callsModels(handed{c.handed, 2}).run()
		select {
		case <-done:
		case <-time.After(eventstest.Patience):
			t.Fatal("the request still holds its place")
		}
		require.Empty(t, s.Requests())
		require.Equal(t, []events.Payload{events.ModelFailed{Request: c.asked.ID, Kind: events.ModelCancelled,
			Message: "the session was closed"}}, w.outcomes(c.asked))
	}
}

func TestModelCallThatWasRefusedOftenIsMade(t *testing.T) {
	t.Parallel()
	on := theWires()[0]
	w := newWorld(t, nil)
	w.openOn(on)
	s := w.serveOn(t, on, allDone)
	asked := w.ask(on, nil)
	done, _ := w.callsModels(handed{asked, 60}).run()
	<-done
	require.Len(t, s.Requests(), 1)
	require.IsType(t, events.ModelReplied{}, w.outcomes(asked)[0])
}
