package llmtest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// Conform is the test suite for every provider. It calls make once for each part, so that each has
// its own fixture.
func Conform(t *testing.T, make func(t *testing.T) Fixture) {
	t.Helper()
	for _, part := range []struct {
		name string
		run  func(*testing.T, Fixture)
	}{
		{"text streams in order", textStreams},
		{"parallel calls keep their order", parallelCalls},
		{"a conversation with results continues", conversationGoesOn},
		{"thoughts are sent back verbatim", thoughtsGoBack},
		{"thoughts are sent to no other provider", thoughtsStay},
		{"the refresh block is last", refreshStandsLast},
		{"a prepared body is sent", bodyIsSent},
		{"a reply ends at its limit", endsAtLimit},
		{"usage is exact", usageIsExact},
		{"a cancelled stream is cancelled", cancelled},
		{"a consumer may stop anywhere", consumerStops},
		{"a stream without its end is incomplete", incompleteEverywhere},
		{"every spelling of the base URL works", baseURLs},
		{"wrong keys and models are refused", refused},
		{"the list of models shows whether the key works", listed},
		{"an effort is understood", efforts},
		{"parts without text are left out", emptyTexts},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.run(t, make(t))
		})
	}
	t.Run("every fault has its kind", func(t *testing.T) {
		t.Parallel()
		conformFaults(t, make)
	})
}

func textStreams(t *testing.T, f Fixture) {
	p := f.turns(t, Turn{Text: "One two three four, Grüße 世界."})
	reply, deltas, err := p.ask(f.question("Count."))
	require.NoError(t, err)
	require.Equal(t, "One two three four, Grüße 世界.", reply.Text)
	require.Equal(t, llm.FinishStop, reply.Finish)
	require.NotEmpty(t, reply.Model)
	require.Greater(t, len(deltas), 1, "it streams")
	require.Equal(t, reply.Text, strings.Join(deltas, ""))
	seen := p.Requests()[0]
	require.Equal(t, f.Model, seen.Model)
	require.Contains(t, seen.System, "You work.")
	require.Equal(t, []string{"read_file", "get_tree"}, seen.Tools)
	require.Equal(t, "Count.", seen.Newest())
}

func parallelCalls(t *testing.T, f Fixture) {
	reply := f.turns(t, Turn{Text: "I look.", Calls: []Call{{Name: "read_file", Args: `{"path":"a"}`},
		{Name: "get_tree", Args: `{"path":"b"}`}, {Name: "get_tree", Args: `{}`}}}).good(f.question("Look."))
	require.Equal(t, "I look.", reply.Text)
	require.Equal(t, llm.FinishToolCalls, reply.Finish)
	var got []string
	for _, c := range reply.Calls {
		require.Empty(t, c.Malformed)
		got = append(got, c.Name+string(c.Args))
	}
	require.Equal(t, []string{`read_file{"path":"a"}`, `get_tree{"path":"b"}`, `get_tree{}`}, got)
}

func conversationGoesOn(t *testing.T, f Fixture) {
	calls := []Call{{ID: "call_again", Name: "read_file", Args: `{"path":"a"}`}, {Name: "get_tree", Args: `{"path":"b"}`}}
	p := f.turns(t, Turn{Text: "I look.", Calls: calls}, Turn{Calls: calls}, Turn{Text: "Done."})
	first := f.question("Look.")
	second := answered(first, p.good(first), "1")
	third := answered(second, p.good(second), "2")
	require.Equal(t, "Done.", p.good(third).Text)
	last := p.Requests()[2]
	require.Contains(t, last.Newest(), "result of 01ROUND2-0")
	require.Contains(t, last.Newest(), "result of 01ROUND2-1")
}

