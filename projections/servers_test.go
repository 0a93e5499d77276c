package projections_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

func TestTheWindowShowsWhatExternalServersDo(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	says := func(server, state, failed string, tools ...events.MCPToolChange) {
		s.by("worker-h-1", events.MCPServerChanged{Server: server, State: state, Error: failed, Tools: tools})
	}
	shown := func() string {
		raw, err := json.Marshal(s.set.GUIValue("external_mcp_servers"))
		require.NoError(t, err)
		return string(raw)
	}
	require.Equal(t, `{}`, shown())
	says("files", "starting", "")
	says("files", "running", "", events.MCPToolChange{Name: "write", State: "changed"})
	says("git", "error", "exit status 1")
	require.JSONEq(t, `{"files":{"state":"running","tools":[{"name":"write","state":"changed"}]},
		"git":{"state":"error","error":"exit status 1"}}`, shown())
	says("files", "idle", "")
	for n := range projections.MaxServers - 1 {
		says(fmt.Sprint("s", n), "running", "")
	}
	servers := s.set.Servers()
	require.Len(t, servers, projections.MaxServers)
	require.Equal(t, projections.Server{State: "idle"}, servers["files"])
	require.NotContains(t, servers, fmt.Sprint("s", projections.MaxServers-2), "one more than the limit")
}
