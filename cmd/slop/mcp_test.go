package main

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpSay is an MCP server with one tool, for scripts.
func mcpSay() {
	s := sdk.NewServer(&sdk.Implementation{Name: "say", Version: "1"}, nil)
	type in struct {
		Text string `json:"text"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "say", Description: "Says a text again."},
		func(_ context.Context, _ *sdk.CallToolRequest, said in) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "heard " + said.Text}}}, nil, nil
		})
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
}
