package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/sandbox"
)

// setup gives an environment over a fresh directory with the given files.
func setup(t testing.TB, files map[string]string) (tools.Env, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	put(t, dir, files)
	w, err := sandbox.Open(sandbox.Config{Primary: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return tools.Env{Workspace: w}, dir
}

func put(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
}

func get(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

type args map[string]any

// call runs a built-in tool.
func call(t testing.TB, env tools.Env, name string, in args) tools.Result {
	t.Helper()
	return prepare(t, env, name, in).Run(t.Context(), nil)
}

func prepare(t testing.TB, env tools.Env, name string, in args) *tools.Prepared {
	t.Helper()
	raw, err := json.Marshal(in)
	require.NoError(t, err)
	prepared, err := builtin.Tools().Prepare(t.Context(), env, name, raw)
	require.NoError(t, err)
	return prepared
}

// data gives the structured twin as plain maps.
func data(t testing.TB, result tools.Result) map[string]any {
	t.Helper()
	raw, err := json.Marshal(result.Data)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(raw, &out))
	return out
}

func hash(s string) string { return sandbox.Digest([]byte(s)) }
