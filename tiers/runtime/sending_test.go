package runtime_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/runtime"
)

// give hands a request to a process and returns what its handler answers.
func (c aside) give(e events.Event, deliveries int) error {
	c.t.Helper()
	c.models.Queue = handed{e, deliveries}
	return c.models.Run(c.t.Context(), 1)
}

// allDone ends every ticket with its first reply.
func allDone(llmtest.View) llmtest.Turn { return llmtest.Turn{Text: "DONE: all."} }

// requireGivenBack checks that a request was given back for at most a second.
func requireGivenBack(t *testing.T, err error) {
	t.Helper()
	var later *events.NotBeforeError
	require.ErrorAs(t, err, &later)
	require.Less(t, time.Until(later.Time), time.Second+time.Millisecond)
}

// sends are the attempts at a request that the log says were begun.
func (w *world) sends(request events.Event) []events.ModelStarted {
	w.t.Helper()
	var out []events.ModelStarted
	for _, p := range w.said(request) {
		if sent, ok := p.(events.ModelStarted); ok {
			out = append(out, sent)
		}
	}
	return out
}

// openPriced opens a session in which a model's prices are known: a dollar for a
// million tokens read, two for one put into a cache, ten for one of a reply.
func (w *world) openPriced(on onWire) {
	w.openOn(on)
	write := int64(2_000_000)
	w.say(events.ModelsOffered{Models: []events.ModelOffer{{Provider: on.name, Model: on.model, MaxOutputTokens: 1000,
		Prices: []events.ModelPrice{{ID: "it", Input: 1_000_000, Output: 10_000_000, CacheWrite5m: &write}}}}})
}

// priced is a world with such a session on the first wire.
func priced(t *testing.T) (*world, onWire) {
	t.Helper()
	w, on := newWorld(t, nil), theWires()[0]
	w.openPriced(on)
	return w, on
}

func TestAnAttemptIsOnRecordBeforeItIsSent(t *testing.T) {
	t.Parallel()
	for _, on := range theWires() {
		t.Run(on.model, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.openPriced(on)
			log := w.connect(bus.Role{Kind: bus.Reader})
			recorded := make(chan uint64, 10)
			s := w.serveOn(t, on, func(llmtest.View) llmtest.Turn {
				seq, err := log.Last(context.Background(), events.Filter{Project: project, Actor: events.ActorModels,
					Type: "ModelStarted"})
				if err != nil {
					seq = 0
				}
				recorded <- seq
				return llmtest.Turn{Text: "DONE: all."}
			})
			asked := w.ask(on, nil)
			require.NoError(t, w.callsModels(nil).give(asked, 1))
			require.Len(t, s.Requests(), 1)
			require.NotZero(t, <-recorded)
			sends := w.sends(asked)
			require.Len(t, sends, 1)
			require.Equal(t, asked.ID, sends[0].Request)
			require.Equal(t, 1, sends[0].Delivery)
			most := sends[0].MaxUsage
			require.Positive(t, most.CacheWrite, "the dearest way to read it")
			require.EqualValues(t, 1000, most.Output)
			require.Equal(t, 2*most.CacheWrite+10*most.Output, *most.PricedMicroDollars)
			require.Len(t, w.outcomes(asked), 1)
		})
	}
}

func TestTheReservationOfAGuardedRequestIsItsEstimate(t *testing.T) {
	t.Parallel()
	w, on := priced(t)
	w.serveOn(t, on, allDone)
	asked := w.ask(on, func(p *events.ModelRequested) { p.Guarded = true })
	approved := w.decided(events.ActorApproval, events.ModelApproved{Request: asked.ID, PromptTokens: 700,
		ReplyTokens: 30})
	require.NoError(t, w.callsModels(nil).give(approved, 1))
	require.EqualValues(t, 1400+300, *w.sends(asked)[0].MaxUsage.PricedMicroDollars)
}

// TestAnAttemptWhoseProcessDiedIsInterrupted has one process stand still in an
// answer, as a dead one does, while others get the same request.
func TestAnAttemptWhoseProcessDiedIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, on := range theWires() {
		t.Run(on.model, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.openPriced(on)
			s, _ := w.held(on)
			live := newShown()
			w.live = live
			asked := w.ask(on, nil)
			dead, _ := w.callsModels(handed{asked, 1}).run()
			w.streams(s)
			other := w.callsModels(nil)
			requireGivenBack(t, other.give(asked, 2))
			require.Empty(t, w.outcomes(asked), "it may live and be slow")
			require.NoError(t, other.give(asked, 3))
			<-dead
			w.quiet(s)
			require.Len(t, s.Requests(), 1, "it is not sent again")
			outcomes := w.outcomes(asked)
			require.Len(t, outcomes, 1)
			failed := outcomes[0].(events.ModelFailed)
			require.Equal(t, events.ModelInterrupted, failed.Kind)
			require.Equal(t, w.sends(asked)[0].MaxUsage, *failed.Usage)
			log := w.until(func(e *events.Event) bool { return e.Type == "ModelFailed" })
			requireNoTrace(t, log, nil, halfAnswer)
		})
	}
}

