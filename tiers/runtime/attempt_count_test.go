package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/tiers/runtime"
)

// workerRequests are one request of each kind that workers answer.
func workerRequests(t *testing.T) []events.Payload {
	t.Helper()
	args := json.RawMessage(`{"path":"a.txt"}`)
	digest, err := events.CanonicalDigest(args)
	require.NoError(t, err)
	return []events.Payload{
		events.ToolApproved{Call: "c", Tool: "read_file", Args: args, ArgsSHA256: digest, Effect: "reads", Generation: 1},
		events.PreviewRequested{Call: "p", Tool: "edit_file", Args: args},
		events.ContextRequested{Tier: 3, Ticket: "T-1", Views: []events.ViewRequest{{Path: "a.txt", View: events.ViewRaw}}},
		events.RefreshRequested{Ticket: "T-1", Files: []events.FileState{{Path: "a.txt"}}},
		events.ContextInjectionRequested{Path: "a.txt", View: events.ViewRaw},
		events.WorkspaceRequested{Ticket: "T-1", Attempt: 1, Name: "T-1.1"},
		events.MergeRequested{Ticket: "T-1", Attempt: 1, Try: 1, Name: "T-1.1"},
	}
}

// givesUp tells whether a worker gives up a request that it gets for the nth
// time, after so many attempts.
func givesUp(t *testing.T, p events.Payload, deliveries, attempts int) bool {
	t.Helper()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session,
		Actor: events.ActorApproval, N: 1}, p)
	require.NoError(t, err)
	worker := w.worker("worker-test-1")
	if attempts > 0 {
		_, err := worker.Claims.CreateClaim(t.Context(), session+".attempts."+e.ID, fmt.Appendf(nil, `{"attempts":%d}`, attempts))
		require.NoError(t, err)
	}
	worker.Queue = handed{e, deliveries}
	require.NoError(t, worker.Run(t.Context(), 1))
	keys, err := worker.Claims.ClaimKeys(t.Context())
	require.NoError(t, err)
	require.Empty(t, keys, "the count goes with the request")
	last, found, err := w.connect(bus.Role{Kind: bus.Reader}).LastEvent(t.Context(), events.Filter{Project: project,
		Session: session, Actor: worker.Name})
	require.NoError(t, err)
	require.True(t, found)
	events.Catalogue().Decode(&last)
	if refreshed, is := last.Payload.(events.FilesUpdated); is {
		return len(refreshed.Files) == 0 // it has no place for a reason
	}
	return strings.Contains(string(last.Data), "times without an outcome")
}

func TestRefusalsOfARequestDoNotCountAsAttempts(t *testing.T) {
	t.Parallel()
	for _, p := range workerRequests(t) {
		t.Run(p.EventType().Name, func(t *testing.T) {
			t.Parallel()
			require.False(t, givesUp(t, p, 60, 0))
		})
	}
}

func TestRequestThatWasBegunTooOftenIsGivenUpWithAnAnswer(t *testing.T) {
	t.Parallel()
	for _, p := range workerRequests(t) {
		t.Run(p.EventType().Name, func(t *testing.T) {
			t.Parallel()
			require.False(t, givesUp(t, p, 2, 19))
			require.True(t, givesUp(t, p, 2, 20))
		})
	}
}

// outrun is a store in which a count is removed between its reading and its writing.
type outrun struct {
	runtime.Claims
	met atomic.Bool
}

func (c *outrun) Claim(ctx context.Context, key string) ([]byte, uint64, error) {
	if strings.Contains(key, ".attempts.") && !c.met.Swap(true) {
		return []byte(`{"attempts":20}`), 1, nil
	}
	return c.Claims.Claim(ctx, key)
}

func TestCountOfAttemptsThatIsRemovedMeanwhileBeginsAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(nil)
	worker := w.worker("worker-test-1")
	worker.Claims = &outrun{Claims: worker.Claims}
	worker.Queue = handed{w.decided(events.ActorApproval, approvedCall("read_file", `{"path":"a.txt"}`)), 2}
	require.NoError(t, worker.Run(t.Context(), 1))
	require.Equal(t, events.ToolDone, w.settled("read_file").Outcome)
}

// failingClaims fail at one use, as a store does that is away for a moment.
type failingClaims struct {
	runtime.Claims
	at   int64
	uses atomic.Int64
}

var errAway = errors.New("the store is away")

func (c *failingClaims) fails() bool { return c.uses.Add(1) == c.at }

func (c *failingClaims) CreateClaim(ctx context.Context, key string, value []byte) (uint64, error) {
	if c.fails() {
		return 0, errAway
	}
	return c.Claims.CreateClaim(ctx, key, value)
}

func (c *failingClaims) Claim(ctx context.Context, key string) ([]byte, uint64, error) {
	if c.fails() {
		return nil, 0, errAway
	}
	return c.Claims.Claim(ctx, key)
}

func TestWriteWhoseClaimCannotBeMadeIsHandedOutAgain(t *testing.T) {
	t.Parallel()
	for at := range int64(2) {
		t.Run(fmt.Sprint("use ", at+1), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "one\n"})
			w.open(nil)
			call := w.decided(events.ActorApproval, approvedCall("edit_file",
				`{"path":"a.txt","old_string":"one","new_string":"two"}`))
			worker := w.worker("worker-test-1")
			worker.Claims = &failingClaims{Claims: worker.Claims, at: at + 1}
			worker.Queue = handed{call, 1}
			require.ErrorIs(t, worker.Run(t.Context(), 1), errAway)
			worker.Queue = handed{call, 2}
			require.NoError(t, worker.Run(t.Context(), 1))
			require.Equal(t, events.ToolDone, w.settled("edit_file").Outcome)
			body, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
			require.NoError(t, err)
			require.Equal(t, "two\n", string(body))
		})
	}
}

// newer makes an event one of a version that this program does not know.
func newer(e events.Event) events.Event {
	e.Payload = events.Unknown{Name: e.Type, Version: 99, Raw: e.Data}
	return e
}

func TestRequestOfANewerVersionIsHandedBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	call := w.decided(events.ActorApproval, approvedCall("read_file", `{"path":"a.txt"}`))
	worker := w.worker("worker-test-1")
	worker.Queue = handed{newer(call), 60}
	var later *events.NotBeforeError
	require.ErrorAs(t, worker.Run(t.Context(), 1), &later)
	require.Contains(t, later.Reason, "newer program")
	keys, err := worker.Claims.ClaimKeys(t.Context())
	require.NoError(t, err)
	require.Empty(t, keys, "nothing is counted")
	models := &runtime.Models{Project: project, Queue: handed{newer(call), 60}, Transcripts: &runtime.Transcripts{},
		Logger: logger()}
	require.ErrorAs(t, models.Run(t.Context(), 1), &later)
}

func TestQuestionBehindTheEndOfItsSessionIsSettled(t *testing.T) {
	t.Parallel()
	for _, running := range []bool{true, false} {
		t.Run(fmt.Sprintf("engine runs: %v", running), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.open(nil)
			stop := w.startWithoutWorker("")
			w.say(events.SessionClosed{Reason: "over"})
			if !running { // the first start settles the session, so the second has no reason to read it
				stop()
			}
			w.say(events.AskPosted{RequestID: "r-1", Data: json.RawMessage(`{}`)})
			if !running {
				w.startWithoutWorker("")
			}
			log := w.until(isType("AskSettled"))
			settled := log[len(log)-1].Payload.(events.AskSettled)
			require.Equal(t, events.No, settled.Outcome)
			require.Equal(t, "r-1", settled.Ask)
		})
	}
}
