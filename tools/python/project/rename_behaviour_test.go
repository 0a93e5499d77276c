package project

import (
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// exercise is a program that uses much of some packages of the standard library.
//
//go:embed testdata/exercise.py
var exercise string

// TestARenamingKeepsWhatAProgramDoes renames in copies of real packages and runs a program over
// them. Where nothing was listed for a person to look at, it must print the same as before.
func TestARenamingKeepsWhatAProgramDoes(t *testing.T) {
	t.Parallel()
	dir := standardLibrary(t)
	files := append(readFiles(t, dir, "argparse.py", "textwrap.py", "json", "html", "_markupbase.py", "configparser.py",
		"shlex.py", "fractions.py",
		"statistics.py", "difflib.py", "string.py", "pprint.py", "graphlib.py", "cmd.py", "optparse.py"),
		File{"exercise.py", []byte(exercise)})
	want := runExercise(t, files)
	require.Contains(t, want, "end of the exercise", want)
	symbols := symbolsOf(files)
	checked := 0
	for i := 0; i < len(symbols); i += 1 + len(symbols)/behaviourSamples {
		at := symbols[i]
		last := lastPart(strings.Split(at.Name, "#")[0])
		r, err := New(files).Rename(t.Context(), RenameQuery{Path: at.Path, Name: at.Name, New: "zz_" + strings.TrimLeft(last,
			"_")})
		var refusal *RenameError
		if errors.As(err, &refusal) || err == nil && len(r.Possible)+len(r.Mentions)+len(r.Warnings) > 0 || madeUp(last) {
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, runExercise(t, renamed(t, files, r)), "%s", at)
		checked++
	}
	require.NotZero(t, checked)
	t.Logf("%d of %d symbols renamed and run", checked, len(symbols))
}

// madeUp tells whether the packages look something up by a name that they put together, or in C,
// which nothing can see without running them.
func madeUp(name string) bool {
	for _, prefix := range []string{"_handle_conflict_", "do_", "_pprint_", "JSONDecodeError"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// behaviourSamples is about the number of symbols that are tried.
const behaviourSamples = 40

func runExercise(t *testing.T, files []File) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, f.Path), f.Data, 0o644))
	}
	python := exec.CommandContext(t.Context(), "python3", "-S", "-B", "exercise.py")
	python.Dir, python.Env = dir, append(os.Environ(), "PYTHONHASHSEED=0")
	out, _ := python.CombinedOutput() // a traceback is compared, too
	return string(out)
}
