package events_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestSessionsShareOffersThatAreTheSame(t *testing.T) {
	t.Parallel()
	registry := events.Catalogue()
	decode := func(data string) events.ToolsOffered {
		e := events.Event{Type: "ToolsOffered", V: 1, Actor: "ann", Data: []byte(data)}
		registry.Decode(&e)
		require.IsType(t, events.ToolsOffered{}, e.Payload)
		return e.Payload.(events.ToolsOffered)
	}
	first, again := decode(`{"tools":[{"name":"a"}]}`), decode(`{"tools":[{"name":"a"}]}`)
	require.Same(t, &first.Tools[0], &again.Tools[0])
	require.Equal(t, "b", decode(`{"tools":[{"name":"b"}]}`).Tools[0].Name)
	require.Equal(t, "a", decode(`{"tools":[{"name":"a"}]}`).Tools[0].Name)
}
