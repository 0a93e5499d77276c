package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/hookgw/core"
)

func TestContextsAreKeptUnderTheNextNumber(t *testing.T) {
	t.Parallel()
	f, folder := inFolder(t, map[string]string{"md_gen/demo_041.md": "x", "md_gen/demo_x.md": "x",
		"md_gen/other_099.md": "x", "file": "x"})
	keep := func(dir, name string) string {
		t.Helper()
		path, err := f.KeepContext(t.Context(), dir, name, "# Context\n")
		require.NoError(t, err)
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(path)))
		require.NoError(t, err)
		require.Equal(t, "# Context\n", string(text))
		return path
	}
	require.Equal(t, "md_gen/demo_042.md", keep("./md_gen", "demo"))
	require.Equal(t, "md_gen/demo_043.md", keep("md_gen/", "demo"))
	require.Equal(t, "new/sub/my___project_001.md", keep("new/sub", "my/. project"))
	for _, dir := range []string{"", "..", "/tmp", "a/../../b", "a\x00b", ".slop"} {
		_, err := f.KeepContext(t.Context(), dir, "demo", "x")
		requireProblem(t, core.FileDenied, err, dir)
	}
	_, err := f.KeepContext(t.Context(), "file", "demo", "x")
	require.Error(t, err)
	large := strings.Repeat("x", core.MaxProjectFile+1)
	_, err = f.KeepContext(t.Context(), "md_gen", "large", large)
	requireProblem(t, core.FileTooLarge, err, "over the limit")
	path, err := f.KeepContext(t.Context(), "md_gen", "large", large[1:])
	require.NoError(t, err)
	require.Equal(t, "md_gen/large_001.md", path)
}
