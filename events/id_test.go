package events_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// Ids of decided events are on every log ever written; this test may only grow.
func TestDecidedIDsNeverChange(t *testing.T) {
	t.Parallel()
	cause := events.Event{ID: "01KDZV3M88CAUSE00000000000", Time: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)}
	for _, c := range []struct {
		decider string
		index   int
		want    string
	}{
		{"conductor", 0, "01KDYAK3SEJJ2FB4VJ613ZD11J"},
		{"conductor", 1, "01KDYAK3SEG5MRMMTQ1CJQJCFH"},
		{"conductor", 256, "01KDYAK3SENCHE6VTS6MDYJQ81"},
		{"approval", 0, "01KDYAK3SEQMRK1KJXEJBTEWPH"},
	} {
		require.Equal(t, c.want, events.DecidedID(c.decider, cause, c.index))
	}
}

func TestDecidedIDsDifferByDeciderCauseAndIndex(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, decider := range events.Deciders() {
		for c := range 20 {
			for i := range 20 {
				cause := events.Event{ID: fmt.Sprintf("E%d", c)}
				id := events.DecidedID(decider, cause, i)
				require.Empty(t, seen[id])
				seen[id] = fmt.Sprint(decider, c, i)
			}
		}
	}
	require.NotEqual(t, events.DecidedID("a", events.Event{ID: "bc"}, 0), events.DecidedID("ab", events.Event{ID: "c"}, 0))
}

func TestDecidedIDsAreULIDsForAnyTime(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{{}, time.Unix(-1, 0), time.Unix(0, 0), time.UnixMilli(int64(ulid.MaxTime())),
		time.UnixMilli(int64(ulid.MaxTime()) + 1)} {
		id, err := ulid.ParseStrict(events.DecidedID("conductor", events.Event{ID: "E", Time: at}, 0))
		require.NoError(t, err)
		require.LessOrEqual(t, id.Time(), ulid.MaxTime())
	}
}

func TestCallIDNamesRequestAndIndex(t *testing.T) {
	t.Parallel()
	require.Equal(t, "01J-0", events.CallID("01J", 0))
	require.Equal(t, "01J-12", events.CallID("01J", 12))
}

func TestDigestIsSHA256InLowerCase(t *testing.T) {
	t.Parallel()
	require.Equal(t, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", events.Digest([]byte("abc")))
}

func TestActorsFallIntoExactlyOneKind(t *testing.T) {
	t.Parallel()
	for _, actor := range events.Deciders() {
		require.True(t, events.IsDecider(actor))
		require.False(t, events.IsPerson(actor) || events.IsWorker(actor) || events.IsAgent(actor), actor)
	}
	for actor, person := range map[string]bool{
		"ada": true, "operator": true, "worker": true, "agents": true, "Conductor": true,
		"worker-h-1": false, "agent-ci": false, "models": false, "timers": false, "gateway": false, "admin": false,
		"": false, "-": false, "a.b": false, "a b": false, "*": false, ">": false,
	} {
		require.Equal(t, person, events.IsPerson(actor), "%q", actor)
	}
	require.True(t, events.IsWorker("worker-h-1"))
	require.True(t, events.IsAgent("agent-ci"))
}
