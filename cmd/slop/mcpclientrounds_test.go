package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// roundsMCP calls a tool that asks one question with a form, and answers it by hand: it prints what the server says to
// answers that are wrong, forged, for another call, or given twice, or only closes the form.
func roundsMCP(ctx context.Context, session *mcp.ClientSession, tool string, closed bool) error {
	say := func(what string, call *mcp.CallToolParams) *mcp.CallToolResult {
		r, err := session.CallTool(ctx, call)
		if err != nil {
			fmt.Printf("%s: error: %v\n", what, err)
			return &mcp.CallToolResult{}
		}
		asked := strings.Join(slices.Sorted(maps.Keys(r.InputRequests)), " ")
		fmt.Printf("%s: needs input: %v %s %s\n", what, r.NeedsInput(), asked, textOf(r))
		return r
	}
	with := func(state string, answer mcp.InputResponse) *mcp.CallToolParams {
		return &mcp.CallToolParams{Name: tool, Arguments: map[string]any{}, RequestState: state,
			InputResponses: mcp.InputResponseMap{"user_name": answer}}
	}
	form := &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}
	first := say("first", &mcp.CallToolParams{Name: tool, Arguments: map[string]any{}})
	if closed {
		say("closed", with(first.RequestState, &mcp.ElicitResult{Action: "cancel"}))
		return nil
	}
	other := with(first.RequestState, form)
	other.Arguments = map[string]any{"for": "another"}
	say("other arguments", other)
	other = with(first.RequestState, form)
	other.Name = "test_input_required_result_capabilities"
	say("other tool", other)
	say("tampered", with(first.RequestState+"A", form))
	//lint:ignore SA1019 current clients still have roots
	second := say("wrong kind", with(first.RequestState, &mcp.ListRootsResult{Roots: []*mcp.Root{}}))
	say("old state", with(first.RequestState, form))
	say("answered", with(second.RequestState, form))
	say("twice", with(second.RequestState, form))
	return nil
}
