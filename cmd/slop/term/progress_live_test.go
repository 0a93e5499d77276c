package term

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func wrote(request, text string) Piece { return Piece{Request: request, Delta: text} }

func TestTheStatusEndsWithTheLastLinesOfACall(t *testing.T) {
	t.Parallel()
	p := shownTo(io.Discard)
	p.Take(p.happened("a1", events.ToolApproved{Call: "c1", Tool: "run_powershell", Args: []byte(`{"script":"make"}`)}))
	hears := func(call string, lines ...string) {
		p.Hear(Piece{OutputSignal: events.OutputSignal{Call: call, Lines: lines}})
	}
	hears("c1", "one", "two")
	hears("c2", "of another")
	require.True(t, strings.HasSuffix(p.statusLine(p.begun, 200), "0s │ one ⏎ two"), p.statusLine(p.begun, 200))
	hears("c1", "two", "\x1b[2Jthree")
	require.True(t, strings.HasSuffix(p.statusLine(p.begun, 200), "0s │ two ⏎ <U+001B>[2Jthree"))
	hears("c1", strings.Repeat("x", 2*liveBytes))
	require.Len(t, p.waits[0].wrote, liveBytes)
	p.Take(p.happened("a2", events.ToolSettled{Call: "c1", Tool: "run_powershell", Outcome: events.ToolDone}))
	hears("c1", "late")
	require.NotContains(t, p.statusLine(p.begun, 200), "late")
}

func TestTheStatusEndsWithWhatTheModelWrites(t *testing.T) {
	t.Parallel()
	p := shownTo(io.Discard)
	p.Take(p.happened("r1", events.ModelRequested{Tier: 1, Provider: "anthropic", Model: "m", Attempt: 1}))
	p.Take(p.happened("r2", events.ModelRequested{Tier: 3, Ticket: "T-1", Provider: "anthropic", Model: "m", Attempt: 1}))
	const before = "tier 1: m 0s (+1) │ 0 tokens │ $0 │ 0s"
	for _, said := range []Piece{wrote("r1", "First I\n\n  look at "), wrote("r2", "not this"),
		wrote("r9", "nor this"), wrote("r1", "\x1b[2Ja.go")} {
		p.Hear(said)
	}
	require.Equal(t, before+" │ First I look at <U+001B>[2Ja.go", p.statusLine(p.begun, 200))
	require.Equal(t, before+" │ …<U+001B>[2Ja.go", p.statusLine(p.begun, Columns(before)+len(" │ ")-2+17))
	require.Equal(t, before, p.statusLine(p.begun, Columns(before)+3+liveColumns), "no room that is worth it")

	p.Take(p.happened("a1", events.ModelReplied{Request: "r1", Text: "First I look at a.go"}))
	require.True(t, strings.HasSuffix(p.statusLine(p.begun, 200), "0s │ not this"), "the next thing that is waited for")
	p.Take(p.happened("p1", events.Paused{By: "ann"}))
	require.NotContains(t, p.statusLine(p.begun, 200), "not this")
}

func TestWhatAModelWritesIsKeptToABound(t *testing.T) {
	t.Parallel()
	p := shownTo(io.Discard)
	p.Take(p.happened("r1", events.ModelRequested{Tier: 1, Provider: "anthropic", Model: "m", Attempt: 1}))
	p.Hear(wrote("r1", strings.Repeat("x", liveBytes)))
	p.Hear(wrote("r1", "漢"))
	require.Len(t, p.waits[0].wrote, liveBytes)
	p.Hear(wrote("r1", strings.Repeat("字", liveBytes))) // the cut is within a character
	require.Equal(t, "…"+strings.Repeat("字", 9), p.live(20))
}