func thoughtsGoBack(t *testing.T, f Fixture) {
	if !f.Thinks {
		t.Skip("this vendor needs nothing sent back")
	}
	p := f.turns(t, Turn{Thinking: "Hmm, \"a\" or <b>?\n", Redacted: "secret", Text: "I look.",
		Calls: []Call{{Name: "read_file", Args: `{"path": "a"}`}, {Name: "get_tree", Args: `{}`}}},
		Turn{Thinking: "So b.", Calls: []Call{{Name: "read_file", Args: `{"path":"b"}`}}}, Turn{Text: "Done."})
	first := f.question("Look.")
	first.Params.Effort = "high"
	one := p.good(first)
	require.NotEmpty(t, one.Raw)
	require.Equal(t, "I look.", one.Text, "thoughts are not text")
	second := answered(first, one, "1")
	third := answered(second, p.good(second), "2")
	p.good(third)
	seen := p.Requests()[2]
	opaque := 0
	for _, m := range seen.Messages {
		if m.Opaque {
			opaque++
		}
	}
	require.Equal(t, 2, opaque)
}

func thoughtsStay(t *testing.T, f Fixture) {
	if !f.Thinks {
		t.Skip("this vendor needs nothing sent back")
	}
	p := f.turns(t, Turn{Thinking: "Hmm.", Text: "I look.", Calls: []Call{{Name: "read_file", Args: `{"path":"a"}`}}},
		Turn{Text: "Done."}, Turn{Text: "Done."})
	first := f.question("Look.")
	first.Params.Effort = "high"
	second := answered(first, p.good(first), "1")
	second.Model = f.Other
	p.good(second)
	at := len(second.Messages) - 2
	foreign := second.Messages[at]
	foreign.Blocks = append([]llm.Block{llm.Opaque{Origin: "elsewhere:" + f.Model, Data: []byte(`[{"type":"thinking"}]`)}},
		foreign.Blocks[1:]...)
	second.Messages[at], second.Model = foreign, f.Model
	p.good(second)
	for _, v := range p.Requests()[1:] {
		for _, m := range v.Messages {
			require.False(t, m.Opaque)
		}
		require.Contains(t, v.Messages[len(v.Messages)-2].Text, "I look.")
		require.Len(t, v.Messages[len(v.Messages)-2].Calls, 1)
	}
}

// endsAtLimit tests a reply whose text, and one whose thinking, exceeds the limit.
func endsAtLimit(t *testing.T, f Fixture) {
	long := strings.Repeat("tick tock ", 1000)
	p := f.turns(t, Turn{Text: long}, Turn{Thinking: long, Text: "Done."})
	ask := f.question("Look.")
	ask.Params.MaxOutputTokens = 2048
	reply := p.good(ask)
	require.Equal(t, llm.FinishMaxTokens, reply.Finish)
	require.Equal(t, long[:4*2048], reply.Text)
	ask.Params.Effort = "high"
	reply = p.good(ask)
	require.Equal(t, llm.FinishMaxTokens, reply.Finish)
	require.Empty(t, reply.Text)
}

func refreshStandsLast(t *testing.T, f Fixture) {
	p := f.turns(t, Turn{Calls: []Call{{Name: "read_file", Args: `{"path":"a"}`}}}, Turn{Text: "Done."})
	first := f.question("Look.")
	second := answered(first, p.good(first), "1")
	at := len(second.Messages) - 1
	second.Messages[at].Blocks = append(second.Messages[at].Blocks, llm.Text("[SYSTEM: FILES UPDATED]\na.go: deleted\n"))
	second.Messages[at].Refreshed = true
	require.Equal(t, "Done.", p.good(second).Text)
	newest := p.Requests()[1].Newest()
	require.Contains(t, newest, "result of 01ROUND1-0")
	require.True(t, strings.HasSuffix(strings.TrimRight(newest, "\n"), "a.go: deleted"), newest)
}

func bodyIsSent(t *testing.T, f Fixture) {
	p := f.turns(t, Turn{Text: "Done."})
	made, err := p.provider.Body(f.question("Look."))
	require.NoError(t, err)
	r := f.question("Look.")
	r.Encoded = append(made, " \n"...)
	_, err = llm.Collect(p.provider.Stream(t.Context(), r), nil)
	require.NoError(t, err)
	require.Equal(t, string(r.Encoded), string(p.Requests()[0].Body), "it is not built again")
}

func usageIsExact(t *testing.T, f Fixture) {
	given := f.Usage
	require.Equal(t, f.Usage, f.turns(t, Turn{Text: "Done.", Usage: &given}).good(f.question("Look.")).Usage)
}