// TestADeadAttemptEndsAlthoughItsDeliveriesAreCountedAnew holds for a bus that
// lost what it counted.
func TestADeadAttemptEndsAlthoughItsDeliveriesAreCountedAnew(t *testing.T) {
	t.Parallel()
	w, on := priced(t)
	s, _ := w.held(on)
	asked := w.ask(on, nil)
	_, stop := w.callsModels(handed{asked, 15}).run()
	w.streams(s)
	other := w.callsModels(nil)
	requireGivenBack(t, other.give(asked, 1))
	requireGivenBack(t, other.give(asked, 2))
	require.NoError(t, other.give(asked, 3))
	require.Equal(t, events.ModelInterrupted, w.outcomes(asked)[0].(events.ModelFailed).Kind)
	stop()
}

// TestARewoundPoolEndsNoAttemptThatIsUnderWay hands a request again and again to
// a second process, as rewinds do, while the first one reads the answer; then
// the connection of that one ends.
func TestARewoundPoolEndsNoAttemptThatIsUnderWay(t *testing.T) {
	t.Parallel()
	w, on := priced(t)
	s, _ := w.held(on)
	asked := w.ask(on, nil)
	conn := w.connect(bus.Role{Kind: bus.Models})
	sender := w.callsModels(conn)
	sender.models.Process = conn.Process()
	announcing := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(announcing)
		_ = conn.Announce(ctx, project, events.ActorModels)
	}()
	defer func() { cancel(); <-announcing }()
	sender.run()
	w.streams(s)
	require.Equal(t, conn.Process(), w.sends(asked)[0].Process)
	other := w.callsModels(nil)
	other.models.Peers = w.connect(bus.Role{Kind: bus.Models})
	require.Eventually(t, func() bool {
		held, err := other.models.Peers.Holds(t.Context(), project, events.ActorModels, conn.Process(), asked.Seq)
		return err == nil && held
	}, eventstest.Patience, time.Millisecond)
	for _, deliveries := range []int{1, 2, 3, 4, 1, 2, 3} {
		requireGivenBack(t, other.give(asked, deliveries))
	}
	require.Empty(t, w.outcomes(asked))
	conn.Close()
	require.Eventually(t, func() bool { return other.give(asked, 2) == nil }, eventstest.Patience, time.Millisecond)
	require.Equal(t, events.ModelInterrupted, w.outcomes(asked)[0].(events.ModelFailed).Kind)
}

// TestAnAttemptOfAProcessThatIsGoneEndsAtItsFirstReturn has one process stand still
// in an answer, as a dead one does; the server knows no connection of it.
func TestAnAttemptOfAProcessThatIsGoneEndsAtItsFirstReturn(t *testing.T) {
	t.Parallel()
	for attempt, wait := range map[int]int64{1: 1, 2: 0} { // whoever dies again is slowed down
		w, on := priced(t)
		s, _ := w.held(on)
		asked := w.ask(on, func(p *events.ModelRequested) { p.Attempt = attempt })
		dead := w.callsModels(handed{asked, 1})
		dead.models.Process = "e1"
		ended, _ := dead.run()
		w.streams(s)
		other := w.callsModels(nil)
		other.models.Peers = w.connect(bus.Role{Kind: bus.Models})
		require.NoError(t, other.give(asked, 2))
		<-ended
		failed := w.outcomes(asked)[0].(events.ModelFailed)
		require.Equal(t, events.ModelInterrupted, failed.Kind)
		require.Equal(t, wait, failed.RetryAfterMS)
		require.Len(t, s.Requests(), 1, "it is not sent again")
	}
}

func TestAStopInTheMiddleOfAnAnswerIsTheOutcome(t *testing.T) {
	t.Parallel()
	for _, on := range theWires() {
		t.Run(on.model, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.openPriced(on)
			s, _ := w.held(on)
			asked := w.ask(on, nil)
			_, stop := w.callsModels(w.connect(bus.Role{Kind: bus.Models})).run()
			w.streams(s)
			stop()
			w.quiet(s)
			outcomes := w.outcomes(asked)
			require.Len(t, outcomes, 1)
			failed := outcomes[0].(events.ModelFailed)
			require.Equal(t, events.ModelInterrupted, failed.Kind)
			require.NotNil(t, failed.Usage)
			require.NoError(t, w.callsModels(nil).give(asked, 2))
			require.Len(t, s.Requests(), 1)
			require.Len(t, w.outcomes(asked), 1)
		})
	}
}

