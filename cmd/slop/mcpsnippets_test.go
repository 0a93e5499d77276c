package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"

	"manualslop/tools/builtin"
)

// snippet is a server in the configuration of another program.
type snippet struct {
	Type, Command     string
	Args              []string
	URL, HTTPURL      string
	Headers           map[string]string
	Timeout           int
	BearerTokenEnvVar string `toml:"bearer_token_env_var"`
	ToolTimeoutSec    int    `toml:"tool_timeout_sec"`
}

// snippets are the configurations of docs/mcp.md that name slop as a server.
func snippets(t *testing.T) (out []snippet, core []string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "mcp.md"))
	require.NoError(t, err)
	whole, _, _ := strings.Cut(string(page), "## External servers")
	for _, block := range regexp.MustCompile("(?s)```(json|toml)\n(.*?)```").FindAllStringSubmatch(whole, -1) {
		var said struct {
			MCPServers map[string]snippet `json:"mcpServers" toml:"mcp_servers"`
			Servers    map[string]snippet `json:"servers"`
			Tools      struct{ Core []string }
		}
		if block[1] == "json" {
			require.NoError(t, json.Unmarshal([]byte(block[2]), &said), block[2])
		} else {
			require.NoError(t, toml.Unmarshal([]byte(block[2]), &said), block[2])
		}
		s, there := said.MCPServers["slop"]
		if !there {
			s, there = said.Servers["slop"]
		}
		require.True(t, there, block[2])
		out, core = append(out, s), append(core, said.Tools.Core...)
	}
	for _, line := range regexp.MustCompile("or `\"slop\": ({.*})`").FindAllStringSubmatch(whole, -1) {
		var s snippet
		require.NoError(t, json.Unmarshal([]byte(line[1]), &s), line[1])
		out = append(out, s)
	}
	return out, core
}

// A program that is configured as docs/mcp.md says starts slop and calls its tools, as the program itself would.
func TestRequirement10TheSnippetsOfThePageStartAServer(t *testing.T) {
	t.Parallel()
	all, core := snippets(t)
	require.Len(t, all, 8, "four programs, each on standard input and over HTTP")
	for _, name := range core {
		_, there := builtin.Tools().Lookup(strings.TrimPrefix(name, "mcp_slop_"))
		require.True(t, there, name)
	}
	started := map[string]bool{}
	for _, s := range all {
		if s.Command == "" {
			require.Regexp(t, `^http://127\.0\.0\.1:\d+/mcp$`, s.URL+s.HTTPURL)
			require.True(t, s.BearerTokenEnvVar != "" || strings.HasPrefix(s.Headers["Authorization"], "Bearer $"), s)
			continue
		}
		line := strings.Join(append([]string{s.Command}, s.Args...), " ")
		if started[line] {
			continue
		}
		started[line] = true
		home, project := t.TempDir(), t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(project, "a.txt"), []byte("one\n"), 0o600))
		require.NoError(t, os.MkdirAll(filepath.Join(home, ".config", "slop"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(home, ".config", "slop", "config.toml"), []byte(scriptConfig), 0o600))
		server := exec.Command(s.Command, s.Args...)
		server.Dir = project
		server.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=")
		in, err := server.StdinPipe()
		require.NoError(t, err)
		out, err := server.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, server.Start())
		session, err := mcp.NewClient(&mcp.Implementation{Name: "configured", Version: "1"}, nil).Connect(t.Context(),
			&mcp.IOTransport{Reader: out, Writer: in}, nil)
		require.NoError(t, err)
		read, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_file",
			Arguments: map[string]any{"path": "a.txt"}})
		require.NoError(t, err)
		require.Equal(t, "one\n", textOf(read))
		require.NoError(t, session.Close())
		require.NoError(t, server.Wait())
	}
	require.Len(t, started, 1)
}
