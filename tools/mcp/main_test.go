package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// misbehave is the variable that makes the test binary a server.
const misbehave = "SLOP_TEST_MCP"

// TestMain runs the tests, or a server that misbehaves as the variable says.
func TestMain(m *testing.M) {
	if how := os.Getenv(misbehave); how != "" {
		serve(how)
		return
	}
	os.Exit(m.Run())
}

// serve is a server on standard input and output. The file that DESCRIBE names holds the description
// of its tool.
func serve(how string) {
	if how == "exits" {
		fmt.Fprintln(os.Stderr, "no licence")
		os.Exit(3)
	}
	if how == "raw" || how == "dies-on-probe" || how == "silent-probe" {
		serveRaw(how)
		return
	}
	if how == "junk" {
		fmt.Print("\xef\xbb\xbfStarting up…\r\n\n{\"half\": \n")
	}
	if how == "grandchild" {
		child := exec.Command("sleep", "3600")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			panic(err)
		}
		if err := os.WriteFile(os.Getenv("PIDFILE"), []byte(fmt.Sprint(child.Process.Pid)), 0o600); err != nil {
			panic(err)
		}
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "fixture", Version: "1"}, nil)
	description := "Says a text again."
	if text, err := os.ReadFile(os.Getenv("DESCRIBE")); err == nil {
		description = string(text)
	}
	object := map[string]any{"type": "object"}
	s.AddTool(&sdk.Tool{Name: "say", Description: description, InputSchema: object},
		func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct {
				Text  string
				Times int
			}
			if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
				return nil, err
			}
			if in.Text == "die" {
				fmt.Fprintln(os.Stderr, "out of cheese")
				os.Exit(4)
			}
			text := strings.Repeat(in.Text, max(in.Times, 1))
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: in.Text == "bad"}, nil
		})
	s.AddTool(&sdk.Tool{Name: "read_file", Description: "Has the name of a native tool.", InputSchema: object},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{}, nil
		})
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
}

// serveRaw speaks the older protocol by hand: each answer comes twice, and behind one with an id
// that nobody asked for.
func serveRaw(how string) {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"unknown"}`
		switch m.Method {
		case "server/discover":
			switch how {
			case "dies-on-probe":
				os.Exit(1)
			case "silent-probe":
				continue
			}
			answer = `"error":{"code":-32000,"message":"not initialized"}`
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},` +
				`"serverInfo":{"name":"raw","version":"1"}}`
		case "tools/list":
			answer = `"result":{"tools":[{"name":"odd","description":"x","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			answer = "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\xffb\"}]}"
		}
		fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":99999,%s}\n", answer)
		for range 2 {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\r\n", m.ID, answer)
		}
	}
}