func TestTwoProcessesSendOneAttempt(t *testing.T) {
	t.Parallel()
	w, on := priced(t)
	s := w.serveOn(t, on, allDone)
	const n = 8
	var asked [n]events.Event
	for i := range asked {
		asked[i] = w.ask(on, nil)
	}
	processes := []aside{w.callsModels(nil), w.callsModels(nil), w.callsModels(nil)}
	var wg sync.WaitGroup
	for _, c := range processes {
		wg.Go(func() {
			for _, e := range asked {
				if err := c.give(e, 1); err != nil {
					requireGivenBack(t, err)
				}
			}
		})
	}
	wg.Wait()
	require.Len(t, s.Requests(), n)
	for _, e := range asked {
		require.Len(t, w.sends(e), 1)
		require.Len(t, w.outcomes(e), 1)
		require.IsType(t, events.ModelReplied{}, w.outcomes(e)[0])
	}
}

func TestAnAttemptThatTheVendorRefusedCountsNothing(t *testing.T) {
	t.Parallel()
	w, on := priced(t)
	for kind, counts := range map[string]bool{events.ModelRateLimited: false, events.ModelAuth: false} {
		w.serveOn(t, on, func(llmtest.View) llmtest.Turn { return llmtest.Turn{Error: kind, Message: "no"} })
		asked := w.ask(on, nil)
		require.NoError(t, w.callsModels(nil).give(asked, 1))
		failed := w.outcomes(asked)[0].(events.ModelFailed)
		require.Equal(t, kind, failed.Kind)
		require.Equal(t, counts, failed.Usage != nil, kind)
	}
}

// refusedStarts asks for a reply of a process whose first n starts of attempts are
// refused, and returns what its handler answers.
func refusedStarts(t *testing.T, with error, n int, logs *slog.Logger) (outcomes []events.Payload, err error) {
	t.Helper()
	w, on := priced(t)
	w.serveOn(t, on, allDone)
	asked, c := w.ask(on, nil), w.callsModels(nil)
	c.models.Logger = logs
	c.models.Log = &refusing{OwnLog: w.connect(bus.Role{Kind: bus.Models}), typ: "ModelStarted", with: with, left: n}
	err = c.give(asked, 1)
	return w.outcomes(asked), err
}

func TestAnAttemptThatWaitsForRoomSaysSoOnce(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	outcomes, err := refusedStarts(t, events.ErrDiskFull, 2, slog.New(slog.NewTextHandler(&said, nil)))
	require.NoError(t, err)
	require.Equal(t, 1, bytes.Count(said.Bytes(), []byte("append failed")), said.String())
	require.Len(t, outcomes, 1)
}

func TestAnAttemptWhoseConflictCannotBeReadIsGivenBack(t *testing.T) {
	t.Parallel()
	outcomes, err := refusedStarts(t, events.ErrConflict, 100, logger())
	require.ErrorIs(t, err, events.ErrConflict)
	require.Empty(t, outcomes)
}

// TestAnUnreadableStartHoldsUpNoAttempt has an event on record that only looks
// like the start of an attempt.
func TestAnUnreadableStartHoldsUpNoAttempt(t *testing.T) {
	t.Parallel()
	w, on := priced(t)
	w.serveOn(t, on, allDone)
	asked := w.ask(on, nil)
	e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session,
		Actor: events.ActorModels},
		events.ModelStarted{Request: asked.ID})
	require.NoError(t, err)
	e.Data = []byte(`{"request":1}`)
	conn := w.connect(bus.Role{Kind: bus.Models})
	_, err = conn.Append(t.Context(), e, nil)
	require.NoError(t, err)
	c := w.callsModels(nil)
	ctx, cancel := context.WithTimeout(t.Context(), eventstest.Patience)
	defer cancel()
	c.models.Queue = handed{asked, 1}
	require.NoError(t, c.models.Run(ctx, 1))
	require.Len(t, w.outcomes(asked), 1)
}

// TestARequestThatIsNotReadHereHoldsNoSlot has a process whose reading is behind,
// or has ended.
func TestARequestThatIsNotReadHereHoldsNoSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := eventstest.NewMemory()
		defer log.Close()
		say1(t, log, session, events.SessionOpened{})
		asked, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session,
			Actor: events.ActorContributor},
			events.ModelRequested{StreamID: "s", Tier: 3, Attempt: 1})
		require.NoError(t, err)
		asked.Seq, err = log.Append(t.Context(), asked, nil)
		require.NoError(t, err)
		asked.Payload = events.ModelRequested{}
		m := &runtime.Models{Project: project, Log: log, Queue: handed{asked, 1}, Transcripts: &runtime.Transcripts{},
			Clock: time.Now, Logger: logger()}
		requireGivenBack(t, m.Run(t.Context(), 1))
	})
}
