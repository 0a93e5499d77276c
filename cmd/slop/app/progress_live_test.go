package app

import (
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/events/eventstest"
)

func TestTheStatusEndsWithWhatTheModelWrites(t *testing.T) {
	t.Parallel()
	p := shownTo(io.Discard)
	p.take(p.happened("r1", events.ModelRequested{Tier: 1, Provider: "anthropic", Model: "m", Attempt: 1}))
	p.take(p.happened("r2", events.ModelRequested{Tier: 3, Ticket: "T-1", Provider: "anthropic", Model: "m", Attempt: 1}))
	const before = "tier 1: m 0s (+1) │ 0 tokens │ $0 │ 0s"
	for _, said := range []piece{{"r1", "First I\n\n  look at "}, {"r2", "not this"}, {"r9", "nor this"}, {"r1", "\x1b[2Ja.go"}} {
		p.hear(said)
	}
	require.Equal(t, before+" │ First I look at <U+001B>[2Ja.go", p.statusLine(p.begun, 200))
	require.Equal(t, before+" │ …<U+001B>[2Ja.go", p.statusLine(p.begun, columns(before)+len(" │ ")-2+17))
	require.Equal(t, before, p.statusLine(p.begun, columns(before)+3+liveColumns), "no room that is worth it")

	p.take(p.happened("a1", events.ModelReplied{Request: "r1", Text: "First I look at a.go"}))
	require.True(t, strings.HasSuffix(p.statusLine(p.begun, 200), "0s │ not this"), "the next thing that is waited for")
	p.take(p.happened("p1", events.Paused{By: "ann"}))
	require.NotContains(t, p.statusLine(p.begun, 200), "not this")
}

func TestWhatAModelWritesIsKeptToABound(t *testing.T) {
	t.Parallel()
	p := shownTo(io.Discard)
	p.take(p.happened("r1", events.ModelRequested{Tier: 1, Provider: "anthropic", Model: "m", Attempt: 1}))
	p.hear(piece{"r1", strings.Repeat("x", liveBytes)})
	p.hear(piece{"r1", "漢"})
	require.Len(t, p.waits[0].wrote, liveBytes)
	p.hear(piece{"r1", strings.Repeat("字", liveBytes)}) // the cut is within a character
	require.Equal(t, "…"+strings.Repeat("字", 9), p.live(20))
}

func TestPiecesAreWhatTheModelsOfTheSessionWrite(t *testing.T) {
	t.Parallel()
	m := newCrew(t, reading(t, 2), nil)
	heard := pieces(m.ctx, m.log, m.name, m.voice.session)
	models, err := m.bus.as(m.ctx, bus.Role{Kind: bus.Models})
	require.NoError(t, err)
	for len(heard) == 0 { // until the subscription stands
		require.NoError(t, models.Signal(m.ctx, m.name, m.voice.session, events.ActorModels, "delta", []byte(`{"request":`)))
		require.NoError(t, models.Signal(m.ctx, m.name, m.voice.session, events.ActorModels, "delta", []byte(`{"request":"none","delta":"x"}`)))
	}
	require.NoError(t, models.Signal(m.ctx, m.name, m.voice.session, events.ActorModels, "delta", []byte(`{"request":"last"}`)))
	for p := range heard {
		if p.Request == "last" {
			break
		}
		require.Equal(t, piece{"none", "x"}, p, "what is no piece is passed over")
	}
	said := map[string]string{}
	for _, e := range m.reach(t, "read") {
		if p, ok := e.Payload.(events.ModelReplied); ok {
			said[p.Request] = p.Text
		}
	}
	require.NotEmpty(t, said)
	wrote := map[string]string{}
	for patience := time.After(eventstest.Patience); !maps.Equal(said, wrote); {
		select {
		case p := <-heard:
			wrote[p.Request] += p.Delta
		case <-patience:
			require.Equal(t, said, wrote)
		}
	}
}
