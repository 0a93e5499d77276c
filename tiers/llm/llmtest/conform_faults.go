package llmtest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// eventually and tick control how long and how often tests poll for an expected state.
const (
	eventually = 2 * time.Minute
	tick       = time.Millisecond
)

// broken returns a turn with text and a call, so that every fault can apply to it.
func broken(fault Fault) Turn {
	return Turn{Text: "I look.", Calls: []Call{{Name: "read_file", Args: `{"path":"a"}`}}, Fault: fault, At: -1}
}

func conformFaults(t *testing.T, make func(t *testing.T) Fixture) {
	t.Helper()
	for _, c := range make(t).turns(t).Cases() {
		t.Run(string(c.Fault), func(t *testing.T) {
			t.Parallel()
			f := make(t)
			if c.Fault == RepeatedIDs {
				repeatedIDs(t, f)
				return
			}
			p := f.turns(t, broken(c.Fault), Turn{Text: "Done."})
			silent := c.Fault == Stall || c.Fault == StalledStart
			if silent {
				p.provider = f.Provider(p.Endpoint(), shortSilence)
			}
			first := f.question("Look.")
			if c.Kind == "" {
				goodDespite(p, c.Fault, first)
				return
			}
			e := p.fails(first, c.Kind)
			require.Equal(t, c.RetryAfter, e.RetryAfter)
			require.LessOrEqual(t, len(p.Requests()), 1, "nothing is retried")
			if !silent { // the provider may give up before the server has read the request
				require.Len(t, p.Requests(), 1)
			}
		})
	}
}

// repeatedIDs runs a conversation in which a vendor uses one id for two calls, with and without
// thinking that goes back verbatim.
func repeatedIDs(t *testing.T, f Fixture) {
	t.Helper()
	for _, thinking := range []string{"", "Hmm."} {
		turn := broken(RepeatedIDs)
		turn.Thinking = thinking
		p := f.turns(t, turn, turn, Turn{Text: "Done."})
		first := f.question("Look.")
		second := answered(first, p.good(first), "1")
		third := answered(second, p.good(second), "2")
		require.Equal(t, "Done.", p.good(third).Text)
	}
}

// goodDespite checks that a reply succeeds in spite of a fault, and that the conversation
// continues after it.
func goodDespite(p *pair, fault Fault, first llm.Request) {
	t := p.t
	reply := p.good(first)
	require.True(t, strings.HasPrefix(reply.Text, "I look."), reply.Text)
	require.NotEmpty(t, reply.Calls)
	call := reply.Calls[0]
	switch fault {
	case ManyCalls:
		require.Len(t, reply.Calls, 20)
		require.JSONEq(t, `{"path":"19"}`, string(reply.Calls[19].Args))
	case SplitEscape:
		require.JSONEq(t, `{"path":"ä\n\"\\😀"}`, string(call.Args))
	case BrokenArgs:
		require.NotEmpty(t, call.Malformed)
		require.JSONEq(t, `{}`, string(call.Args))
	case UnknownTool:
		require.Equal(t, "no_such_tool", call.Name)
	case CutInCall:
		require.Equal(t, llm.FinishMaxTokens, reply.Finish)
		require.Len(t, reply.Calls, 2)
		require.NotEmpty(t, reply.Calls[1].Malformed, "a call that was cut off never runs")
	case SplitUTF8, OneByte:
		require.Equal(t, "I look. Grüße, 世界 😀", reply.Text)
	case NoUsage:
		require.True(t, reply.Usage.Estimated)
	}
	if fault != BrokenArgs && fault != CutInCall {
		require.Empty(t, call.Malformed)
	}
	require.Equal(t, "Done.", p.good(answered(first, reply, "1")).Text, "the conversation continues")
}

// incompleteEverywhere ends the stream cleanly before each of its events up to the vendor's end
// marker.
func incompleteEverywhere(t *testing.T, f Fixture) {
	turn := broken("")
	s := f.Start(t, Options{})
	frames := s.frames(f.Model, turn)
	end := slices.IndexFunc(frames, s.wire.ends)
	require.Greater(t, end, 1)
	turn.Fault = EarlyEnd
	p := f.pair(t, Options{Answer: func(v View) Turn {
		turn := turn
		turn.At = v.Number
		return turn
	}})
	for range end + 1 {
		p.fails(f.question("Look."), events.ModelIncomplete)
	}
}
