package hookgw_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
)

// replies puts a request and its reply on record.
func (f *fixture) replies(ticket, model string, u events.Usage) {
	f.t.Helper()
	asked := f.put(events.ActorContributor, events.ModelRequested{StreamID: "Tier 3 (Worker): " + ticket, Track: "TR-1",
		Ticket: ticket, Tier: 3, Provider: "anthropic", Model: model})
	f.put(events.ActorModels, events.ModelReplied{Request: asked.ID, Usage: u})
}

// bill is what the tests read of GET /api/metrics/financial.
type bill struct {
	Session                        spent
	Tracks, Tickets, Tiers, Models []spent
	NoTicket                       spent    `json:"no_ticket"`
	Unpriced                       []string `json:"unpriced_models"`
	Prices                         []map[string]any
}

type spent struct {
	ID, Track string
	Title     string
	Requests  int
	Input     int64  `json:"input_tokens"`
	Micro     *int64 `json:"cost_micro_dollars"`
	Priced    int64  `json:"priced_micro_dollars"`
	Cost      *float64
	History   []spent
}

func (f *fixture) bill() bill {
	f.t.Helper()
	got := f.get("/api/metrics/financial", access.RightRead)
	require.Equal(f.t, http.StatusOK, got.status)
	var b bill
	require.NoError(f.t, json.Unmarshal(got.body, &b))
	return b
}

func TestAKnownPriceIsCountedInWholeMicroDollars(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.replies("T-1", "claude-sonnet-4-5", events.Usage{Input: 1000, Output: 100})
	f.replies("T-2", "claude-sonnet-4-5", events.Usage{Input: 1})
	b := f.bill()
	require.EqualValues(t, 4503, *b.Session.Micro)
	require.InDelta(t, 0.004503, *b.Session.Cost, 1e-9)
	require.Equal(t, 2, b.Session.Requests)
	require.Len(t, b.Tracks, 1)
	require.Equal(t, "TR-1", b.Tracks[0].ID)
	require.EqualValues(t, 4503, *b.Tracks[0].Micro)
	require.Len(t, b.Tracks[0].History, 2)
	require.EqualValues(t, 4500, *b.Tracks[0].History[0].Micro)
	require.EqualValues(t, 3, *b.Tracks[0].History[1].Micro)
	require.Equal(t, []string{"T-1", "T-2"}, []string{b.Tickets[0].ID, b.Tickets[1].ID})
	require.Equal(t, "TR-1", b.Tickets[0].Track)
	require.Equal(t, "3", b.Tiers[0].ID)
	require.Equal(t, "anthropic/claude-sonnet-4-5", b.Models[0].ID)
	require.Empty(t, b.Unpriced)
	for _, p := range b.Prices {
		require.NotEmpty(t, p["as_of"])
		require.NotEmpty(t, p["source"])
	}
}

func TestTicketsAndWhatHasNoneAddUpToTheSession(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.graph()
	f.replies("T-001", "claude-sonnet-4-5", events.Usage{Input: 1000})
	f.replies("", "claude-sonnet-4-5", events.Usage{Input: 200})
	f.replies("", "m-unheard-of", events.Usage{Input: 1})
	b := f.bill()
	require.Equal(t, []int64{1201, 201, 3600, 600}, []int64{b.Session.Input, b.NoTicket.Input, b.Session.Priced,
		b.NoTicket.Priced})
	require.Nil(t, b.NoTicket.Micro)
	require.Equal(t, b.Session.Requests, b.NoTicket.Requests+b.Tickets[0].Requests)
	require.Equal(t, []string{"Shop", "Mend T-001"}, []string{b.Tracks[0].Title, b.Tickets[0].Title})
}

