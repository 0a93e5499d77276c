package conversation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/conversation"
)

const model = "m"

// to is a reader with room for so many tokens.
func to(room int64) conversation.Reader {
	return conversation.Reader{Tier: 2, Provider: "p", Model: model, Room: room}
}

// named is a part that names so many bytes.
func named(role, id string, bytes int64) events.Part {
	return events.Part{Role: role, SHA256: "sha-" + id, Size: bytes, From: "01" + id}
}

// begun is a thread with a role, rules of 12,000 bytes, a goal and two views of
// 40,000 and 20,000.
func begun() *conversation.Thread {
	t := &conversation.Thread{}
	t.Open(events.Part{Role: "system", Text: strings.Repeat("r", 400)})
	rules := named("user", "rules", 20_000)
	rules.Head, rules.Suffix = 12_000, "\nOf AGENTS.md, these are the first 12000 characters.\n"
	t.Rules(rules)
	t.Open(events.Part{Role: "user", Text: "# Goal\n" + strings.Repeat("g", 393)})
	a, b := named("user", "a", 40_000), named("user", "b", 20_000)
	a.Prefix, b.Prefix = "# a.go\n\n", "# b.go\n\n"
	t.Show("a.go", a)
	t.Show("b.go", b)
	return t
}

// round adds a round whose one call has a result of so many bytes.
func round(t *conversation.Thread, n int, bytes int64) {
	t.Say(n, named("assistant", fmt.Sprintf("reply%d", n), 40))
	p := named("tool", fmt.Sprintf("result%d", n), bytes)
	p.Call = fmt.Sprintf("call%d", n)
	t.Result(n, "read_file", p)
}

// fitted brings a thread below a limit of tokens and gives what was left out.
func fitted(t *testing.T, th *conversation.Thread, limit int64) events.ConversationShortened {
	t.Helper()
	cut, err := th.Fit(to(limit), nil)
	require.NoError(t, err)
	require.NotNil(t, cut)
	th.Apply(*cut)
	again, err := th.Fit(to(limit), nil)
	require.NoError(t, err)
	require.Nil(t, again, "it fits now")
	require.Equal(t, cut.After, size(th), "what Fit tried is what Apply does")
	return *cut
}

