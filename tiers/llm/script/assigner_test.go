package script_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm/script"
)

func request(id string, tier int, track, ticket string) *events.Event {
	return &events.Event{ID: id, Payload: events.ModelRequested{Tier: tier, Track: track, Ticket: ticket,
		Provider: script.Name}}
}

func requireLine(t *testing.T, want int, line int, ok bool) {
	t.Helper()
	require.Equal(t, want, line)
	require.Equal(t, want > 0, ok)
}

func TestTheFirstUnusedMatchingLineAnswers(t *testing.T) {
	t.Parallel()
	a := script.NewAssigner(parse(t,
		`{"tier":3,"ticket":"T-002","reply":{}}`,
		`{"tier":3,"contains":"FAIL","reply":{}}`,
		`{"tier":3,"reply":{}}`,
		`{"tier":2,"track":"TR-2","reply":{}}`,
		`{"tier":2,"track":"TR-1","reply":{}}`,
		`{"tier":3,"ticket":"T-002","reply":{}}`))
	assign := func(id string, tier int, track, ticket, newest string, want int) {
		line, ok := a.Assign(request(id, tier, track, ticket), newest)
		requireLine(t, want, line, ok)
	}
	assign("a", 3, "TR-1", "T-001", "ok", 3)
	assign("b", 3, "TR-1", "T-002", "FAIL", 1)
	assign("c", 3, "TR-1", "T-001", "it says FAIL here", 2)
	assign("d", 2, "TR-1", "", "", 5)
	assign("e", 2, "TR-3", "", "", 0)
	assign("f", 3, "TR-1", "T-003", "FAIL", 0)
	assign("g", 3, "TR-1", "T-002", "", 6)
	assign("h", 3, "TR-1", "T-002", "", 0)
	assign("b", 3, "TR-1", "T-002", "FAIL", 1)
	assign("h", 3, "TR-1", "T-002", "", 0)
}

func TestARequestThatIsSeenAgainTakesNoSecondLine(t *testing.T) {
	t.Parallel()
	s := parse(t, `{"tier":3,"reply":{}}`, `{"tier":3,"reply":{}}`, `{"tier":3,"reply":{}}`)
	once, twice := script.NewAssigner(s), script.NewAssigner(s)
	for i := range 4 {
		e := request(strconv.Itoa(i), 3, "", "")
		want, ok := once.Assign(e, "")
		for range 2 {
			line, again := twice.Assign(e, "")
			require.Equal(t, want, line)
			require.Equal(t, ok, again)
		}
	}
}

func TestOtherEventsAndProvidersTakeNoLine(t *testing.T) {
	t.Parallel()
	a := script.NewAssigner(parse(t, `{"tier":3,"reply":{}}`))
	_, ok := a.Assign(&events.Event{ID: "a", Payload: events.ModelRequested{Tier: 3, Provider: "other"}}, "")
	require.False(t, ok)
	_, ok = a.Assign(&events.Event{ID: "b", Payload: events.PauseRequested{}}, "")
	require.False(t, ok)
	line, ok := a.Assign(request("c", 3, "", ""), "")
	requireLine(t, 1, line, ok)
}

func TestAnExhaustedScriptSaysForWhat(t *testing.T) {
	t.Parallel()
	e := script.Exhausted(events.ModelRequested{Tier: 3, Track: "TR-1", Ticket: "T-002"})
	require.Equal(t, events.ModelExhausted, e.Kind)
	require.Equal(t, "script exhausted: no unused line matches tier 3, ticket T-002", e.Message)
	require.Equal(t, "script exhausted: no unused line matches tier 2, track TR-1",
		script.Exhausted(events.ModelRequested{Tier: 2, Track: "TR-1"}).Message)
	require.Equal(t, "script exhausted: no unused line matches tier 1",
		script.Exhausted(events.ModelRequested{Tier: 1}).Message)
	require.False(t, e.Failed("01J").Retryable())
}
