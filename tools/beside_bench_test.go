package tools_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/sandbox"
)

// beside runs both in turns and reports the medians and their ratio.
func beside(b *testing.B, ours, reference func()) {
	b.Helper()
	ours()
	reference()
	var own, other []time.Duration
	for b.Loop() {
		begin := time.Now()
		ours()
		middle := time.Now()
		reference()
		own, other = append(own, middle.Sub(begin)), append(other, time.Since(middle))
	}
	slices.Sort(own)
	slices.Sort(other)
	a, c := own[len(own)/2], other[len(other)/2]
	b.ReportMetric(float64(a.Microseconds())/1e3, "ms/ours")
	b.ReportMetric(float64(c.Microseconds())/1e3, "ms/reference")
	b.ReportMetric(float64(a)/float64(c), "×")
}

// caller prepares and makes one call of a tool; it fails where the call does.
func caller(b *testing.B, env tools.Env, name string, in args) func() tools.Result {
	b.Helper()
	raw, err := json.Marshal(in)
	require.NoError(b, err)
	registry := builtin.Tools()
	return func() tools.Result {
		p, err := registry.Prepare(b.Context(), env, name, raw)
		require.NoError(b, err)
		result := p.Run(b.Context(), nil)
		require.False(b, result.Failed, result.Text)
		return result
	}
}

// ripgrep gives a function that runs rg in dir and counts the lines of its answer.
func ripgrep(b *testing.B, dir string, arguments ...string) func() int {
	b.Helper()
	program, err := exec.LookPath("rg")
	if err != nil {
		b.Skip("rg (ripgrep) is not installed, so there is no reference")
	}
	return func() int {
		cmd := exec.CommandContext(b.Context(), program, append([]string{"--no-config"}, arguments...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		require.NoError(b, err)
		return bytes.Count(out, []byte("\n"))
	}
}

// manyFiles writes 20,000 files of about 2 kB in 1,000 folders, a tenth of them left out by .gitignore.
func manyFiles(b *testing.B) (tools.Env, string) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 500)
	for i := range words {
		words[i] = fmt.Sprintf("%c%x", 'a'+i%26, random.Uint32N(1<<20))
	}
	files := map[string]string{".gitignore": "*.log\n/build/\nnode_modules/\n*.tmp\n"}
	for i := range 20_000 {
		var text strings.Builder
		for line := range 60 {
			fmt.Fprintf(&text, "\t%s := %s(%s, %d)\n", words[random.IntN(500)], words[random.IntN(500)], words[random.IntN(500)],
				line)
		}
		if i%400 == 0 {
			text.WriteString("\tneedleInHay(found)\n")
		}
		ending := "go"
		if i%10 == 9 {
			ending = "log"
		}
		files[fmt.Sprintf("packages/part%d/src/main/inner%d/file_%d.%s", i%20, i/20%50, i, ending)] = text.String()
	}
	return setup(b, files)
}

func BenchmarkFindTextBesideRipgrep(b *testing.B) {
	env, dir := manyFiles(b)
	for _, c := range []struct {
		name      string
		in        args
		reference []string
	}{
		{"plain", args{"pattern": "needleInHay"}, []string{"-n", "-F", "needleInHay"}},
		{"nothing", args{"pattern": "not in any"}, []string{"--files-without-match", "-F", "not in any"}},
		{"word", args{"pattern": "needleInHay", "word": true}, []string{"-n", "-w", "-F", "needleInHay"}},
		{"ignore case", args{"pattern": "NEEDLEinhay", "ignore_case": true}, []string{"-n", "-i", "-F", "NEEDLEinhay"}},
		{"expression", args{"pattern": `needle\w+\(`, "regex": true}, []string{"-n", `needle\w+\(`}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.in["path"] = "."
			find, rg := caller(b, env, "find_text", c.in), ripgrep(b, dir, c.reference...)
			found, lines := data(b, find()), rg()
			require.EqualValues(b, 18_000, found["searched"].(float64)-1, "all but .gitignore")
			if c.name != "nothing" {
				require.EqualValues(b, lines, found["matching_lines"])
			}
			beside(b, func() { find() }, func() { rg() })
		})
	}
}

func BenchmarkSearchFilesBesideRipgrep(b *testing.B) {
	env, dir := manyFiles(b)
	for name, pattern := range map[string]string{"all": "**/*.go", "few": "**/file_77*.go"} {
		b.Run(name, func(b *testing.B) {
			search := caller(b, env, "search_files", args{"path": ".", "pattern": pattern})
			rg := ripgrep(b, dir, "--files", "-g", pattern)
			require.EqualValues(b, rg(), data(b, search())["total"])
			beside(b, func() { search() }, func() { rg() })
		})
	}
}

// BenchmarkUsagesBesideRipgrep searches a name in Python's standard library.
func BenchmarkUsagesBesideRipgrep(b *testing.B) {
	dir := libraryFolder(b)
	w, err := sandbox.Open(sandbox.Config{Primary: dir})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, w.Close()) })
	for _, name := range []string{"urlopen", "OrderedDict", "namedtuple"} {
		b.Run(name, func(b *testing.B) {
			usages := caller(b, tools.Env{Workspace: w}, "py_find_usages", args{"path": ".", "name": name})
			rg := ripgrep(b, dir, "--no-ignore", "-n", "-w", "-g", "*.py", "-g", "!site-packages", "-g", "!__pycache__", name)
			beside(b, func() { usages() }, func() { rg() })
		})
	}
}

// BenchmarkReadFile1MB compares read_file with reading the bytes and their SHA-256, which every read
// has to give.
func BenchmarkReadFile1MB(b *testing.B) {
	text := strings.Repeat("a line of a file of ordinary length\n", 1<<20/36)
	env, dir := setup(b, map[string]string{"a.txt": text})
	path := filepath.Join(dir, "a.txt")
	read := caller(b, env, "read_file", args{"path": "a.txt"})
	b.Run("beside reading", func(b *testing.B) {
		beside(b, func() { read() }, func() {
			data, err := os.ReadFile(path)
			require.NoError(b, err)
			require.Len(b, data, len(text))
		})
	})
	b.Run("beside reading and SHA-256", func(b *testing.B) {
		beside(b, func() { read() }, func() {
			data, err := os.ReadFile(path)
			require.NoError(b, err)
			_ = sha256.Sum256(data)
		})
	})
}

// libraryFolder is the folder of Python's own modules.
func libraryFolder(b *testing.B) string {
	b.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		b.Skip("python3 is not installed, so there are no real files to search")
	}
	out, err := exec.CommandContext(b.Context(), python, "-I", "-S", "-c",
		"import os; print(os.path.dirname(os.__file__))").Output()
	require.NoError(b, err)
	return strings.TrimSpace(string(out))
}
