package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// passedOn carries out the actions of mcpclient that call no tool, and prints their results. It returns false for
// others.
func passedOn(ctx context.Context, session *mcp.ClientSession, args []string, confirmed <-chan struct{},
	updated <-chan string) (bool, error) {
	var out any
	var err error
	switch args[0] {
	case "resources":
		out, err = session.ListResources(ctx, nil)
	case "templates":
		out, err = session.ListResourceTemplates(ctx, nil)
	case "prompts":
		out, err = session.ListPrompts(ctx, nil)
	case "read":
		out, err = session.ReadResource(ctx, &mcp.ReadResourceParams{URI: args[1]})
	case "prompt":
		var with map[string]string
		if err := json.Unmarshal([]byte(args[2]), &with); err != nil {
			return true, err
		}
		out, err = session.GetPrompt(ctx, &mcp.GetPromptParams{Name: args[1], Arguments: with})
	case "complete":
		out, err = session.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: args[1]},
			Argument: mcp.CompleteParamsArgument{Name: "arg1", Value: args[2]}})
	case "watch":
		return true, watchMCP(ctx, session, args[1], args[2], confirmed, updated)
	default:
		return false, nil
	}
	if err != nil {
		fmt.Println("error:", err)
		return true, nil
	}
	line, err := json.Marshal(out)
	fmt.Println(string(line))
	return true, err
}

func watchMCP(ctx context.Context, session *mcp.ClientSession, uri, tool string, confirmed <-chan struct{},
	updated <-chan string) error {
	if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
		return err
	}
	if session.InitializeResult().ProtocolVersion > "2025-11-25" {
		<-confirmed
	}
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool}); err != nil {
		return err
	}
	fmt.Println("updated:", <-updated)
	return session.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri})
}
