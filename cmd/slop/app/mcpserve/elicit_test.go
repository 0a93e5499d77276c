package mcpserve

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// A dialog that was closed says nothing, so the question waits for you.
func TestOnlyAnAcceptedOrDeclinedFormIsAnAnswer(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"accept", "decline", "cancel"} {
		client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: action}, nil
			}})
		server := mcp.NewServer(&mcp.Implementation{Name: "server", Version: "1"}, nil)
		here, there := mcp.NewInMemoryTransports()
		session, err := server.Connect(t.Context(), there, nil)
		require.NoError(t, err)
		asked, err := client.Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		require.NoError(t, err)
		given, err := ask(t.Context(), session, "01J", question{Message: "Really?"})
		if action == "cancel" {
			require.ErrorContains(t, err, "waits for you")
		} else {
			require.NoError(t, err, action)
			require.Equal(t, action == "accept", given.Approved)
			require.Equal(t, "from the MCP client client", given.Reason)
		}
		require.NoError(t, asked.Close())
	}
}
