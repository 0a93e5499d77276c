package hookgw_test

import (
	"bufio"
	"context"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/projections/live"
)

// countedLog counts reads of the log, and those that are under way.
type countedLog struct {
	events.Log
	begun, open *atomic.Int32
}

// Read is the log's, counted.
func (l countedLog) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		l.begun.Add(1)
		l.open.Add(1)
		defer l.open.Add(-1)
		l.Log.Read(ctx, f, from, to)(yield)
	}
}

// TestAClientThatStandsStillInAReplayHoldsNothingOfTheLog: the bus has a fixed
// number of readers for all, which a few hundred such clients would take.
func TestAClientThatStandsStillInAReplayHoldsNothingOfTheLog(t *testing.T) {
	t.Parallel()
	log := countedLog{begun: &atomic.Int32{}, open: &atomic.Int32{}}
	f := open(t, func(c *core.Config) {
		log.Log = c.Log
		models, err := live.Open(context.WithoutCancel(t.Context()), log, project, live.Options{Backlog: 1000})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, models.Close()) })
		c.Log, c.Models = log, models
		c.Limits.FeedBytes = 1 << 10 // so that the log has to show what came before
	})
	ticket := events.WorkerTicket(f.put(person, events.WorkerSpawnRequested{Prompt: "p"}).ID)
	text := strings.Repeat("x", 64<<10)
	for range 120 { // more than the buffers of a connection take
		asked := f.put(events.ActorContributor, events.ModelRequested{Ticket: ticket, Tier: 3})
		f.put(events.ActorModels, events.ModelReplied{Request: asked.ID, Text: text})
	}
	for _, path := range []string{"/api/stream", "/api/v1/stream?ticket=" + ticket} {
		before := log.begun.Load()
		resp, err := f.client.Do(f.request(http.MethodGet, path, access.RightRead, ""))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, resp.StatusCode)
		f.eventually(func() bool { return log.begun.Load() > before && log.open.Load() == 0 })
		line, err := bufio.NewReaderSize(resp.Body, 16).ReadString('\n')
		require.NoError(t, err)
		require.NotEmpty(t, line, "the client is still served")
		require.NoError(t, resp.Body.Close())
	}
}
