package hookgw_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/core"
)

func TestOtherArgumentsOfACallArePreviewed(t *testing.T) {
	t.Parallel()
	var asked []events.PreviewRequested
	f := open(t, func(c *core.Config) {
		c.PreviewCall = func(_ context.Context, _ string, call events.PreviewRequested) (string, error) {
			asked = append(asked, call)
			if string(call.Args) == `{}` {
				return "", errors.New("path: is required")
			}
			return "-a\n+b\n", nil
		}
	})
	f.put(events.ActorContributor, events.ToolRequested{Call: "c1", Ticket: "T-1", Attempt: 1, Round: 1, Tool: "edit_file",
		Args: json.RawMessage(`{"path":"a.go"}`), Workspace: "T-1.1"})
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: "edit_file a.go", Ticket: "T-1",
		Call: "c1", Tool: "edit_file", Args: json.RawMessage(`{"path":"a.go"}`)})
	f.put(events.ActorApproval, events.AskRaised{Ask: "a2", Gate: events.GateStep, Title: "a step"})
	preview := func(body string, status int) string {
		t.Helper()
		a := f.human("/api/ask/preview", body)
		require.Equal(t, status, a.status, string(a.body))
		return string(a.body)
	}
	require.JSONEq(t, `{"request_id":"a1","diff":"-a\n+b\n"}`,
		preview(`{"request_id":"a1","args":{"path":"b.go"}}`, http.StatusOK))
	require.JSONEq(t, `{"request_id":"a1","diff":"","error":"path: is required"}`,
		preview(`{"request_id":"a1","args":{}}`, http.StatusOK))
	require.Equal(t, events.PreviewRequested{Call: "c1", Tool: "edit_file", Args: json.RawMessage(`{"path":"b.go"}`),
		Ticket: "T-1", Workspace: "T-1.1"}, asked[0], "in the worktree of the call")
	require.Len(t, asked, 2)

	for body, status := range map[string]int{
		`{"args":{}}`: http.StatusBadRequest, `{"request_id":"a1"}`: http.StatusBadRequest,
		`{"request_id":"a1","args":[]}`:            http.StatusBadRequest,
		`{"request_id":"a1","args":{"a":1,"a":2}}`: http.StatusBadRequest,
		`{"request_id":"a2","args":{}}`:            http.StatusConflict,
		`{"request_id":"nobody","args":{}}`:        http.StatusNotFound,
	} { // order-independent
		require.Contains(t, preview(body, status), `"hint"`, body)
	}
	require.Len(t, asked, 2)
	require.Empty(t, f.answered())
	require.Empty(t, recorded[events.PreviewRequested](f), "no worker is asked")
}
