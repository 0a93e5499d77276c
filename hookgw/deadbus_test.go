package hookgw_test

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/projections/live"
)

// mortal is a bus that listens, ends and comes back on its store and port.
type mortal struct {
	t       *testing.T
	data    string
	address string
	server  *bus.Server
}

func newMortal(t *testing.T) *mortal {
	m := &mortal{t: t, data: t.TempDir(), address: bustest.Address(t)}
	m.start()
	require.NoError(t, m.server.WriteKeys(m.keys()))
	t.Cleanup(func() { require.NoError(t, m.server.Close()) })
	return m
}

func (m *mortal) keys() string { return filepath.Join(m.data, "keys") }

func (m *mortal) start() {
	m.t.Helper()
	var err error
	m.server, err = bus.Open(m.t.Context(), bus.Config{
		Dir: m.data, Listen: m.address, Durability: bus.Relaxed, Host: "test", MaxBytes: 1 << 30, People: []string{person},
		Agents: []string{"agent-hooks"},
	})
	require.NoError(m.t, err)
}

func (m *mortal) end() {
	m.t.Helper()
	require.NoError(m.t, m.server.Close())
}

func (m *mortal) dial(file string, role bus.Role) *bus.Conn {
	m.t.Helper()
	c, err := bus.Dial(m.t.Context(), bus.DialConfig{Creds: filepath.Join(m.keys(), file+".json"), Role: role})
	require.NoError(m.t, err)
	m.t.Cleanup(c.Close)
	return c
}

// openOnMortal starts a gateway that reaches its bus over the network.
func openOnMortal(t *testing.T) (*mortal, *fixture) {
	t.Helper()
	m := newMortal(t)
	all := m.dial("reader", bus.Role{Kind: bus.Reader})
	models, err := live.Open(t.Context(), all, project, live.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = models.Close() }) // why it ended is a test's business
	actors := map[string]*bus.Conn{
		person:               m.dial("gateway", bus.Role{Kind: bus.Person, Name: person}),
		"agent-hooks":        m.dial("gateway", bus.Role{Kind: bus.Agent, Name: "agent-hooks"}),
		events.ActorGateway:  m.dial("gateway", bus.Role{Kind: bus.Gateway}),
		events.ActorApproval: m.dial("orchestrator", bus.Role{Kind: bus.Decider, Name: events.ActorApproval}),
	}
	f := openEmpty(t, func(c *core.Config) {
		c.Log, c.Models, c.Bus = actors[events.ActorGateway], models, actors[events.ActorGateway]
		c.PersonLog = func(name string) events.Log { return actors[name] }
		c.AgentLog = func(label string) events.Log { return actors[events.AgentPrefix+label] }
	})
	f.log, f.as = all, func(actor string) events.Log { return actors[actor] }
	f.put(person, events.SessionOpened{Folder: "20260102_030405"})
	return m, f
}

// until asks until the answer has a status.
func (f *fixture) until(path string, right access.Right, status int) answer {
	f.t.Helper()
	var a answer
	require.Eventually(f.t, func() bool { a = f.get(path, right); return a.status == status }, eventstest.Patience,
		time.Millisecond)
	return a
}

func TestABusThatDiesAndComesBackLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	m, f := openOnMortal(t)
	f.approve()
	feed, _ := f.feed("/api/stream")
	for feed.telling().event != "snapshot" {
	}
	taken := map[float64]string{}
	for round := range 2 {
		id := "r" + string(rune('1'+round))
		waiting := f.ask(`{"request_id":"` + id + `"}`)
		f.awaitAsk(id)
		f.push(round)
		before := f.get("/api/session", access.RightRead).body
		m.end()
		a := f.until("/api/gui/mma_status", access.RightRead, http.StatusServiceUnavailable)
		require.Contains(t, a.object(t)["error"], "the bus cannot be reached")
		require.Equal(t, http.StatusServiceUnavailable, f.post("/api/session", access.RightHuman,
			`{"session":{"entries":["lost"]}}`).status)
		require.Equal(t, http.StatusOK, f.get("/status", access.RightNone).status)
		require.Equal(t, false, f.get("/api/gui_health", access.RightRead).object(t)["healthy"])

		m.start()
		f.until("/api/gui/mma_status", access.RightRead, http.StatusOK)
		require.Equal(t, string(before), string(f.get("/api/session", access.RightRead).body),
			"what was refused did not happen")
		require.Equal(t, http.StatusOK, f.respond(id, "true").status)
		require.Equal(t, http.StatusOK, (<-waiting).status, "an ask waits over the restart")
		require.Equal(t, http.StatusOK, f.post("/api/session", access.RightHuman, `{"session":{"entries":["`+id+
			`"]}}`).status)
		require.Contains(t, string(f.get("/api/session", access.RightRead).body), id, "a write is seen by the next read")
		for _, entry := range f.get("/api/events", access.RightHuman).object(t)["events"].([]any) {
			e := entry.(map[string]any)
			require.NotContains(t, taken, e["seq"], "nothing is drained twice")
			taken[e["seq"].(float64)] = e["type"].(string)
		}
	}
	require.Equal(t, []string{"ask_received", "ask_received", "tick", "tick"}, slices.Sorted(maps.Values(taken)),
		"and nothing is lost")
	require.Len(t, recorded[events.AskPosted](f), 2)
	require.Len(t, recorded[events.DiscussionChanged](f), 2)
	var seen []uint64
	for edits := 0; edits < 2; {
		fr := feed.telling()
		require.NotContains(t, seen, fr.id, "an open feed goes on, nothing twice")
		seen = append(seen, fr.id)
		if strings.Contains(fr.data, `"DiscussionChanged"`) {
			edits++
		}
	}
}

func TestABusThatComesBackWithAnotherHistoryIsNotMixedIn(t *testing.T) {
	t.Parallel()
	m, f := openOnMortal(t)
	f.put(person, events.GoalSubmitted{Goal: "Mend"})
	m.end()
	tokens := filepath.Join(m.data, "bus-tokens.json")
	other := t.TempDir()
	copyFile(t, tokens, filepath.Join(other, "bus-tokens.json"))
	m.data = other
	m.start()
	<-f.models.Done()
	require.ErrorIs(t, f.models.Err(), events.ErrReplaced)
	a := f.until("/api/session", access.RightRead, http.StatusServiceUnavailable)
	require.Contains(t, a.object(t)["error"], "the history differs")
	require.Equal(t, http.StatusOK, f.get("/status", access.RightNone).status)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	raw, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, raw, 0o600))
}
