package tools_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// BenchmarkUsagesOverTheStandardLibrary searches a name in all of Python's standard library through
// the gate. The reference reads the same files without it and counts the bytes of the name.
func BenchmarkUsagesOverTheStandardLibrary(b *testing.B) {
	python, err := exec.LookPath("python3")
	if err != nil {
		b.Skip("there is no python3 here, so no real files to search")
	}
	out, err := exec.CommandContext(b.Context(), python, "-I", "-S", "-c",
		"import os; print(os.path.dirname(os.__file__))").Output()
	require.NoError(b, err)
	dir := strings.TrimSpace(string(out))
	w, err := sandbox.Open(sandbox.Config{Primary: dir})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, w.Close()) })
	for _, name := range []string{"urlopen", "OrderedDict", "namedtuple"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				result := call(b, tools.Env{Workspace: w}, "py_find_usages", args{"path": ".", "name": name})
				require.False(b, result.Failed, result.Text)
			}
		})
		b.Run(name+" reference", func(b *testing.B) {
			for b.Loop() {
				files, found := countBytes(b, dir, name)
				require.NotZero(b, found)
				b.ReportMetric(float64(files), "files")
			}
		})
	}
}

func countBytes(b *testing.B, dir, name string) (files, found int) {
	require.NoError(b, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "site-packages" || d.Name() == "__pycache__"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".py":
			return nil
		}
		data, err := os.ReadFile(path)
		files++
		found += bytes.Count(data, []byte(name))
		return err
	}))
	return files, found
}
