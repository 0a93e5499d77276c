package hookgw_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/projections"
)

// fill puts entries into the queue as quickly as a test can.
func (f *fixture) fill(from, count int) {
	f.t.Helper()
	var last uint64
	for i := range count {
		e, err := events.New(events.Origin{ID: fmt.Sprintf("F%d", from+i), Time: time.Now(), Project: project,
			Session: session, Actor: events.ActorGateway},
			events.EventPushed{Kind: "tick", Payload: json.RawMessage(fmt.Sprint(from + i))})
		require.NoError(f.t, err)
		last, err = f.log.Append(f.t.Context(), e, nil)
		require.NoError(f.t, err)
	}
	require.NoError(f.t, f.models.WaitFor(f.t.Context(), last))
}

func TestWhoLostEntriesIsToldOnce(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fill(0, 10)
	require.Len(t, numbers(t, f.get("/api/events?client=a", access.RightHuman)), 10)
	f.fill(10, projections.MaxQueueEntries+5)
	for _, c := range []struct {
		path    string
		dropped float64
	}{{"?client=a", 5}, {"?client=b", 15}, {"", 15}, {"?since=0", 15}, {"?since=0", 15}} {
		got := f.get("/api/events"+c.path, access.RightHuman).object(t)["events"].([]any)
		first := got[0].(map[string]any)
		require.Equal(t, "overflow", first["type"], c.path)
		require.InDelta(t, c.dropped, first["payload"].(map[string]any)["dropped"], 0, c.path)
	}
	next := numbers(t, f.get("/api/events?client=a", access.RightHuman))
	require.Equal(t, 1014, next[0], "the batch before had the note and 999 entries")
}

func TestClientsOfTheQueueOverTheLimitAreRefused(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.push(1)
	for i := range projections.MaxQueueClients {
		f.put(events.ActorGateway, events.EventsDrained{Client: fmt.Sprintf("c%d", i), Through: 1})
	}
	require.Equal(t, http.StatusTooManyRequests, f.get("/api/events?client=more", access.RightHuman).status)
	require.Equal(t, http.StatusOK, f.get("/api/events?client=c7", access.RightHuman).status)
	require.Equal(t, http.StatusOK, f.get("/api/events?client=more&since=0", access.RightHuman).status)
}

// drained gathers what the readers of one client got.
type drained struct {
	mu   sync.Mutex
	seen map[int]int
	err  error
}

func (d *drained) take(t *testing.T, a answer) (empty bool) {
	got := numbers(t, a)
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, n := range got {
		d.seen[n]++
		if i > 0 && got[i-1]/1000 == n/1000 && got[i-1] >= n {
			d.err = fmt.Errorf("%d before %d of one writer", got[i-1], n)
		}
	}
	return len(got) == 0
}

func TestSeveralReadersOfSeveralClientsLoseNothingOverARestartOfOneOfTwoGateways(t *testing.T) {
	t.Parallel()
	gateways := openOnBus(t, 2)
	const writers, each, clients, readers = 10, 12, 5, 10
	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				gateways[1].push(w*1000 + i)
				if w == 0 && i == each/2 {
					gateways[0].stop()
				}
			}
		})
	}
	got := make([]drained, clients)
	for i := range got {
		got[i].seen = map[int]int{}
	}
	for r := range clients * readers {
		d, path := &got[r%clients], fmt.Sprintf("/api/events?client=c%d", r%clients)
		reading.Go(func() {
			for at := r; ; at++ {
				g := gateways[at%2]
				a, err := g.trySend(g.request(http.MethodGet, path, access.RightHuman, ""))
				if err != nil || a.status == http.StatusServiceUnavailable {
					continue // it stops; the other one goes on
				}
				empty := d.take(t, a)
				select {
				case <-done:
					if empty {
						return
					}
				default:
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	for i := range got {
		require.NoError(t, got[i].err)
		requireEachOnce(t, writers*each, got[i].seen)
	}
}
