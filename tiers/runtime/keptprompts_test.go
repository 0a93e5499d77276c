package runtime_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/gemini"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/runtime"
)

// keeping is a provider that keeps the beginning of every prompt and answers ok
// to what names nothing that it lost.
type keeping struct {
	mu      sync.Mutex
	made    int
	looked  int // labels that were looked for
	alive   map[string]bool
	refuses string // the kind of error; empty: none
	stuck   bool   // nothing can be deleted
	expires func() time.Time
}

func (k *keeping) Name() string { return "keeping" }
func (k *keeping) Wire() string { return "keeping/1" }

func (k *keeping) Body(r llm.Request) ([]byte, error) {
	if r.Cached == nil {
		return []byte("whole"), nil
	}
	return fmt.Appendf(nil, "%s+%d", r.Cached.Name, r.Cached.Messages), nil
}

func (k *keeping) Stream(_ context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		k.mu.Lock()
		lost := r.Cached != nil && !k.alive[r.Cached.Name]
		k.mu.Unlock()
		if lost {
			yield(nil, &llm.Error{Kind: events.ModelAuth, Message: "not found", CacheGone: true})
			return
		}
		_ = yield(llm.TextDelta("ok"), nil) && yield(llm.Finish{Reason: llm.FinishStop}, nil)
	}
}

func (k *keeping) Keepable(r llm.Request) (llm.Keepable, bool) {
	return llm.Keepable{Messages: 1, SHA256: events.Digest([]byte(r.System())), TTL: time.Hour}, !strings.Contains(r.System(), "short")
}

func (k *keeping) Keep(context.Context, llm.Request, llm.Keepable) (llm.Kept, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.made++
	if k.refuses != "" {
		return llm.Kept{}, &llm.Error{Kind: k.refuses, Message: "no"}
	}
	name := fmt.Sprintf("c%d", k.made)
	k.alive[name] = true
	return llm.Kept{Name: name, Tokens: 5000, ExpiresAt: k.expires()}, nil
}

func (k *keeping) Labelled(_ context.Context, labels []string) (map[string][]string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.looked += len(labels)
	return nil, nil
}

func (k *keeping) Forget(_ context.Context, name string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stuck {
		return &llm.Error{Kind: events.ModelNetwork, Message: "no way there"}
	}
	delete(k.alive, name)
	return nil
}

func (k *keeping) lose() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.alive = map[string]bool{}
}

func (k *keeping) refuse(kind string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refuses = kind
}

func (k *keeping) count() (made, alive int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.made, len(k.alive)
}

// caller runs the models alone, with a provider, and asks as the contributor.
type caller struct {
	*world
	conn     *bus.Conn
	provider string
	from     events.Event // what every request follows from
	n        uint64
}

func (w *world) callModels(provider llm.Provider, clock runtime.Clock) (c *caller, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	models := w.connect(bus.Role{Kind: bus.Models})
	transcripts := &runtime.Transcripts{Blobs: models}
	reader := &runtime.Reader{Log: w.connect(bus.Role{Kind: bus.Reader}), Registry: events.Catalogue(), Project: project, Logger: logger()}
	m := &runtime.Models{Project: project, Log: models, Queue: queue{models}, IDs: newID, Transcripts: transcripts, Providers: map[string]llm.Provider{provider.Name(): provider}, Mask: w.mask, Signals: w.live, Clock: clock, Logger: logger()}
	reader.Subscribe(transcripts)
	reader.Subscribe(m)
	var wg sync.WaitGroup
	wg.Go(func() { require.NoError(w.t, reader.Run(ctx)) })
	wg.Go(func() { _ = m.Run(ctx, 4) })
	stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	w.t.Cleanup(stop)
	opened := w.until(isType("SessionOpened"))
	return &caller{world: w, provider: provider.Name(), conn: w.connect(bus.Role{Kind: bus.Decider, Name: events.ActorContributor}), from: opened[len(opened)-1]}, stop
}

// ask has the contributor ask for a reply and returns the reply.
func (c *caller) ask(system string) events.ModelReplied {
	c.t.Helper()
	r := tiers.Request(events.Settings{Tiers: []events.TierSettings{{Tier: 3, Provider: c.provider, Models: []string{"m"}}}}, tiers.Seat{Tier: 3, Model: "m"},
		tiers.Sent{}, []events.Part{{Role: "system", Text: system}, {Role: "user", Text: "go on"}})
	r.StreamID = "Tier 3 (Worker): T-001"
	c.n++
	e, err := events.Decided(events.ActorContributor, c.from, int(c.n), c.n, r)
	require.NoError(c.t, err)
	_, err = c.conn.Append(context.Background(), e, nil)
	require.NoError(c.t, err)
	var out events.ModelReplied
	c.until(func(got *events.Event) bool {
		if p, failed := got.Payload.(events.ModelFailed); failed && p.Request == e.ID {
			c.t.Fatal(p.Message)
		}
		p, ok := got.Payload.(events.ModelReplied)
		out = p
		return ok && p.Request == e.ID
	})
	return out
}

// droppedFor are the reasons for which things were dropped so far, after until one says last.
func (c *caller) droppedFor(last string) []string {
	c.t.Helper()
	var out []string
	c.until(func(e *events.Event) bool {
		p, ok := e.Payload.(events.PromptCacheDropped)
		if ok {
			out = append(out, p.Reason)
		}
		return ok && p.Reason == last
	})
	return out
}

