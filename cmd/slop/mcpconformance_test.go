package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"manualslop/tools"
	"manualslop/tools/mcp"
)

// TestTheRealMCPPrograms runs testdata/mcpconformance with the programs of npm that
// `make mcp-conformance` installs.
func TestTheRealMCPPrograms(t *testing.T) {
	t.Parallel()
	programs := os.Getenv("SLOP_MCP_PROGRAMS")
	if programs == "" {
		t.Skip("SLOP_MCP_PROGRAMS is not set; run make mcp-conformance")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "mcpconformance"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", programs+string(os.PathListSeparator)+env.Getenv("PATH")) // its node is newer
			env.Setenv("NEXT", filepath.Join(programs, "..", "..", "next", "node_modules", ".bin", "conformance"))
			return setupScript(env)
		},
		Cmds: scriptCommands(),
	})
}

// mcpScenario is our client under the suite of the protocol: mcpscenario URL. It trusts the server's tools and calls
// them; its user gives access in a browser and accepts questions without filling in the form.
func mcpScenario() {
	if err := runMCPScenario(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "mcpscenario:", err)
		os.Exit(1)
	}
}

// scenarioContext is what the suite tells a client beforehand.
type scenarioContext struct {
	ClientID     string             `json:"client_id"`
	ClientSecret string             `json:"client_secret"`
	ToolCalls    []scenarioToolCall `json:"toolCalls"`
}

type scenarioToolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

func runMCPScenario(ctx context.Context, url string) error {
	var told scenarioContext
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &told); err != nil {
			return err
		}
	}
	user, err := os.MkdirTemp("", "mcpscenario")
	if err != nil {
		return err
	}
	defer os.RemoveAll(user)
	server := map[string]any{"name": "suite", "httpUrl": url}
	if strings.HasPrefix(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "auth/") {
		server["oauth"] = mcp.OAuth{ClientID: told.ClientID, ClientSecret: told.ClientSecret}
	}
	config, err := json.Marshal(map[string]any{"servers": []any{server}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(user, mcp.FileName), config, 0o600); err != nil {
		return err
	}
	around := mcp.Surroundings{Tokens: filepath.Join(user, "tokens"), OpenURL: visitAddress}
	m, err := mcp.Open(user, user, nil, around)
	if err != nil {
		return err
	}
	s, _ := m.Find("suite")
	if s, err = m.See(ctx, s); err != nil {
		return err
	}
	if err := m.Trust(s); err != nil {
		return err
	}
	if m, err = mcp.Open(user, user, nil, around); err != nil {
		return err
	}
	defer func() { _ = m.StopAll() }() // the suite judges what it was sent
	registry, err := m.Tools()
	if err != nil {
		return err
	}
	calls := told.ToolCalls
	if len(calls) == 0 {
		for _, pin := range s.Offered() {
			calls = append(calls, scenarioToolCall{pin.Name, scenarioArguments(pin.Name, s.Pins)})
		}
	}
	env := tools.Env{Ask: func(context.Context, tools.Question) (tools.Answer, error) {
		return tools.Answer{Accepted: true}, nil
	}}
	for _, call := range calls {
		p, err := registry.Prepare(ctx, env, mcp.ToolName("suite", call.Name), call.Arguments)
		if err != nil {
			return err
		}
		if r := p.Run(ctx, nil); r.Failed {
			return fmt.Errorf("%s: %s", call.Name, r.Text)
		}
	}
	return nil
}

// scenarioArguments returns arguments that a tool or operation of the suite's servers takes.
func scenarioArguments(name string, pins []mcp.Pin) json.RawMessage {
	switch name {
	case "json_schema_echo":
		for _, p := range pins {
			if p.Name == "json_schema_2020_12_tool" {
				return json.RawMessage(`{"schema":` + string(p.Schema) + `}`)
			}
		}
	case "add_numbers":
		return json.RawMessage(`{"a":5,"b":3}`)
	case "prompts/get":
		return json.RawMessage(`{"name":"test_prompt"}`)
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return json.RawMessage(`{"uri":"file:///path/to/file%20name.txt"}`)
	}
	return json.RawMessage(`{}`)
}

// visitAddress opens an address like the browser of a user who agrees.
func visitAddress(ctx context.Context, _, address string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
