package python

import (
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// corpus are the texts that benchmarks read: python3's own library where there is one, else the
// snippets of the tests.
func corpus(b *testing.B) []string {
	b.Helper()
	texts := snippets
	if _, err := exec.LookPath("python3"); err == nil {
		texts = nil
		for _, path := range sample(b, pythonFiles(b), 1800) {
			texts = append(texts, read(b, path))
		}
	}
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	b.SetBytes(int64(size))
	b.ReportMetric(float64(len(texts)), "files")
	return texts
}

// cpu is the CPU time of this process so far.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var usage unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// perCPU runs work over all texts and reports megabytes per CPU-second and the mean time of a text.
func perCPU(b *testing.B, work func(text string)) {
	b.Helper()
	texts := corpus(b)
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	before, rounds := cpu(b), 0
	for b.Loop() {
		rounds++
		for _, text := range texts {
			work(text)
		}
	}
	spent := (cpu(b) - before).Seconds()
	b.ReportMetric(float64(size*rounds)/1e6/spent, "MB/cpu-s")
	b.ReportMetric(spent/float64(len(texts)*rounds)*1e6, "µs/file")
	b.ReportMetric(float64(len(texts)), "files")
}

// BenchmarkParse is the whole structure: statements, symbols with paths and problems.
func BenchmarkParse(b *testing.B) {
	perCPU(b, func(text string) { Parse(text) })
}

// BenchmarkEverything adds what is computed on demand: docstrings, imports, variables, definitions.
func BenchmarkEverything(b *testing.B) {
	perCPU(b, func(text string) { exercise(Parse(text)) })
}

// BenchmarkTokens reads all tokens.
func BenchmarkTokens(b *testing.B) {
	perCPU(b, func(text string) {
		f := File{Text: text, hasCR: strings.Contains(text, "\r")}
		for range f.Tokens(Span{0, len(text)}) {
		}
	})
}

// BenchmarkReferenceSHA256 says how fast the machine is.
func BenchmarkReferenceSHA256(b *testing.B) {
	perCPU(b, func(text string) { sha256.Sum256([]byte(text)) })
}

// BenchmarkReferenceCPython is ast.parse over the same files, in one process of python3 that reads them
// once; the CPU time is that process's.
func BenchmarkReferenceCPython(b *testing.B) {
	if _, err := exec.LookPath("python3"); err != nil {
		b.Skip("no python3 on PATH")
	}
	var paths []string
	size := int64(0)
	for _, path := range sample(b, pythonFiles(b), 1800) {
		if info, err := os.Stat(path); err == nil {
			paths, size = append(paths, filepath.Clean(path)), size+info.Size()
		}
	}
	script := "import ast,sys,warnings\nwarnings.simplefilter('ignore')\nfor p in sys.stdin.read().splitlines():\n" +
		"  try: ast.parse(open(p,'rb').read())\n  except (SyntaxError, ValueError): pass\n"
	spent, rounds := time.Duration(0), 0
	for b.Loop() {
		cmd := exec.Command("python3", "-I", "-c", script)
		cmd.Stdin = strings.NewReader(strings.Join(paths, "\n"))
		require.NoError(b, cmd.Run())
		spent += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		rounds++
	}
	b.ReportMetric(float64(size)*float64(rounds)/1e6/spent.Seconds(), "MB/cpu-s")
}
