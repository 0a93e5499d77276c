package mcp

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAddKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	server := func() map[string]any { return map[string]any{"command": []string{"run"}} }
	for before, after := range map[string]string{
		"": `{"servers":[{"name":"b","command":["run"]}]}`,
		`{"servers":[{"name":"a","url":"https://x"}]}`: `{"servers":[{"name":"a","url":"https://x"},{"name":"b","command":["run"]}]}`,
		`{"mcpServers":{"a":{"command":"x"}}}`:         `{"mcpServers":{"a":{"command":"x"},"b":{"command":["run"]}}}`,
	} {
		file := filepath.Join(t.TempDir(), "new", "mcp_config.json")
		if before != "" {
			require.NoError(t, os.Mkdir(filepath.Dir(file), 0o700))
			require.NoError(t, os.WriteFile(file, []byte(before), 0o600))
		}
		require.NoError(t, add(file, "b", server()))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.JSONEq(t, after, string(text))
		require.Error(t, add(file, "b", server()), "the name is taken")
		require.ErrorContains(t, add(file, "c", map[string]any{}), "command or url must be set")
		same, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, text, same)
	}
	file := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(file, []byte(`{"mcpServers":{"b":{}}}`), 0o600))
	require.ErrorIs(t, add(file, "b", server()), fs.ErrExist)
}
