package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/sandbox"
)

// open gives a workspace over a fresh directory with the given files.
func open(t *testing.T, files map[string]string, change ...func(*sandbox.Config)) (*sandbox.Workspace, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	put(t, dir, files)
	cfg := sandbox.Config{Primary: dir}
	for _, c := range change {
		c(&cfg)
	}
	w, err := sandbox.Open(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return w, dir
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
}

func get(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

// names lists everything below dir, relative and slash separated.
func names(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, path); rel != "." {
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	}))
	return out
}
