package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/repomap"
)

func repoMap(t testing.TB, env tools.Env, cache *repomap.Cache) string {
	t.Helper()
	got, err := builtin.RepoMap(t.Context(), env, cache)
	require.NoError(t, err)
	return got
}

func TestAMapLeavesOutWhatItCannotReadAndCountsIt(t *testing.T) {
	t.Parallel()
	const most = 256 << 10
	line := func(name string, size int) string {
		head := "function " + name + "() {} //"
		return head + strings.Repeat("x", size-len(head))
	}
	env, dir := setup(t, map[string]string{
		"a.go": "package a\n\nfunc Shown() {}\n", "at_limit.js": line("atLimit", most), "over.js": line("overLimit", most+1),
		"mega.js":   line("inOneLine", 1<<20),
		"binary.py": "def hidden(): pass\n\x00\x7fELF", ".env": "SECRET=1\n",
	})
	outside := filepath.Join(t.TempDir(), "outside.py")
	require.NoError(t, os.WriteFile(outside, []byte("def not_ours(): pass\n"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link.py")))
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(dir, "folder")))
	require.NoError(t, os.Link(filepath.Join(dir, ".env"), filepath.Join(dir, "secret.py")))
	var cache repomap.Cache
	for range 2 {
		require.Equal(t, "Definitions of 3 source files, the ones that other files use most first; after a name, the number "+
			"of other files that contain it:\n"+
			"\"a.go\": Shown\n\"at_limit.js\": atLimit\n"+
			"… 1 more source files are not listed here: they define nothing that other files use, or the list is full\n"+
			"… 2 more source files were skipped: they are larger than 256 KiB\n"+
			"… 1 more source files could not be read\n", repoMap(t, env, &cache))
	}
}

// BenchmarkMap makes the map of 3,000 files of ordinary size, with nothing kept and with everything.
func BenchmarkMap(b *testing.B) {
	files := map[string]string{}
	size := 0
	for i := range 3000 {
		ending, define := "go", "// F%[1]d_%[2]d does what number%[3]d does.\nfunc F%[1]d_%[2]d(a, b int) (int, error) "+
			"{\n\treturn F%[3]d_%[2]d(a, b)\n}\n\n"
		if i%2 == 1 {
			ending, define = "py", "def f%[1]d_%[2]d(a, b):\n    \"\"\"Do what number%[3]d does.\"\"\"\n    return "+
				"f%[3]d_%[2]d(a, b)\n\n\n"
		}
		var text strings.Builder
		if ending == "go" {
			text.WriteString("package p\n\n")
		}
		for n := range 30 {
			fmt.Fprintf(&text, define, i, n, i%100)
		}
		files[fmt.Sprintf("src/p%02d/f%04d.%s", i/100, i, ending)] = text.String()
		size += text.Len()
	}
	env, _ := setup(b, files)
	b.Run("cold", func(b *testing.B) {
		b.SetBytes(int64(size))
		for b.Loop() {
			repoMap(b, env, new(repomap.Cache))
		}
	})
	b.Run("warm", func(b *testing.B) {
		b.SetBytes(int64(size))
		var cache repomap.Cache
		repoMap(b, env, &cache)
		for b.Loop() {
			repoMap(b, env, &cache)
		}
	})
}
