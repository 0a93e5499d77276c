package site

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
)

func TestAnEngineWaitsForACommandThatReads(t *testing.T) {
	t.Parallel()
	g, p := &Flags{}, freshPlace(t)
	p.Person = "ada"
	require.NoError(t, p.Claim())
	open := func(ctx context.Context) error {
		c, err := g.OpenBus(ctx, p, "")
		if err == nil {
			c.Close()
		}
		return err
	}
	hold := func(serves string) *bus.Server {
		s, err := bus.Open(t.Context(), bus.Config{Dir: p.Data, Project: "p", People: []string{"ada"}, Serves: serves})
		require.NoError(t, err)
		return s
	}
	engine := hold(p.Project)
	require.ErrorIs(t, open(t.Context()), bus.ErrLocked, "an engine does not wait for another one")
	engine.Close()

	reader := hold(Reading)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, open(ctx), context.Canceled, "it waits")
	done := make(chan error)
	go func() { done <- open(t.Context()) }()
	reader.Close()
	require.NoError(t, <-done)
}
