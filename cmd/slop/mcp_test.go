package main

import (
	"context"
	"fmt"
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpSay is an MCP server with one tool, for scripts. The tool asks for a name where its text is "who".
func mcpSay() {
	s := sdk.NewServer(&sdk.Implementation{Name: "say", Version: "1"}, nil)
	type in struct {
		Text string `json:"text"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "say", Description: "Says a text again."},
		func(_ context.Context, r *sdk.CallToolRequest, said in) (*sdk.CallToolResult, any, error) {
			if said.Text == "who" && r.Params.InputResponses == nil {
				fmt.Fprintln(os.Stderr, "asking for a name")
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"name": &sdk.ElicitParams{Message: "Who speaks?",
					RequestedSchema: map[string]any{"type": "object",
						"properties": map[string]any{"name": map[string]any{"type": "string"}}}}}}, nil, nil
			}
			if got, ok := r.Params.InputResponses["name"].(*sdk.ElicitResult); ok {
				said.Text = fmt.Sprint(got.Action, " ", got.Content["name"])
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "heard " + said.Text}}}, nil, nil
		})
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
}
