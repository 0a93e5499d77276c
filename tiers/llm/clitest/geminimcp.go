package clitest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/tiers/llm/script"
)

// geminiTools are the tools that the program offers to its model.
type geminiTools struct {
	fault   string
	tools   []string
	servers []*mcp.ClientSession
	of      map[string]geminiTool // by function
}

// geminiTool is a tool of an MCP server.
type geminiTool struct {
	server   *mcp.ClientSession
	name     string
	required []string
}

// connectGemini connects to the MCP servers that the settings allow. Without a server that answers, the
// program goes on without its tools.
func connectGemini(f *fake, s geminiSettings) (*geminiTools, error) {
	g := &geminiTools{fault: f.fault, of: map[string]geminiTool{}}
	for _, own := range []string{"glob", "run_shell_command", "write_file"} {
		if slices.Contains(s.Tools.Core, own) {
			g.tools = append(g.tools, own)
		}
	}
	for name, server := range s.Servers {
		if !slices.Contains(s.MCP.Allowed, name) || f.fault == Unconnected {
			continue
		}
		if os.Getenv("HTTP_PROXY") != "" && os.Getenv("NO_PROXY") != "127.0.0.1" {
			return nil, rejects(1, "clitest: requests to %s would go to the proxy", name)
		}
		version := "0.61.0"
		if f.fault == Old {
			version = "0.39.1"
		}
		client := mcp.NewClient(&mcp.Implementation{Name: "gemini-cli-mcp-client", Version: version}, nil)
		session, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: server.URL,
			HTTPClient: &http.Client{Transport: sends(server.Headers)}}, nil)
		if err != nil {
			fmt.Fprintf(os.Stderr, "[ERROR] MCP server %s: %v\n", name, err)
			continue
		}
		g.servers = append(g.servers, session)
		for tool, err := range session.Tools(context.Background(), nil) {
			if err != nil {
				return nil, rejects(1, "list the tools of %s: %v", name, err)
			}
			function := "mcp_" + name + "_" + tool.Name
			if len(function) > 63 {
				function = function[:30] + "..." + function[len(function)-30:]
			}
			if slices.Contains(s.Tools.Core, function) && server.Trust {
				g.tools = append(g.tools, function)
				g.of[function] = geminiTool{server: session, name: tool.Name, required: requiredOf(tool.InputSchema)}
			}
		}
	}
	return g, nil
}

// requiredOf returns the arguments that a schema requires.
func requiredOf(schema any) (out []string) {
	members, _ := schema.(map[string]any)
	list, _ := members["required"].([]any)
	for _, name := range list {
		out = append(out, fmt.Sprint(name))
	}
	return out
}

func (g *geminiTools) close() {
	for _, s := range g.servers {
		_ = s.Close()
	}
}

// call has the model's calls carried out: all uses are written, then all results. Calls behind the
// first wait for it, by an argument that the program adds.
func (g *geminiTools) call(calls []script.Call) error {
	results := make([]string, len(calls))
	for i, c := range calls {
		function := "mcp_slop_" + c.Name
		if _, known := g.of[function]; !known {
			function = c.Name
		}
		var args map[string]any
		if err := json.Unmarshal([]byte(c.Args), &args); err != nil {
			return rejects(1, "Model stream ended with malformed function call.")
		}
		if i > 0 {
			args["wait_for_previous"] = true
		}
		text, err := json.Marshal(args)
		if err != nil {
			return err
		}
		line(`{"type":"tool_use","tool_name":%s,"tool_id":"t-%d","parameters":%s}`, quote(function), i, text)
		results[i] = g.run(function, args)
	}
	for i, result := range results {
		line(`{"type":"tool_result","tool_id":"t-%d",%s}`, i, result)
	}
	return nil
}

// run carries out one call and returns the members of its result.
func (g *geminiTools) run(function string, args map[string]any) string {
	failed := func(kind, message string) string {
		return fmt.Sprintf(`"status":"error","error":{"type":%s,"message":%s}`, quote(kind), quote(message))
	}
	tool, known := g.of[function]
	if !known {
		return failed("tool_not_registered", "Tool "+function+" not found.")
	}
	for _, name := range tool.required {
		if _, given := args[name]; !given {
			return failed("invalid_tool_params", "params must have required property '"+name+"'")
		}
	}
	sent := []map[string]any{args}
	switch g.fault {
	case Unheard:
		sent = nil
	case Invented:
		sent = append(sent, map[string]any{"invented": true})
	}
	for _, args := range sent {
		out, err := tool.server.CallTool(context.Background(), &mcp.CallToolParams{Name: tool.name, Arguments: args})
		if err != nil || out.IsError {
			return failed("mcp_tool_error", fmt.Sprint(err))
		}
	}
	return `"status":"success","output":"noted"`
}

// sends is a transport that adds headers.
type sends map[string]string

func (s sends) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range s {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}
