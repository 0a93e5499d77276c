package llm_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

func TestEveryKindIsKnownAndNoOther(t *testing.T) {
	t.Parallel()
	for _, k := range llm.Kinds() {
		require.True(t, llm.KnownKind(k), k)
	}
	require.False(t, llm.KnownKind(""))
	require.False(t, llm.KnownKind("teapot"))
}

func TestAFailureIsRecordedWithinItsBounds(t *testing.T) {
	t.Parallel()
	e := &llm.Error{Kind: events.ModelOverloaded, Message: strings.Repeat("€", llm.MaxMessage),
		RetryAfter: 1500 * time.Millisecond}
	f := e.Failed("01J")
	require.Equal(t, "01J", f.Request)
	require.Equal(t, events.ModelOverloaded, f.Kind)
	require.EqualValues(t, 1500, f.RetryAfterMS)
	require.LessOrEqual(t, len(f.Message), llm.MaxMessage)
	require.True(t, utf8.ValidString(f.Message))
	whole := (&llm.Error{Message: strings.Repeat("x", llm.MaxMessage)}).Failed("01J")
	require.Len(t, whole.Message, llm.MaxMessage)
	require.NotContains(t, whole.Message, "…")
}

func TestNoErrorIsNoError(t *testing.T) {
	t.Parallel()
	require.Nil(t, llm.AsError(nil))
}