// size is the tokens of a thread, found from outside: the least room it fits.
func size(t *conversation.Thread) int64 {
	low, high := int64(0), int64(1<<24)
	for low < high {
		middle := (low + high) / 2
		if cut, err := t.Fit(to(middle), nil); cut == nil && err == nil {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

func TestAPromptAtTheLimitStaysAndOneTokenOverItGivesWay(t *testing.T) {
	t.Parallel()
	th := begun()
	round(th, 1, 20_000)
	round(th, 2, 400)
	const tokens = (400 + 12_000 + 53 + 400 + 40_000 + 20_000 + 16 + 2*40 + 20_000 + 400 + 3) / 4
	require.EqualValues(t, tokens, size(th))
	before := th.Parts()
	cut := fitted(t, th, tokens-1)
	require.Equal(t, events.ShortenedForWindow, cut.Reason)
	require.EqualValues(t, tokens, cut.Before)
	require.EqualValues(t, tokens-1, cut.Limit)
	require.Equal(t, []events.ShortenedResult{{Call: "call1", Tool: "read_file", Size: 20_000,
		Head: conversation.ResultHead}}, cut.Shortened)
	require.Equal(t, before[:6], th.Parts()[:6])
}

// talked is a thread of three rounds with results of 12,000 bytes.
func talked() *conversation.Thread {
	th := begun()
	for n := range 3 {
		round(th, n+1, 12_000)
	}
	return th
}

func TestWhatGoesGoesInOrderAndNoFurtherThanItTakes(t *testing.T) {
	t.Parallel()
	all := size(talked())
	require.EqualValues(t, 27_248, all)
	cut := func(part int, name string, size int64) events.ShortenedView {
		return events.ShortenedView{Part: part, Name: name, Size: size, Head: conversation.ResultHead}
	}
	for name, c := range map[string]struct {
		limit   int64
		results int
		rounds  []int
		views   []events.ShortenedView
	}{
		"results of older rounds":    {all - 1, 2, nil, nil},
		"then older rounds":          {22_700, 0, []int{1, 2}, nil},
		"then results of the newest": {20_800, 1, []int{1, 2}, nil},
		"then views, the last one first": {20_000, 1, []int{1, 2}, []events.ShortenedView{cut(4, "b.go", 20_000),
			cut(3, "a.go", 40_000)}},
		"then views whole, and no rules": {6000, 1, []int{1, 2}, []events.ShortenedView{cut(1, "project rules", 20_000),
			{Part: 4, Name: "b.go", Size: 20_000}, {Part: 3, Name: "a.go", Size: 40_000}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			th := talked()
			before := th.Parts()
			got := fitted(t, th, c.limit)
			require.Len(t, got.Shortened, c.results)
			require.Equal(t, c.rounds, got.DroppedRounds)
			require.Equal(t, c.views, got.Views)
			after := th.Parts()
			require.Equal(t, []events.Part{before[0], before[2]}, []events.Part{after[0], after[2]}, "role and goal stay")
			require.Equal(t, before[len(before)-2], after[len(after)-2], "the newest reply stays")
			require.Equal(t, before[len(before)-1].Call, after[len(after)-1].Call, "with its result")
		})
	}
}

// TestTheBeginningStaysTheMessageThatItWas holds for what a provider keeps of it,
// however often rounds go.
func TestTheBeginningStaysTheMessageThatItWas(t *testing.T) {
	t.Parallel()
	th := talked()
	before := th.Parts()[:5]
	for n := 4; n < 20; n++ {
		gone := fitted(t, th, 22_700).DroppedRounds
		require.NotEmpty(t, gone)
		require.Equal(t, before, th.Parts()[:5])
		require.Equal(t, "assistant", th.Parts()[5].Role)
		require.Equal(t, fmt.Sprintf("[rounds 1 to %d of this conversation were left out to make room]\n", gone[len(gone)-1]),
			th.Parts()[6].Prefix)
		for _, p := range th.Parts()[7:] {
			require.Empty(t, p.Prefix, "it is said once")
		}
		for size(th) <= 22_700 {
			round(th, n, 12_000)
			n++
		}
	}
}

func TestWhatCannotBeMadeToFitSaysWhatToDo(t *testing.T) {
	t.Parallel()
	th := talked()
	before := th.Parts()
	cut, err := th.Fit(to(4000), nil)
	require.Nil(t, cut)
	require.EqualError(t, err, "context_too_long: the prompt of about 27248 tokens is over the 4000 that m takes, and "+
		"nothing more can be left out: give tier 2 a model with a larger context window, or ask for less at once")
	require.Equal(t, before, th.Parts(), "trying changes nothing")
}

func TestWhatIsLeftOutSaysSo(t *testing.T) {
	t.Parallel()
	th := &conversation.Thread{}
	th.Show("said", events.Part{Role: "user", Prefix: "It says:\n", Text: strings.Repeat("ä", 9000), Origin: "program",
		Fence: "f"})
	th.Show("bare", named("user", "bare", 9000))
	fitted(t, th, 6100)
	parts := th.Parts()
	require.Equal(t, conversation.ResultHead, len([]rune(parts[0].Text)), "whole characters of a text that no event holds")
	require.Equal(t, "\n[… cut to make room: the first 8000 characters of 18000 bytes]\n", parts[0].Suffix)
	require.Equal(t, conversation.ResultHead, parts[1].Head)
	fitted(t, th, 100)
	parts = th.Parts()
	require.Equal(t, events.Part{Role: "user", Text: "It says:\n[left out to make room: 18000 bytes]\n"}, parts[0],
		"no fence around our own words")
	require.Equal(t, "bare\n[left out to make room: 9000 bytes]\n", parts[1].Text)
}

func TestWhatStandsBehindTheConversationIsMeasuredAndStays(t *testing.T) {
	t.Parallel()
	th := talked()
	tail := &events.Part{Role: "user", Kind: events.PartRefresh, Text: strings.Repeat("+", 4000)}
	all := size(th)
	cut, err := th.Fit(to(all+1000), tail)
	require.NoError(t, err)
	require.Nil(t, cut)
	cut, err = th.Fit(to(all+999), tail)
	require.NoError(t, err)
	require.EqualValues(t, all+1000, cut.Before)
}

func TestRoundsGoWhereAnEventCannotHoldTheParts(t *testing.T) {
	t.Parallel()
	th := &conversation.Thread{}
	th.Open(events.Part{Role: "user", Text: "go"})
	n := 0
	for ; ; n++ {
		th.Say(n+1, events.Part{Role: "user", Text: strings.Repeat("x", 32<<10)})
		cut, err := th.Fit(to(1<<30), nil)
		require.NoError(t, err)
		if cut == nil {
			continue
		}
		require.Equal(t, events.ShortenedForEvent, cut.Reason)
		require.Equal(t, []int{1, 2, 3, 4}, cut.DroppedRounds, "below 70 % again")
		th.Apply(*cut)
		break
	}
	require.Equal(t, 9, n)
	require.Equal(t, "[rounds 1 to 4 of this conversation were left out to make room]\n", th.Parts()[1].Prefix)
	one := &conversation.Thread{}
	one.Open(events.Part{Role: "user", Text: strings.Repeat("x", conversation.MaxBytes)})
	_, err := one.Fit(to(1<<30), nil)
	require.ErrorContains(t, err, "context_too_long: the conversation of")
}
