package hookgw_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

// openOnBus starts gateways on a real bus, each connection with the rights of
// its actor and no others.
func openOnBus(t *testing.T, gateways int) []*fixture {
	t.Helper()
	server := bustest.Open(t)
	all := bustest.Connect(t, server, bus.Role{Kind: bus.Reader})
	models := openModels(t, all, 1000)
	actors := map[string]events.Log{
		person:               bustest.Connect(t, server, bus.Role{Kind: bus.Person, Name: person}),
		"agent-hooks":        bustest.Connect(t, server, bus.Role{Kind: bus.Agent, Name: "agent-hooks"}),
		events.ActorGateway:  bustest.Connect(t, server, bus.Role{Kind: bus.Gateway}),
		events.ActorApproval: bustest.Connect(t, server, bus.Role{Kind: bus.Decider, Name: events.ActorApproval}),
	}
	var out []*fixture
	for range gateways {
		f := openEmpty(t, func(c *core.Config) {
			c.Log, c.Models = actors[events.ActorGateway], models
			c.PersonLog = func(name string) events.Log { return actors[name] }
			c.AgentLog = func(label string) events.Log { return actors[events.AgentPrefix+label] }
		})
		f.log, f.as = all, func(actor string) events.Log { return actors[actor] }
		out = append(out, f)
	}
	out[0].put(person, events.SessionOpened{Folder: "20260102_030405"})
	return out
}

func TestOnARealBusAnAskIsAnsweredWithTheRightsOfThoseWhoSpeak(t *testing.T) {
	t.Parallel()
	f := openOnBus(t, 1)[0]
	f.approve()
	waiting := f.ask(`{"request_id":"r1"}`)
	f.awaitAsk("r1")
	require.Equal(t, http.StatusOK, f.respond("r1", `{"approved":true}`).status)
	require.JSONEq(t, `{"status":"ok","response":{"approved":true}}`, string((<-waiting).body))
	f.stop()
	require.Len(t, recorded[events.HookCalled](f), 2)
}

func TestOnARealBusTwoGatewaysDrainOneQueue(t *testing.T) {
	t.Parallel()
	gateways := openOnBus(t, 2)
	const entries = 40
	for i := range entries {
		gateways[i%2].push(i)
	}
	taken := make(chan []int, 8)
	for i := range cap(taken) {
		go func() { taken <- numbers(t, gateways[i%2].get("/api/events", access.RightHuman)) }()
	}
	seen := map[int]int{}
	for range cap(taken) {
		for _, n := range <-taken {
			seen[n]++
		}
	}
	requireEachOnce(t, entries, seen)
}
