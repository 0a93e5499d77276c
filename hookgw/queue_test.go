package hookgw_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

// push puts an entry with a number into the queue.
func (f *fixture) push(n int) events.Event {
	f.t.Helper()
	return f.put(events.ActorGateway, events.EventPushed{Kind: "tick", Payload: json.RawMessage(strconv.Itoa(n))})
}

// numbers are the payloads of the entries in an answer of GET /api/events.
func numbers(t *testing.T, a answer) []int {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	var body struct {
		Events []struct {
			Type    string `json:"type"`
			Payload int    `json:"payload"`
		} `json:"events"`
	}
	require.NoError(t, json.Unmarshal(a.body, &body))
	out := []int{}
	for _, e := range body.Events {
		require.Equal(t, "tick", e.Type)
		out = append(out, e.Payload)
	}
	return out
}

func TestADrainTakesTheQueueOnce(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.push(1)
	f.push(2)
	require.Equal(t, []int{1, 2}, numbers(t, f.get("/api/events", access.RightHuman)))
	require.Empty(t, numbers(t, f.get("/api/events", access.RightHuman)))
	f.push(3)
	require.Equal(t, []int{3}, numbers(t, f.get("/api/events", access.RightHuman)))
}

func TestAnEmptyQueueIsAnEmptyListAndPutsNothingOnRecord(t *testing.T) {
	t.Parallel()
	f := open(t)
	require.JSONEq(t, `{"events":[],"through":0}`, string(f.get("/api/events", access.RightHuman).body))
	f.stop()
	require.Empty(t, recorded[events.EventsDrained](f))
	require.Empty(t, recorded[events.HookCalled](f))
}

func TestEachClientHasAQueueOfItsOwn(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.push(1)
	require.Equal(t, []int{1}, numbers(t, f.get("/api/events?client=a", access.RightHuman)))
	require.Equal(t, []int{1}, numbers(t, f.get("/api/events?client=b", access.RightHuman)))
	require.Equal(t, []int{1}, numbers(t, f.get("/api/events", access.RightHuman)))
	require.Empty(t, numbers(t, f.get("/api/events?client=a", access.RightHuman)))
	require.Equal(t, http.StatusBadRequest, f.get("/api/events?client=a.b", access.RightHuman).status)
}

func TestSinceLooksAgainAndTakesNothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	first := f.push(1)
	f.push(2)
	require.Equal(t, []int{1, 2}, numbers(t, f.get("/api/events", access.RightHuman)))
	require.Equal(t, []int{1, 2}, numbers(t, f.get("/api/events?since=0", access.RightHuman)),
		"what was drained can be had again")
	require.Equal(t, []int{2}, numbers(t, f.get(fmt.Sprintf("/api/events?since=%d", first.Seq), access.RightHuman)))
	f.push(3)
	require.Equal(t, []int{1, 2, 3}, numbers(t, f.get("/api/events?since=0", access.RightHuman)))
	require.Equal(t, []int{3}, numbers(t, f.get("/api/events", access.RightHuman)))
	for _, bad := range []string{"x", "-1", "1.5", "99999999999999999999", ""} {
		require.Equal(t, http.StatusBadRequest, f.get("/api/events?since="+bad, access.RightHuman).status, bad)
	}
}

func TestTwoGatewaysOnOneLogDrainOneQueue(t *testing.T) {
	t.Parallel()
	f := open(t)
	other := openEmpty(t, func(c *core.Config) {
		same := func(string) events.Log { return f.log }
		c.Log, c.PersonLog, c.AgentLog, c.Models = f.log, same, same, f.models
	})
	const entries = 60
	for i := range entries {
		f.push(i)
	}
	taken := make(chan []int, 8)
	for i := range cap(taken) {
		from := []*fixture{f, other}[i%2]
		go func() { taken <- numbers(t, from.get("/api/events", access.RightHuman)) }()
	}
	seen := map[int]int{}
	for range cap(taken) {
		for _, n := range <-taken {
			seen[n]++
		}
	}
	requireEachOnce(t, entries, seen)
}

func TestFiftyWritersAndReadersLoseNothingAndSeeNothingTwice(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Limits.Batch = 7 })
	const writers, each = 50, 10
	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	seen := map[int]int{}
	var mu sync.Mutex
	collect := func(list []int) bool {
		mu.Lock()
		defer mu.Unlock()
		for _, n := range list {
			seen[n]++
		}
		return len(list) > 0
	}
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				f.push(w*each + i)
			}
		})
		reading.Go(func() {
			for last := false; ; {
				if got := collect(numbers(t, f.get("/api/events", access.RightHuman))); last && !got {
					return // it was asked for when all was written
				}
				select {
				case <-done:
					last = true
				default:
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	requireEachOnce(t, writers*each, seen)
}

func requireEachOnce(t *testing.T, count int, seen map[int]int) {
	t.Helper()
	require.Len(t, seen, count, "nothing is lost")
	for n, times := range seen {
		require.Equal(t, 1, times, "entry %d", n)
	}
}

func TestThroughNamesTheSessionThatItIsAcknowledgedIn(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.push(1)
	var body struct{ Session string }
	require.NoError(t, json.Unmarshal(f.get("/api/events?through=0", access.RightHuman).body, &body))
	require.NotEmpty(t, body.Session)
	require.Equal(t, []int{1}, numbers(t, f.get("/api/events?through=0&session="+body.Session, access.RightHuman)))
}

func TestThroughTakesWhatWasSeenAndMayBeRepeated(t *testing.T) {
	t.Parallel()
	f := open(t)
	first, second := f.push(1), f.push(2)
	at := func(seq uint64) string { return "/api/events?through=" + strconv.FormatUint(seq, 10) }
	for range 2 {
		require.Equal(t, []int{1, 2}, numbers(t, f.get(at(0), access.RightHuman)), "what is shown is not taken")
	}
	for range 2 { // the answer of the first one was lost
		require.Equal(t, []int{2}, numbers(t, f.get(at(first.Seq), access.RightHuman)))
	}
	require.Empty(t, numbers(t, f.get(at(second.Seq), access.RightHuman)))
	require.Empty(t, numbers(t, f.get(at(first.Seq), access.RightHuman)), "nothing comes back")
	require.Empty(t, numbers(t, f.get("/api/events", access.RightHuman)))
	f.push(3)
	require.Equal(t, []int{3}, numbers(t, f.get("/api/events", access.RightHuman)))

	for _, query := range []string{"through=x", "through=-1", "through=1&since=1", "through=18446744073709551615"} {
		require.Equal(t, http.StatusBadRequest, f.get("/api/events?"+query, access.RightHuman).status, query)
	}
	f.stop()
	require.Len(t, recorded[events.EventsDrained](f), 3, "a drain that takes nothing is not recorded")
}
