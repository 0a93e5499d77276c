package main

import (
	"context"
	"fmt"
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpSay is an MCP server with one tool, for scripts. The tool asks for a name where its text is "who". The file
// description.txt in its folder describes it.
func mcpSay() {
	s := sdk.NewServer(&sdk.Implementation{Name: "say", Version: "1"}, nil)
	type in struct {
		Text string `json:"text"`
	}
	description := "Says a text again."
	if text, err := os.ReadFile("description.txt"); err == nil {
		description = string(text)
	}
	sdk.AddTool(s, &sdk.Tool{Name: "say", Description: description},
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