func TestTheBeginningOfPromptsIsKeptUsedRenewedAndDeletedAtTheEndOfTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	var mu sync.Mutex
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	pass := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	k := &keeping{alive: map[string]bool{}, expires: func() time.Time { return clock().Add(time.Hour) }}
	c, _ := w.callModels(k, clock)

	require.Nil(t, c.ask("short").Cached, "not worth it")
	require.Equal(t, &events.PromptPrefix{Name: "c1", Messages: 1}, c.ask("a").Cached)
	second := c.ask("a")
	require.Equal(t, "c1", second.Cached.Name, "used again")
	require.Equal(t, events.Digest([]byte("c1+1")), second.BodySHA256, "the body that was sent")
	require.Equal(t, "c2", c.ask("b").Cached.Name, "another beginning")

	pass(54 * time.Minute)
	require.Equal(t, "c3", c.ask("a").Cached.Name, "at 90 % of its age another takes its place")
	k.lose()
	lost := c.ask("a")
	require.Nil(t, lost.Cached, "the whole request went out within the same attempt")
	require.Equal(t, events.Digest([]byte("whole")), lost.BodySHA256)
	require.Equal(t, "c4", c.ask("a").Cached.Name)
	pass(2 * time.Hour)
	require.Equal(t, "c5", c.ask("a").Cached.Name, "the other expired by itself")
	c.say(events.SessionClosed{Reason: "done"})
	require.Equal(t, []string{events.CacheRenewed, events.CacheLost, events.CacheExpired, events.CacheExpired, events.CacheSessionOver}, c.droppedFor(events.CacheSessionOver))
	k.mu.Lock()
	defer k.mu.Unlock()
	require.Equal(t, map[string]bool{"c4": true}, k.alive, "the expired one is the provider's business")
}

func TestWhatIsKeptIsDeletedWithTheProcessAndWhatIsRefusedIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	k := &keeping{alive: map[string]bool{}, expires: func() time.Time { return time.Now().Add(time.Hour) }, refuses: events.ModelRateLimited}
	c, stop := w.callModels(k, time.Now)
	require.Nil(t, c.ask("a").Cached)
	require.Nil(t, c.ask("a").Cached)
	made, _ := k.count()
	require.Equal(t, 1, made)
	k.refuse(events.ModelNetwork)
	require.Nil(t, c.ask("b").Cached)
	k.refuse("")
	require.NotNil(t, c.ask("b").Cached)
	stop()
	require.Equal(t, []string{events.CacheNotMade, events.CacheEngineOver}, c.droppedFor(events.CacheEngineOver))
	_, alive := k.count()
	require.Zero(t, alive)
}

// TestWhatCannotBeDeletedIsUsedNoMoreAndExpires holds for the end of a session:
// it waits for nobody, and the record says that the name is not used any more.
func TestWhatCannotBeDeletedIsUsedNoMoreAndExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	k := &keeping{alive: map[string]bool{}, expires: func() time.Time { return time.Now().Add(time.Hour) }, stuck: true}
	c, stop := w.callModels(k, time.Now)
	require.NotNil(t, c.ask("a").Cached)
	c.say(events.SessionClosed{Reason: "done"})
	require.Equal(t, []string{events.CacheSessionOver}, c.droppedFor(events.CacheSessionOver))
	stop()
	_, alive := k.count()
	require.Equal(t, 1, alive, "it expires by itself")
}

// TestASessionOnGeminiIsBuiltAgainFromItsRecord plays the whole way from a goal
// to finished work on the fake of the vendor's API.
func TestASessionOnGeminiIsBuiltAgainFromItsRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n" + strings.Repeat("a line that nobody changes\n", 1000)})
	server := llmtest.Gemini(t, llmtest.Options{Script: writes})
	w.more = gemini.Provider{Endpoint: server.Endpoint(), Keeps: true}
	w.open(nil)
	w.start(writes)
	w.say(events.TierChanged{Provider: gemini.Name, Models: []string{"gemini-3.1-pro-preview"}})
	w.say(events.RuleAdded{Rule: events.Rule{Tool: "*", Action: "allow", Scope: "session"}})
	w.say(events.GoalSubmitted{Goal: "greet"})
	w.until(isType("GoalCompleted"))
	require.Equal(t, 1, server.Kept(), "the contributor's beginning")
	w.say(events.SessionClosed{Reason: "done"})
	log := w.until(isType("PromptCacheDropped"))
	require.Zero(t, server.Kept())
	require.Empty(t, server.Refused())

	var used []string
	for _, e := range log {
		if p, ok := e.Payload.(events.ModelReplied); ok && p.Cached != nil {
			used = append(used, p.Cached.Name)
			require.Positive(t, p.Usage.CacheRead)
		}
	}
	require.Equal(t, []string{"cachedContents/fake1", "cachedContents/fake1"}, used, "from its second round on")
	seen, bad := llm.CheckBodies(log, map[string]llm.Provider{gemini.Name: gemini.Provider{}}, func(sha string) ([]byte, error) { return w.person.Get(t.Context(), sha) })
	require.Nil(t, bad)
	require.Equal(t, llm.Checked{Same: 6}, seen)
}
