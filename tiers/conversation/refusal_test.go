package conversation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/conversation"
)

var (
	asked   = events.ModelRequested{Provider: "p", Model: model}
	tooLong = events.ModelFailed{Kind: events.ModelContextTooLong, Message: "too many tokens"}
)

// refused is what is left out after the provider found a thread too long.
func refused(t *testing.T, th *conversation.Thread, room int64) events.ConversationShortened {
	t.Helper()
	require.True(t, th.Refused(asked, tooLong))
	cut, err := th.Fit(to(room), nil)
	require.NoError(t, err)
	require.NotNil(t, cut)
	require.Equal(t, events.ShortenedForVendor, cut.Reason)
	th.Apply(*cut)
	return *cut
}

func TestARefusedPromptGivesWayAFewTimesAndThenStops(t *testing.T) {
	t.Parallel()
	th := talked()
	last := size(th)
	for range conversation.MaxRefusals {
		cut := refused(t, th, 1<<20)
		require.LessOrEqual(t, cut.After, last*7/10, "each time far enough that it may help")
		last = cut.After
	}
	require.True(t, th.Refused(asked, tooLong))
	_, err := th.Fit(to(1<<20), nil)
	require.EqualError(t, err, "context_too_long: too many tokens; it was shortened 3 times: give tier 2 a model with a "+
		"larger context window, or ask for less at once")
}

func TestARefusalCountsAgainInTheNextRound(t *testing.T) {
	t.Parallel()
	th := talked()
	for n := range 2 {
		refused(t, th, 1<<20)
		th.Heard(&conversation.Offers{}, asked, nil, "01X", events.ModelReplied{})
		round(th, 4+n, 60_000)
		require.Equal(t, events.ShortenedForWindow, fitted(t, th, 1<<20).Reason)
	}
	for range conversation.MaxRefusals {
		require.True(t, th.Refused(asked, tooLong))
	}
	_, err := th.Fit(to(1<<20), nil)
	require.NoError(t, err)
}

func TestWhatAProviderRefusedIsItsLimitFromThenOn(t *testing.T) {
	t.Parallel()
	th := talked()
	cut := refused(t, th, 1<<20)
	require.EqualValues(t, 27_248*7/10, cut.Limit)
	round(th, 4, 120_000)
	later := fitted(t, th, 1<<20)
	require.Equal(t, events.ShortenedForWindow, later.Reason, "before it is sent")
	require.Equal(t, cut.Limit, later.Limit)

	round(th, 5, 120_000)
	other := to(1 << 20)
	other.Model = "larger"
	still, err := th.Fit(other, nil)
	require.NoError(t, err)
	require.Nil(t, still, "another model is another limit")
}

func TestARefusalIsNoReasonToSendAnotherModelLess(t *testing.T) {
	t.Parallel()
	th := talked()
	require.True(t, th.Refused(asked, tooLong))
	other := to(1 << 20)
	other.Model = "larger"
	cut, err := th.Fit(other, nil)
	require.NoError(t, err)
	require.Nil(t, cut)
	require.False(t, th.Refused(asked, events.ModelFailed{Kind: events.ModelOverloaded}))
}

func TestARefusalOfWhatCannotGiveWayIsTheEnd(t *testing.T) {
	t.Parallel()
	th := &conversation.Thread{}
	th.Open(events.Part{Role: "user", Text: "go"})
	require.True(t, th.Refused(asked, tooLong))
	_, err := th.Fit(to(1<<20), nil)
	require.ErrorContains(t, err, "context_too_long: too many tokens; nothing more can be left out")
}
