package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tools"
)

// memory is a log that knows its newest event.
type memory struct{ *eventstest.Memory }

func (m memory) LastEvent(ctx context.Context, f events.Filter) (last events.Event, found bool, err error) {
	for e, err := range m.Read(ctx, f, 1, 0) {
		if err != nil {
			return e, false, err
		}
		last, found = e, true
	}
	return last, found, nil
}

// follower delivers what is appended to a log.
type follower struct{ memory }

func (f follower) Follow(ctx context.Context, filter events.Filter, take func(events.Event)) error {
	_, feed, err := f.Watch(ctx, filter, 1)
	if err != nil {
		return err
	}
	registry := events.Catalogue()
	for e, err := range feed {
		if err != nil {
			return err
		}
		registry.Decode(&e)
		take(e)
	}
	return nil
}

// externalWorker is a worker that carries out a call of an external tool.
func externalWorker(t *testing.T) (*Worker, *events.Event, *eventstest.Builder) {
	t.Helper()
	var n atomic.Int64
	w := &Worker{Project: "p1", Name: "worker-h-1", Log: memory{eventstest.NewMemory()}, Clock: time.Now,
		IDs:    func() string { return fmt.Sprint("id-", n.Add(1)) },
		Mask:   func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "hunter2", "***")) },
		Logger: slog.New(slog.DiscardHandler)}
	b := &eventstest.Builder{Project: "p1", Session: "S1"}
	cause := b.Event(t, events.ActorApproval, events.ToolApproved{Call: "c1", Tool: "mcp__s__t"})
	return w, &cause, b
}

func recorded[P events.Payload](t *testing.T, w *Worker, n int) (found []P) {
	t.Helper()
	eventstest.ExpectWhere(t, w.Log, events.Filter{Project: "p1", Type: events.NameOf[P]()}, fmt.Sprint(n, " events"),
		func(e events.Event) bool {
			p, ok := e.Payload.(P)
			require.True(t, ok)
			found = append(found, p)
			return len(found) == n
		})
	return found
}

func TestStatesOfAnExternalServerAreRecordedInOrder(t *testing.T) {
	t.Parallel()
	w, cause, _ := externalWorker(t)
	ctx, cancel := context.WithCancel(t.Context())
	tell := w.watchServer(ctx, cause)
	cancel() // the call is over; its server is not
	const n = 50
	for i := range n {
		tell(tools.ServerState{Server: "s", State: "running", Error: fmt.Sprint(i)})
	}
	for i, p := range recorded[events.MCPServerChanged](t, w, n) {
		require.Equal(t, fmt.Sprint(i), p.Error)
	}
}

func TestWhatIsRecordedOfAnExternalServerIsBoundedAndMasked(t *testing.T) {
	t.Parallel()
	w, cause, _ := externalWorker(t)
	tell := w.watchServer(t.Context(), cause)
	diffs := make([]tools.ToolDiff, maxToolDiffs+1)
	for i := range diffs {
		diffs[i] = tools.ToolDiff{Name: strings.Repeat("n", maxServerName+1), State: "new"}
	}
	tell(tools.ServerState{Server: strings.Repeat("s", maxServerName), State: "error", Error: "hunter2", Tools: diffs[1:]})
	tell(tools.ServerState{Server: strings.Repeat("s", maxServerName+1), State: "error",
		Error: strings.Repeat("e", maxServerSaid+1), Tools: diffs})
	seen := recorded[events.MCPServerChanged](t, w, 2)
	require.Equal(t, strings.Repeat("s", maxServerName), seen[0].Server)
	require.Equal(t, "***", seen[0].Error)
	require.Len(t, seen[0].Tools, maxToolDiffs)
	require.Len(t, seen[1].Tools, maxToolDiffs)
	require.Equal(t, "new", seen[1].Tools[0].State)
	for text, limit := range map[string]int{seen[1].Server: maxServerName, seen[1].Error: maxServerSaid,
		seen[1].Tools[0].Name: maxServerName} {
		require.Equal(t, strings.Repeat(text[:1], limit)+"…", text)
	}
}

func TestAQuestionOfAnExternalServerReturnsThePersonsAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settled events.AskSettled
		live    bool
		want    tools.Answer
	}{
		"a form":             {events.AskSettled{Outcome: events.Yes, Args: []byte(`{"name":"ada"}`)}, true, accepted("ada")},
		"a form, unheard":    {events.AskSettled{Outcome: events.Yes, Args: []byte(`{"name":"ada"}`)}, false, accepted("ada")},
		"an address visited": {events.AskSettled{Outcome: events.Yes}, true, tools.Answer{Accepted: true}},
		"a no with content":  {events.AskSettled{Outcome: events.No, Args: []byte(`{"name":"ada"}`)}, true, tools.Answer{}},
		"nobody in time":     {events.AskSettled{Outcome: "expired"}, true, tools.Answer{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, cause, b := externalWorker(t)
			log, ok := w.Log.(memory)
			require.True(t, ok)
			if c.live {
				w.Live = follower{log}
			}
			type outcome struct {
				tools.Answer
				err error
			}
			ended := make(chan outcome, 1)
			go func() {
				a, err := w.askPerson(cause, "c1")(t.Context(), tools.Question{Server: "s", Message: "hunter2",
					Schema: json.RawMessage(`{"type":"object","title":"hunter2"}`), URL: "https://a/b", Origin: "https://a"})
				ended <- outcome{a, err}
			}()
			request := eventstest.ExpectWhere(t, log, events.Filter{Project: "p1", Type: events.NameOf[events.InputRequested]()},
				"a question", func(events.Event) bool { return true })
			asked, ok := request.Payload.(events.InputRequested)
			require.True(t, ok)
			require.Equal(t, events.InputRequested{Call: "c1", Server: "s", Message: "***", URL: "https://a/b",
				Origin: "https://a", Schema: json.RawMessage(`{"type":"object","title":"***"}`)}, asked)
			other := c.settled
			other.Ask, other.Outcome, other.Args = "ask-other", events.Yes, []byte(`{"name":"eve"}`)
			c.settled.Ask = events.InputAsk(request)
			for _, p := range []events.AskSettled{other, c.settled} {
				_, err := log.Append(t.Context(), b.Event(t, events.ActorApproval, p), nil)
				require.NoError(t, err)
			}
			got := <-ended
			require.NoError(t, got.err)
			require.Equal(t, c.want, got.Answer)
		})
	}
}

func accepted(name string) tools.Answer {
	return tools.Answer{Accepted: true, Content: map[string]any{"name": name}}
}

func TestAQuestionEndsWithItsCall(t *testing.T) {
	t.Parallel()
	w, cause, _ := externalWorker(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := w.askPerson(cause, "c1")(ctx, tools.Question{Server: "s", Message: "?"})
		ended <- err
	}()
	recorded[events.InputRequested](t, w, 1)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}