func efforts(t *testing.T, f Fixture) {
	p := f.pair(t, Options{Answer: func(View) Turn { return Turn{Text: "Done."} }})
	for _, model := range []string{f.Model, f.Other} {
		for _, effort := range append(events.Efforts(), "") {
			r := f.question("Look.")
			half := 0.5
			r.Model, r.Params.Effort, r.Params.Temperature, r.Params.TopP = model, effort, &half, &half
			p.good(r)
			r.Params.MaxOutputTokens = 0
			p.good(r)
		}
	}
}

func emptyTexts(t *testing.T, f Fixture) {
	p := f.turns(t, Turn{Text: "  \n", Calls: []Call{{Name: "read_file", Args: `{"path":"a"}`}}}, Turn{Text: "Done."})
	first := f.question("Look.")
	second := answered(first, p.good(first), "1")
	second.Messages[len(second.Messages)-1].Blocks[0] = llm.Result{Call: "01ROUND1-0", Name: "read_file", Failed: true}
	p.good(second)
}

func baseURLs(t *testing.T, f Fixture) {
	s := f.Start(t, Options{Answer: func(View) Turn { return Turn{Text: "Done."} }})
	for _, base := range s.Bases() {
		e := s.Endpoint()
		e.BaseURL, e.Headers = base, map[string]string{"X-Gate": "open"}
		reply, err := llm.Collect(f.Provider(e, 0).Stream(t.Context(), f.question("Look.")), nil)
		require.NoError(t, err, base)
		require.Equal(t, "Done.", reply.Text)
	}
}

func refused(t *testing.T, f Fixture) {
	p := f.turns(t, Turn{Text: "Done."})
	r := f.question("Look.")
	r.Model = "no-such-model"
	p.fails(r, events.ModelInvalidRequest)
	e := p.Endpoint()
	e.Key = "another-key-0123"
	p.provider = f.Provider(e, 0)
	_, err := llm.Collect(p.provider.Stream(t.Context(), f.question("Look.")), nil)
	var failed *llm.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, events.ModelAuth, failed.Kind)
	require.NotContains(t, failed.Error(), e.Key)
	require.Empty(t, p.Requests())
}

func listed(t *testing.T, f Fixture) {
	s := f.Start(t, Options{})
	list := func(key string) ([]string, error) {
		e := s.Endpoint()
		e.Key = key
		lister, can := f.Provider(e, 0).(llm.Lister)
		require.True(t, can, "slop models --check asks it for its models")
		return lister.Models(t.Context())
	}
	models, err := list(s.key)
	require.NoError(t, err)
	require.Contains(t, models, f.Model)
	_, err = list("another-key-0123")
	var failed *llm.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, events.ModelAuth, failed.Kind, failed.Message)
	require.NotContains(t, failed.Error(), "another-key-0123")
}

func cancelled(t *testing.T, f Fixture) {
	turn := Turn{Text: "One two three."}
	frames := f.Start(t, Options{}).frames(f.Model, turn)
	end := slices.IndexFunc(frames, f.Start(t, Options{}).wire.ends)
	gate := make(chan struct{}, end)
	for range end {
		gate <- struct{}{} // let out all frames except the last
	}
	turn.Gate = gate
	p := f.turns(t, turn)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reply, err := llm.Collect(p.provider.Stream(ctx, f.question("Count.")), func(string) { cancel() })
	p.noKey(err)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, events.ModelCancelled, llm.AsError(err).Kind)
	require.Empty(t, reply.Text)
	require.Eventually(t, func() bool { return p.Active() == 0 }, eventually, tick, "the server is told")
}

func consumerStops(t *testing.T, f Fixture) {
	turn := Turn{Text: "I look.", Calls: []Call{{Name: "read_file", Args: `{"path":"a"}`}}}
	p := f.pair(t, Options{Answer: func(View) Turn { return turn }})
	all := 0
	for _, err := range p.provider.Stream(t.Context(), f.question("Look.")) {
		require.NoError(t, err)
		all++
	}
	for stop := 1; stop < all; stop++ {
		n := 0
		for range p.provider.Stream(t.Context(), f.question("Look.")) {
			if n++; n == stop {
				break
			}
		}
		require.Equal(t, stop, n)
	}
	require.Eventually(t, func() bool { return p.Active() == 0 }, eventually, tick, "no stream is left open")
}
