package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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

// mcpScenario is our client under the suite of the protocol: mcpscenario URL. It
// trusts the server's tools and calls each with numbers.
func mcpScenario() {
	if err := runMCPScenario(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "mcpscenario:", err)
		os.Exit(1)
	}
}

func runMCPScenario(ctx context.Context, url string) error {
	user, err := os.MkdirTemp("", "mcpscenario")
	if err != nil {
		return err
	}
	defer os.RemoveAll(user)
	config := fmt.Sprintf(`{"servers":[{"name":"suite","httpUrl":%q}]}`, url)
	if err := os.WriteFile(filepath.Join(user, mcp.FileName), []byte(config), 0o600); err != nil {
		return err
	}
	m, err := mcp.Open(user, user, nil, mcp.Surroundings{})
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
	if m, err = mcp.Open(user, user, nil, mcp.Surroundings{}); err != nil {
		return err
	}
	defer func() { _ = m.StopAll() }() // the suite judges what it was sent
	registry, err := m.Tools()
	if err != nil {
		return err
	}
	for _, t := range registry.All() {
		p, err := registry.Prepare(ctx, tools.Env{}, t.Spec().Name, json.RawMessage(`{"a":5,"b":3}`))
		if err != nil {
			return err
		}
		if r := p.Run(ctx, nil); r.Failed {
			return fmt.Errorf("%s: %s", t.Spec().Name, r.Text)
		}
	}
	return nil
}
