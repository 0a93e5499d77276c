package abandon_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/abandon"
)

func TestWorkThatEndsGivesItsOutcome(t *testing.T) {
	t.Parallel()
	wrong := errors.New("wrong")
	value, err := abandon.WhenDone(t.Context(), func() (int, error) { return 7, wrong })
	require.Equal(t, 7, value)
	require.ErrorIs(t, err, wrong)
}

func TestWorkIsAbandonedWhenTheContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	release, ended := make(chan struct{}), make(chan struct{})
	value, err := abandon.WhenDone(ctx, func() (int, error) {
		defer close(ended)
		cancel()
		<-release
		panic("dropped")
	})
	require.Zero(t, value)
	require.ErrorIs(t, err, context.Canceled)
	close(release)
	<-ended
}

func TestAPanicReachesWhoeverWaits(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "broken", func() {
		_, _ = abandon.WhenDone(t.Context(), func() (int, error) { panic("broken") })
	})
}
