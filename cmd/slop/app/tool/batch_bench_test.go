//go:build unix

package tool

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// BenchmarkOutlineBesideCPython outlines a copy of Python's standard library in one batch, and reports its
// megabytes per CPU-second beside those of ast.parse over the same files in one process of python3.
func BenchmarkOutlineBesideCPython(b *testing.B) {
	python, err := exec.LookPath("python3")
	if err != nil {
		b.Skip("python3 is not installed, so there is no reference")
	}
	out, err := exec.CommandContext(b.Context(), python, "-I", "-S", "-c",
		"import os; print(os.path.dirname(os.__file__))").Output()
	require.NoError(b, err)
	dir := b.TempDir()
	var calls, paths strings.Builder
	size := 0
	library := os.DirFS(strings.TrimSpace(string(out)))
	require.NoError(b, fs.WalkDir(library, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "site-packages" {
			return fs.SkipDir
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dir, path), 0o755)
		}
		if filepath.Ext(path) != ".py" {
			return nil
		}
		data, err := fs.ReadFile(library, path)
		require.NoError(b, err)
		size += len(data)
		fmt.Fprintf(&calls, `{"tool":"py_get_code_outline","args":{"path":%q}}`+"\n", path)
		fmt.Fprintln(&paths, filepath.Join(dir, path))
		return os.WriteFile(filepath.Join(dir, path), data, 0o644)
	}))
	script := "import ast,sys,warnings\nwarnings.simplefilter('ignore')\nfor p in sys.stdin.read().splitlines():\n" +
		"  try: ast.parse(open(p,'rb').read())\n  except (SyntaxError, ValueError): pass\n"
	var ours, reference time.Duration
	for b.Loop() {
		before := cpuTime(b)
		require.NoError(b, batch(b, dir, strings.NewReader(calls.String()), io.Discard))
		ours += cpuTime(b) - before
		cmd := exec.CommandContext(b.Context(), python, "-I", "-c", script)
		cmd.Stdin = bytes.NewReader([]byte(paths.String()))
		require.NoError(b, cmd.Run())
		reference += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	all := float64(size) * float64(b.N) / 1e6
	b.ReportMetric(all/ours.Seconds(), "MB/cpu-s")
	b.ReportMetric(all/reference.Seconds(), "MB/cpu-s-reference")
	b.ReportMetric(reference.Seconds()/ours.Seconds(), "×")
}

// cpuTime is the CPU time of this process so far.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
