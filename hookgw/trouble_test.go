package hookgw_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/projections/live"
)

// troubled is a log that fails on purpose.
type troubled struct {
	events.Log
	onAppend func(events.Event) error
	last     error
}

// Append fails as the test says.
func (l troubled) Append(ctx context.Context, e events.Event, x *events.Expect) (uint64, error) {
	if l.onAppend != nil {
		if err := l.onAppend(e); err != nil {
			return 0, err
		}
	}
	return l.Log.Append(ctx, e, x)
}

// Last fails as the test says.
func (l troubled) Last(ctx context.Context, f events.Filter) (uint64, error) {
	if l.last != nil {
		return 0, l.last
	}
	return l.Log.Last(ctx, f)
}

// failing makes every connection of a gateway refuse facts of one type.
func failing(typ string, err error) func(*core.Config) {
	return func(c *core.Config) {
		log := troubled{Log: c.Log, onAppend: func(e events.Event) error {
			if e.Type == typ {
				return err
			}
			return nil
		}}
		same := func(string) events.Log { return log }
		c.Log, c.PersonLog, c.AgentLog = log, same, same
	}
}

func TestWhatTheLogRefusesIsToldToTheClientAsItIs(t *testing.T) {
	t.Parallel()
	for want, err := range map[int]error{
		http.StatusInsufficientStorage:   events.ErrFull,
		http.StatusForbidden:             events.ErrDenied,
		http.StatusServiceUnavailable:    events.ErrClosed,
		http.StatusRequestEntityTooLarge: events.ErrTooLarge,
		http.StatusInternalServerError:   errors.New("secret detail"),
	} {
		f := open(t, failing("DiscussionChanged", err))
		a := f.post("/api/session", access.RightHuman, `{"session":{"entries":["new"]}}`)
		require.Equal(t, want, a.status)
		require.NotContains(t, string(a.body), "secret detail")
		require.NotContains(t, string(f.get("/api/session", access.RightRead).body), "new", "no success without a fact")
	}
}

func TestAnAnswerThatIsNotStoredIsNoAnswer(t *testing.T) {
	t.Parallel()
	f := open(t, failing("AskAnswered", events.ErrDenied))
	f.approve()
	f.raise("g1", events.GateTool)
	require.Equal(t, http.StatusForbidden, f.respond("g1", "true").status)
	require.Len(t, f.get("/api/asks", access.RightRead).object(t)["asks"], 1)
	require.Empty(t, recorded[events.AskSettled](f))
}

func TestAnAskThatIsNotStoredIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	f := open(t, failing("AskPosted", events.ErrFull))
	require.Equal(t, http.StatusInsufficientStorage, f.post("/api/ask", access.RightAsk, `{"request_id":"r1"}`).status)
}

func TestADrainThatIsNotRecordedTakesNothing(t *testing.T) {
	t.Parallel()
	for _, err := range []error{events.ErrFull, events.ErrConflict} {
		f := open(t, failing("EventsDrained", err))
		f.push(1)
		a := f.get("/api/events", access.RightHuman)
		require.GreaterOrEqual(t, a.status, 500)
		require.NotContains(t, a.object(t), "events")
		require.Equal(t, []int{1}, numbers(t, f.get("/api/events?since=0", access.RightHuman)))
	}
}

func TestADrainIsRepeatedWhenAnotherProcessWasFirst(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	f := open(t, func(c *core.Config) {
		c.Log = troubled{Log: c.Log, onAppend: func(e events.Event) error {
			if e.Type == "EventsDrained" && tries.Add(1) < 3 {
				return events.ErrConflict
			}
			return nil
		}}
	})
	f.push(1)
	require.Equal(t, []int{1}, numbers(t, f.get("/api/events", access.RightHuman)))
	require.EqualValues(t, 3, tries.Load())
}

func TestARequestIsAnsweredThoughItCannotBeRecorded(t *testing.T) {
	t.Parallel()
	f := open(t, failing("HookCalled", events.ErrFull))
	require.Equal(t, http.StatusOK, f.post("/api/session", access.RightHuman, `{"session":{"entries":[]}}`).status)
	f.stop()
	require.Contains(t, f.logged.String(), "request not recorded")
}

func TestWhoCannotSeeTheEndOfTheLogSaysSo(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Log = troubled{Log: c.Log, last: events.ErrClosed} })
	require.Equal(t, http.StatusServiceUnavailable, f.get("/api/events", access.RightHuman).status)
	require.Equal(t, http.StatusServiceUnavailable, f.get("/api/stream?since=1", access.RightRead).status)
	require.Equal(t, http.StatusServiceUnavailable, f.respond("x", "true").status, "not 404: nobody knows")
}

// interrupted breaks the first subscriptions of the models.
type interrupted struct {
	*live.Live
	breaks *atomic.Int32
	after  int
}

// Subscribe ends early while there are breaks left.
func (m interrupted) Subscribe(ctx context.Context, session string, from uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		broken, shown := m.breaks.Add(-1) >= 0, 0
		for e, err := range m.Live.Subscribe(ctx, session, from) {
			if shown++; broken && shown > m.after {
				yield(events.Event{}, events.ErrSlow)
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func TestAnAskIsAnsweredThoughTheFeedBehindItBreaks(t *testing.T) {
	t.Parallel()
	breaks := &atomic.Int32{}
	breaks.Store(3)
	f := open(t, func(c *core.Config) {
		c.Models = interrupted{c.Models.(*live.Live), breaks, 0}
	})
	f.approve()
	waiting := f.ask(`{"request_id":"r1"}`)
	f.awaitAsk("r1")
	require.Equal(t, http.StatusOK, f.respond("r1", "true").status)
	require.Equal(t, http.StatusOK, (<-waiting).status)
}
