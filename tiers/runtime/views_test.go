package runtime_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestAPersonGetsAViewOfAFileThroughTheSameGateAsTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{
		"a.py": "def hello():\n    return 1\n", "a.c": "int f(void)\n{\n  return 1;\n}\n",
		"a.go": "package a\n\nfunc F() {}\n", "hot.go": "package a\n\nfunc F() { f() }\n", "large.txt": strings.Repeat("x\n",
			200<<10),
		"config.toml": "secret = 1\n", "a.bin": "\xff\xfe\x00",
	})
	outside := filepath.Join(t.TempDir(), "x.py")
	require.NoError(t, os.WriteFile(outside, []byte("x = 1\n"), 0o600))
	want := func(path, view string) events.View {
		t.Helper()
		built, ok := w.handOut("ada", events.ContextInjectionRequested{Path: path, View: view}, 1).(events.ContextBuilt)
		require.True(t, ok)
		require.Len(t, built.Views, 1)
		return built.Views[0]
	}
	skeleton := want("a.py", events.ViewSkeleton)
	require.Contains(t, skeleton.Text, "def hello()")
	require.NotContains(t, skeleton.Text, "return 1")
	require.NotNil(t, skeleton.File)
	require.Equal(t, events.Digest([]byte(skeleton.Text)), skeleton.SHA256)
	require.NotContains(t, want("a.c", events.ViewSkeleton).Text, "return 1")
	require.Equal(t, "package a\n\nfunc F() { ... }\n", want("hot.go", events.ViewSkeleton).Text)
	require.Equal(t, "package a\n\nfunc F() { ... /* Hidden */ }\n", want("hot.go", events.ViewCurated).Text)
	require.Equal(t, "def hello():\n    ... # Hidden\n", want("a.py", events.ViewCurated).Text)
	require.Contains(t, want("a.c", events.ViewCurated).Text, "/* Hidden */")
	require.Contains(t, want("a.go", events.ViewOutline).Text, "F")
	require.Contains(t, want("a.py", events.ViewOutline).Text, "hello")
	require.NotEmpty(t, want("a.go", events.ViewSummary).Text)
	require.True(t, want("large.txt", events.ViewRaw).Blob)
	for _, v := range [][2]string{
		{"a.txt", events.ViewSkeleton}, {"large.txt", events.ViewCurated}, {"a.go", "hologram"},
		{"gone.py", events.ViewSkeleton}, {"gone", events.ViewRaw}, {"config.toml", events.ViewSummary},
		{"config.toml", events.ViewRaw}, {outside, events.ViewOutline}, {"../x.py", events.ViewOutline},
		{"a.py\x00", events.ViewSkeleton}, {"", events.ViewSummary}, {"a.bin", events.ViewRaw},
	} {
		refused := want(v[0], v[1])
		require.NotEmpty(t, refused.Error, "%q", v)
		require.Empty(t, refused.Text)
		require.Empty(t, refused.SHA256)
	}
}
