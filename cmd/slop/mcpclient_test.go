package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpClient is an MCP client of `slop mcp serve`: mcpclient ACTION TOOL ARGS.
// It prints the progress and the result of the call. ACTION is call, cancel,
// which cancels the call at its first progress, or list, which prints tools.
func mcpClient() {
	if err := runMCPClient(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mcpclient:", err)
		os.Exit(1)
	}
}

func runMCPClient(ctx context.Context, args []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := exec.CommandContext(context.WithoutCancel(ctx), "slop", "mcp", "serve")
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		return err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "scripted-client", Version: "1.0"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			fmt.Println("progress:", r.Params.Message)
			if args[0] == "cancel" {
				cancel()
			}
		},
	})
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		return err
	}
	if err := actMCP(ctx, session, args); err != nil {
		return err
	}
	if err := session.Close(); err != nil {
		return err
	}
	return server.Wait()
}

func actMCP(ctx context.Context, session *mcp.ClientSession, args []string) error {
	if args[0] == "list" {
		for tool, err := range session.Tools(ctx, nil) {
			if err != nil {
				return err
			}
			line, err := json.Marshal(tool)
			if err != nil {
				return err
			}
			fmt.Println(string(line))
		}
		return nil
	}
	call := &mcp.CallToolParams{Name: args[1], Arguments: json.RawMessage(args[2])}
	call.SetProgressToken("p-1")
	result, err := session.CallTool(ctx, call)
	if ctx.Err() != nil {
		fmt.Println("cancelled")
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Println("isError:", result.IsError)
	for _, c := range result.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			fmt.Println(text.Text)
		}
	}
	return nil
}
