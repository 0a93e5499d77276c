package engine

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/projections/live"
)

// countingLog counts the events that it yields.
type countingLog struct {
	events.Log
	read atomic.Int64
}

func (c *countingLog) count(feed iter.Seq2[events.Event, error]) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for e, err := range feed {
			c.read.Add(1)
			if !yield(e, err) {
				return
			}
		}
	}
}

func (c *countingLog) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	return c.count(c.Log.Read(ctx, f, from, to))
}

func (c *countingLog) Watch(ctx context.Context, f events.Filter, from uint64) (uint64,
	iter.Seq2[events.Event, error], error) {
	cutoff, feed, err := c.Log.Watch(ctx, f, from)
	return cutoff, c.count(feed), err
}

// mcpLog is a log with calls of MCP clients, of which the servers "alive" and "killed" made some.
type mcpLog struct {
	*countingLog
	builders map[string]*eventstest.Builder
	done     chan string // calls that were withdrawn
}

func newMCPLog() *mcpLog {
	return &mcpLog{&countingLog{Log: eventstest.NewMemory()}, map[string]*eventstest.Builder{}, make(chan string, 100)}
}

func (m *mcpLog) say(t *testing.T, session, actor string, p events.Payload) {
	t.Helper()
	b := m.builders[session]
	if b == nil {
		b = &eventstest.Builder{Project: "p1", Session: session}
		m.builders[session] = b
		m.say(t, session, "ada", events.SessionOpened{Folder: "20260102_030405_" + session})
	}
	_, err := m.Append(t.Context(), b.Event(t, actor, p), nil)
	require.NoError(t, err)
}

func (m *mcpLog) settles(t *testing.T, session, call string) {
	t.Helper()
	m.say(t, session, events.ActorApproval, events.AskSettled{Ask: "ask-" + call, Gate: events.GateTool,
		Outcome: events.No})
}

// asks raises an ask of a call.
func (m *mcpLog) asks(t *testing.T, session, call string) {
	t.Helper()
	m.say(t, session, events.ActorMCP, events.ToolRequested{Call: call, Tool: "edit_file", Args: []byte("{}")})
	m.say(t, session, events.ActorApproval, events.AskRaised{Ask: "ask-" + call, Gate: events.GateTool, Call: call})
}

// run follows the log until stop is called.
func (m *mcpLog) run(t *testing.T) (lost *lostCalls, stop func()) {
	t.Helper()
	models, err := live.Open(t.Context(), m, "p1", live.Options{})
	require.NoError(t, err)
	m.read.Store(0)
	ctx, cancel := context.WithCancel(t.Context())
	lost = &lostCalls{project: "p1", log: events.NewShared(m, events.Catalogue(), "p1"), live: models,
		gone:     func(server string) (bool, error) { return server == "killed", nil },
		withdraw: func(_ context.Context, _, call string) error { m.done <- call; return nil },
		logger:   slog.New(slog.DiscardHandler), open: map[askKey]mcpAsk{}}
	ended := make(chan error, 1)
	go func() { ended <- lost.run(ctx) }()
	return lost, func() {
		cancel()
		require.NoError(t, <-ended)
		require.NoError(t, models.Close())
	}
}

func TestAsksOfKilledMCPServersAreWithdrawn(t *testing.T) {
	t.Parallel()
	m := newMCPLog()
	before, after := events.MCPCall("killed", "1"), events.MCPCall("killed", "2")
	m.asks(t, "S1", before)
	m.asks(t, "S1", events.MCPCall("alive", "1"))
	m.asks(t, "S1", "c1") // of a model
	answered := events.MCPCall("killed", "3")
	m.asks(t, "S1", answered)
	m.settles(t, "S1", answered)
	m.asks(t, "S2", events.MCPCall("killed", "4"))
	m.say(t, "S2", "ada", events.SessionClosed{Reason: "done"})
	lost, stop := m.run(t)
	require.Equal(t, before, <-m.done)
	m.asks(t, "S3", after) // by a request that was on record, of a session without an ask
	require.Equal(t, after, <-m.done)
	m.settles(t, "S1", before)
	m.settles(t, "S3", after)
	require.Eventually(t, func() bool {
		lost.mu.Lock()
		defer lost.mu.Unlock()
		return len(lost.open) == 1
	}, eventstest.Patience, time.Millisecond, "settled asks are forgotten")
	stop()
	require.Empty(t, m.done)
	require.Equal(t, map[askKey]mcpAsk{{"S1", "ask-mcp-alive-1"}: {call: "mcp-alive-1", server: "alive"}}, lost.open)
}

func TestAStartReadsAsMuchBesideManyCallsOfMCPClientsAsBesideFew(t *testing.T) {
	t.Parallel()
	read := map[int]int64{}
	for _, calls := range []int{10, 500} {
		m := newMCPLog()
		for n := range calls {
			call := events.MCPCall("killed", fmt.Sprint(n))
			session := fmt.Sprint("S", n%10)
			m.asks(t, session, call)
			m.settles(t, session, call)
		}
		m.asks(t, "open", events.MCPCall("killed", "last"))
		_, stop := m.run(t)
		<-m.done
		stop()
		read[calls] = m.read.Load()
	}
	require.NotZero(t, read[10])
	require.Equal(t, read[10], read[500])
}
