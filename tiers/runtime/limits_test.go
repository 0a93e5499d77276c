package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers/runtime"
)

// handed is a queue that hands out one piece of work, for the n-th time.
type handed struct {
	event events.Event
	n     int
}

func (h handed) Work(ctx context.Context, pool string, _ int, handle func(context.Context,
	events.Delivery) error) error {
	if pool == events.PoolName(events.PoolShort, project) {
		<-ctx.Done()
		return nil
	}
	return handle(ctx, events.Delivery{Event: h.event, Deliveries: h.n})
}

// handOut gives a worker one piece of work of a decider and returns what it answers.
func (w *world) handOut(actor string, p events.Payload, n int) events.Payload {
	w.t.Helper()
	e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session, Actor: actor,
		N: 1}, p)
	require.NoError(w.t, err)
	worker := w.worker("worker-test-1")
	worker.Queue = handed{e, n}
	require.NoError(w.t, worker.Run(context.Background(), 1))
	answer, found, err := w.connect(bus.Role{Kind: bus.Reader}).LastEvent(context.Background(),
		events.Filter{Project: project, Session: session, Actor: "worker-test-1"})
	require.NoError(w.t, err)
	require.True(w.t, found)
	events.Catalogue().Decode(&answer)
	return answer.Payload
}

func TestManyViewsAndDiffsStayWithinOneEvent(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	views := events.ContextRequested{Tier: 3, Ticket: "T-1"}
	refresh := events.RefreshRequested{Ticket: "T-1"}
	for i := range 12 {
		name := fmt.Sprintf("f%02d.txt", i)
		files[name] = strings.Repeat("<&>\n", 15<<10)
		views.Views = append(views.Views, events.ViewRequest{Path: name, View: events.ViewRaw})
		refresh.Files = append(refresh.Files, events.FileState{Path: name})
	}
	w := newWorld(t, files)
	inline, blobs := 0, 0 // each is 60 KiB, and 285 KiB as JSON
	for _, v := range w.handOut(events.ActorContributor, views, 1).(events.ContextBuilt).Views {
		require.Empty(t, v.Error)
		if v.Blob {
			blobs++
		} else {
			inline++
		}
	}
	require.Zero(t, inline)
	require.Equal(t, 12, blobs)
	for _, f := range w.handOut(events.ActorContributor, refresh, 1).(events.FilesUpdated).Files {
		require.Empty(t, f.Error)
		require.NotNil(t, f.DiffBlob)
	}
	for i := range 12 {
		w.write(fmt.Sprintf("f%02d.txt", i), strings.Repeat("word\n", 12<<10))
	}
	inline = 0
	for _, v := range w.handOut(events.ActorContributor, views, 1).(events.ContextBuilt).Views {
		if !v.Blob {
			inline++
		}
	}
	require.Equal(t, 2, inline, "192 KiB hold two of 60 KiB, which are 72 KiB as JSON")
}

// handedTwice is a queue that hands out the same work again while it is carried out.
type handedTwice struct {
	event   events.Event
	running func() bool
}

func (h handedTwice) Work(ctx context.Context, pool string, _ int, handle func(context.Context,
	events.Delivery) error) error {
	if pool == events.PoolName(events.PoolShort, project) {
		<-ctx.Done()
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, eventstest.Patience)
	defer cancel()
	first := make(chan error, 1)
	go func() { first <- handle(ctx, events.Delivery{Event: h.event, Deliveries: 1}) }()
	for !h.running() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err := handle(ctx, events.Delivery{Event: h.event, Deliveries: 2}); !errors.Is(err, events.ErrTakenOver) {
		return fmt.Errorf("the second delivery is not left to the first: %w", err)
	}
	return <-first
}

func TestACallThatIsUnderWayHereIsNotTakenForDead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	args := json.RawMessage(`{"script":"echo run >> runs.log; sleep 0.3"}`)
	digest, err := events.CanonicalDigest(args)
	require.NoError(t, err)
	e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session,
		Actor: events.ActorApproval, N: 1},
		events.ToolApproved{Call: "c", Tool: "run_powershell", Args: args, ArgsSHA256: digest, Effect: "executes",
			Generation: 1, TimeoutMS: 20_000})
	require.NoError(t, err)
	worker := w.worker("worker-test-1")
	worker.Queue = handedTwice{e, func() bool { return w.has("runs.log") }}
	require.NoError(t, worker.Run(t.Context(), 2))
	var outcomes []string
	registry := events.Catalogue()
	for e, err := range w.connect(bus.Role{Kind: bus.Reader}).Read(t.Context(), events.Filter{Project: project,
		Actor: "worker-test-1"}, 1, 0) {
		require.NoError(t, err)
		registry.Decode(&e)
		if p, ok := e.Payload.(events.ToolSettled); ok {
			outcomes = append(outcomes, p.Outcome)
		}
	}
	require.Equal(t, []string{events.ToolDone}, outcomes)
}

// unreadableClaims say that a claim exists and cannot show it.
type unreadableClaims struct{ runtime.Claims }

func (unreadableClaims) CreateClaim(context.Context, string, []byte) (uint64, error) {
	return 0, events.ErrClaimed
}

func (unreadableClaims) Claim(context.Context, string) ([]byte, uint64, error) {
	return nil, 0, events.ErrNoKey
}

// overtaken is a store of claims in which another worker is always faster.
type overtaken struct{ runtime.Claims }

func (overtaken) Claim(context.Context, string) ([]byte, uint64, error) {
	return []byte(`{"worker":"worker-test-2","generation":1,"changes":[{"path":"a.txt","before":"` +
		events.Digest([]byte("hello\n")) + `","after":"cd"}]}`), 1, nil
}

func (overtaken) UpdateClaim(context.Context, string, []byte, uint64) (uint64, error) {
	return 0, events.ErrConflict
}

func unreadable(c runtime.Claims) runtime.Claims { return unreadableClaims{c} }

func overtake(c runtime.Claims) runtime.Claims { return overtaken{c} }

func TestACallWhoseClaimIsNotOursDoesNotRunAndSettlesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		claims       func(runtime.Claims) runtime.Claims
		tool, effect string
		args         string
	}{
		"a script under a claim that cannot be read": {unreadable, "run_powershell", "executes",
			`{"script":"echo run >> runs.log"}`},
		"a write under a claim that cannot be read": {unreadable, "edit_file", "writes",
			`{"path":"a.txt","old_string":"hello","new_string":"bye"}`},
		"a write that another worker took over": {overtake, "edit_file", "writes",
			`{"path":"a.txt","old_string":"hello","new_string":"bye"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "hello\n"})
			args := json.RawMessage(c.args)
			digest, err := events.CanonicalDigest(args)
			require.NoError(t, err)
			e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session,
				Actor: events.ActorApproval, N: 1},
				events.ToolApproved{Call: "c", Tool: c.tool, Args: args, ArgsSHA256: digest, Effect: c.effect, Generation: 1,
					TimeoutMS: 20_000})
			require.NoError(t, err)
			worker := w.worker("worker-test-1")
			worker.Claims, worker.Queue = c.claims(worker.Claims), handed{e, 1}
			require.Error(t, worker.Run(t.Context(), 1), "the queue hands it out again")
			require.False(t, w.has("runs.log"))
			got, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
			require.NoError(t, err)
			require.Equal(t, "hello\n", string(got))
			_, found, err := w.connect(bus.Role{Kind: bus.Reader}).LastEvent(t.Context(), events.Filter{Project: project,
				Actor: "worker-test-1"})
			require.NoError(t, err)
			require.False(t, found, "an outcome was recorded")
		})
	}
}
