package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/gemini"
	"manualslop/tiers/llm/llmtest"
)

// mortal is Gemini for a process that dies when its first cache is made and
// before it hears so: it reaches nobody from then on.
type mortal struct {
	gemini.Provider
	once sync.Once
	made chan struct{}
}

var errDead = &llm.Error{Kind: events.ModelNetwork, Message: "the process is dead"}

func (m *mortal) Keep(ctx context.Context, r llm.Request, k llm.Keepable) (llm.Kept, error) {
	if _, err := m.Provider.Keep(ctx, r, k); err != nil {
		return llm.Kept{}, err
	}
	m.once.Do(func() { close(m.made) })
	<-ctx.Done()
	return llm.Kept{}, ctx.Err()
}

func (*mortal) Labelled(context.Context, []string) (map[string][]string, error) { return nil, errDead }

func (*mortal) Forget(context.Context, string) error { return errDead }

// TestACacheWhoseMakerDiedBeforeItSaidSoIsDeleted has a process die between the
// two, another one go on, and looks what the vendor keeps at the end.
func TestACacheWhoseMakerDiedBeforeItSaidSoIsDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n" + strings.Repeat("a line that nobody changes\n", 1000)})
	server := llmtest.Gemini(t, llmtest.Options{Script: writes})
	own := gemini.Provider{Endpoint: server.Endpoint(), Keeps: true}
	first := &mortal{Provider: own, made: make(chan struct{})}
	w.more = first
	w.open(nil)
	w.yesToAll()
	w.say(events.TierChanged{Provider: gemini.Name, Models: []string{"gemini-3.1-pro-preview"}})
	kill := w.startWithoutWorker(writes)
	w.runWorker("worker-test-1")
	w.say(events.GoalSubmitted{Goal: "greet"})
	<-first.made
	kill()
	require.Equal(t, 1, server.Kept(), "it is there, and nobody knows its name")

	w.more = own
	w.startWithoutWorker(writes)
	w.until(isType("GoalCompleted"))
	require.Equal(t, 2, server.Kept(), "the next process has one of its own")
	w.say(events.SessionClosed{Reason: "done"})
	log := w.until(func(e *events.Event) bool {
		p, ok := e.Payload.(events.PromptCacheDropped)
		return ok && p.Reason == events.CacheUnrecorded
	})
	require.Zero(t, server.Kept())
	require.Empty(t, server.Refused())
	dropped := log[len(log)-1].Payload.(events.PromptCacheDropped)
	require.Equal(t, "cachedContents/fake1", dropped.Name)
	for _, e := range log {
		if p, ok := e.Payload.(events.PromptCacheStarted); ok {
			require.Equal(t, p.Label, dropped.Label)
			break
		}
	}
}

// TestWhatMayYetBeKeptIsLookedForUntilItIsCertain has a provider whose answer to
// a wish never came.
func TestWhatMayYetBeKeptIsLookedForUntilItIsCertain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		passes  time.Duration // between two processes
		reasons []string
		looked  int
	}{
		"a moment later": {time.Minute - time.Second, nil, 2},
		"a minute later": {time.Minute, []string{events.CacheNotMade}, 2},
		"hours later":    {2 * time.Hour, []string{events.CacheExpired}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.open(nil)
			var mu sync.Mutex
			now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
			k := &keeping{alive: map[string]bool{}, refuses: events.ModelNetwork}
			first, stop := w.callModels(k, clock)
			require.Nil(t, first.ask("a").Cached)
			stop()
			mu.Lock()
			now = now.Add(c.passes)
			mu.Unlock()
			second, stop := w.callModels(k, clock)
			second.n = first.n
			require.Nil(t, second.ask("short").Cached, "it knows the session by now")
			stop()
			require.Equal(t, c.looked, k.looked)
			var reasons []string
			for e, err := range w.person.Read(t.Context(), events.Filter{Project: project, Session: session, Type: "PromptCacheDropped"}, 1, 0) {
				require.NoError(t, err)
				events.Catalogue().Decode(&e)
				if p, ok := e.Payload.(events.PromptCacheDropped); ok {
					require.NotEmpty(t, p.Label)
					reasons = append(reasons, p.Reason)
				}
			}
			require.Equal(t, c.reasons, reasons)
		})
	}
}

func TestNothingMoreIsKeptWhereTooMuchWasStartedWithoutAnEnd(t *testing.T) {
	t.Parallel()
	const most = 32
	w := newWorld(t, nil)
	w.open(nil)
	k := &keeping{alive: map[string]bool{}, refuses: events.ModelNetwork}
	c, _ := w.callModels(k, func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) })
	for i := range most + 1 {
		require.Nil(t, c.ask(fmt.Sprintf("conversation %d", i)).Cached)
	}
	made, _ := k.count()
	require.Equal(t, most, made)
}