func TestAnUnknownPriceIsNullHereAndZeroForTheOriginal(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.replies("T-1", "m-unheard-of", events.Usage{Input: 1000})
	b := f.bill()
	require.Nil(t, b.Session.Micro)
	require.Zero(t, b.Session.Priced)
	require.NotNil(t, b.Session.Cost)
	require.Zero(t, *b.Session.Cost)
	require.Equal(t, []string{"anthropic/m-unheard-of"}, b.Unpriced)
	f.replies("T-1", "claude-sonnet-4-5", events.Usage{Input: 1000})
	b = f.bill()
	require.Nil(t, b.Session.Micro, "a sum with an unknown part is unknown")
	require.EqualValues(t, 3000, b.Session.Priced)
	require.InDelta(t, 0.003, *b.Session.Cost, 1e-9)
}

func TestALongHistoryOfATrackIsShortened(t *testing.T) {
	t.Parallel()
	f := open(t)
	const n = 129
	for i := range n {
		f.replies("T-"+string(rune('A'+i)), "claude-sonnet-4-5", events.Usage{Input: 1})
	}
	b := f.bill()
	require.Len(t, b.Tracks[0].History, 65)
	var input int64
	for _, p := range b.Tracks[0].History {
		input += p.Input
	}
	require.EqualValues(t, n, input)
}

func TestNothingSpentIsZero(t *testing.T) {
	t.Parallel()
	b := openEmpty(t).bill()
	require.Zero(t, *b.Session.Micro)
	require.Equal(t, []spent{}, b.Tracks)
}

func TestTokenStatsShowHowFullTheNewestPromptIs(t *testing.T) {
	t.Parallel()
	f := open(t)
	ask := func(provider string, bytes int) map[string]any {
		f.put(events.ActorContributor, events.ModelRequested{StreamID: "Tier 3 (Worker): T-1", Tier: 3, Provider: provider,
			Model: "m", Manifest: []events.Part{
				{Role: "system", Text: "12345678"}, {Role: "user", Text: "task"}, {Role: "assistant", SHA256: "a", Size: 40},
				{Role: "tool", SHA256: "b", Size: int64(bytes) - 56},
				{Role: "assistant", Text: "done"},
			}})
		return f.get("/api/gui/token_stats", access.RightRead).object(t)
	}
	got := ask("anthropic", 4*90_000)
	require.Equal(t, map[string]any{
		"provider": "anthropic", "model": "m", "stream": "Tier 3 (Worker): T-1", "history_turns": 4.0,
		"estimated_prompt_tokens": 90000.0,
		"max_prompt_tokens":       180000.0, "utilization_pct": 50.0, "headroom_tokens": 90000.0, "would_trim": false,
		"trimmable_turns": 1.0,
		"system_tokens":   2.0, "tools_tokens": 0.0, "history_tokens": 89998.0, "band": "yellow", "messages_omitted": 0.0,
		"messages": []any{
			map[string]any{"role": "user", "estimated_tokens": 1.0, "has_tool_use": false},
			map[string]any{"role": "assistant", "estimated_tokens": 10.0, "has_tool_use": true},
			map[string]any{"role": "tool", "estimated_tokens": 89986.0, "has_tool_use": true},
			map[string]any{"role": "assistant", "estimated_tokens": 1.0, "has_tool_use": false},
		},
	}, got)
	got = ask("anthropic", 4*180_000+1)
	require.Equal(t, true, got["would_trim"])
	require.EqualValues(t, 0, got["headroom_tokens"])
	require.Equal(t, "red", got["band"])
	got = ask("gemini", 4*900_000)
	require.Equal(t, false, got["would_trim"])
	got = ask("script", 400)
	for _, key := range []string{"max_prompt_tokens", "utilization_pct", "headroom_tokens", "would_trim", "band"} {
		value, there := got[key]
		require.True(t, there, key)
		require.Nil(t, value, key)
	}
	require.False(t, strings.Contains(string(f.get("/api/gui/token_stats", access.RightRead).body), "task"),
		"no text of a prompt is shown")
}

func TestTokenStatsOfASessionWithoutAPromptAreEmpty(t *testing.T) {
	t.Parallel()
	got := openEmpty(t).get("/api/gui/token_stats", access.RightRead).object(t)
	require.EqualValues(t, 0, got["estimated_prompt_tokens"])
	require.Equal(t, []any{}, got["messages"])
	require.Equal(t, "", got["provider"])
}
