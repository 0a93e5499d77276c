package project

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/document"
)

// standardLibrary is the folder of python3's standard library; a test that needs it is skipped
// where there is none.
func standardLibrary(t testing.TB) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here, so no real packages to rename in")
	}
	out, err := exec.CommandContext(t.Context(), python, "-I", "-S", "-c",
		"import os; print(os.path.dirname(os.__file__))").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// readFiles reads the Python files of a folder, those below the names given, or all but installed
// packages.
func readFiles(t testing.TB, dir string, only ...string) []File {
	t.Helper()
	var out []File
	if len(only) == 0 {
		only = []string{"."}
	}
	for _, part := range only {
		require.NoError(t, filepath.WalkDir(filepath.Join(dir, part), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "site-packages" || d.Name() == "__pycache__"):
				return fs.SkipDir
			case d.IsDir() || !IsSource(path):
				return nil
			}
			data, err := os.ReadFile(path)
			rel, _ := filepath.Rel(dir, path)
			out = append(out, File{filepath.ToSlash(rel), data})
			return err
		}))
	}
	return out
}

// renamed gives the files with a renaming made.
func renamed(t testing.TB, files []File, r Renaming) []File {
	t.Helper()
	changes := map[string][]document.Splice{}
	for _, f := range r.Files {
		changes[f.Path] = f.Splices
	}
	out := make([]File, len(files))
	for i, f := range files {
		out[i] = f
		if splices, ok := changes[f.Path]; ok {
			doc, err := document.DecodePython(f.Data)
			require.NoError(t, err)
			out[i].Data, err = doc.Splice(splices)
			require.NoError(t, err)
		}
	}
	return out
}

// samples is the number of symbols that are renamed in each package.
const samples = 12

func TestRenamingBackRestoresEveryByteOfRealPackages(t *testing.T) {
	t.Parallel()
	dir := standardLibrary(t)
	for _, pkg := range []string{"json", "email", "argparse.py", "unittest", "html", "logging", "dataclasses.py",
		"enum.py", "pathlib.py", "urllib"} {
		t.Run(pkg, func(t *testing.T) {
			t.Parallel()
			files := readFiles(t, dir, pkg)
			done, refused := 0, map[string]int{}
			symbols := symbolsOf(files)
			for i := 0; i < len(symbols); i += 1 + len(symbols)/samples {
				at := symbols[i]
				if isBuiltin(lastPart(at.Name)) {
					continue // it cannot be renamed back
				}
				query := RenameQuery{Path: at.Path, Name: at.Name, New: "zz_" +
					strings.TrimLeft(lastPart(strings.Split(at.Name, "#")[0]), "_")}
				there, err := New(files).Rename(t.Context(), query)
				var refusal *RenameError
				if errors.As(err, &refusal) {
					refused[refusal.Text[:min(20, len(refusal.Text))]]++
					continue
				}
				require.NoError(t, err, "%v", query)
				changed := renamed(t, files, there)
				prefix := at.Name[:strings.LastIndexByte("."+at.Name, '.')]
				back, err := New(changed).Rename(t.Context(), RenameQuery{
					Path: at.Path, Name: prefix + query.New + ordinalOf(at.Name), New: lastPart(strings.Split(at.Name, "#")[0]),
				})
				require.NoError(t, err, "%v", query)
				require.Equal(t, there.Count, back.Count, "%v", query)
				require.Equal(t, files, renamed(t, changed, back), "%v", query)
				done++
			}
			require.NotZero(t, done)
			t.Logf("%s: %d renamed there and back, refused: %v", pkg, done, refused)
		})
	}
}

func symbolsOf(files []File) []Definition {
	var out []Definition
	p := New(files)
	for _, u := range p.units {
		for _, s := range u.Python().Symbols {
			out = append(out, u.definition(s))
		}
	}
	return out
}

func ordinalOf(name string) string {
	if _, ordinal, ok := strings.Cut(name, "#"); ok {
		return "#" + ordinal
	}
	return ""
}
