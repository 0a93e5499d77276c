package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/python"
	"manualslop/tools/sandbox"
)

// astRecord is what CPython says of one file; see testdata/read_oracle.py.
type astRecord struct {
	Path    string
	OK      bool
	Doc     *string
	Modules []string
	Imports []struct {
		Line, Level int
		Module      string
		Conditional bool
		Names       []struct{ Name, As string }
	}
	Variables []struct {
		Name             string
		Line, Start, End int
	}
	Symbols []astSymbol
}

type astSymbol struct {
	Name, Kind, Signature, Source string
	Line, Start, End, Decorators  int
	Doc, Raw                      *string
}

// library is the standard library of the Python here as a workspace.
type library struct {
	env         tools.Env
	registry    *tools.Registry
	interpreter string
	dir         string
	files       []string // about as many as were asked for
}

// sampled is the number of files that a test takes; SLOP_LOAD=full takes all.
func sampled() int {
	if os.Getenv("SLOP_LOAD") == "full" {
		return 1 << 20
	}
	return 100
}

// standardLibrary opens the standard library and picks about so many of its files.
func standardLibrary(t testing.TB, count int) library {
	t.Helper()
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on PATH: nothing is compared with CPython")
	}
	out, err := exec.Command(interpreter, "-I", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))").Output()
	require.NoError(t, err)
	dir, err := filepath.EvalSymlinks(strings.TrimSpace(string(out)))
	require.NoError(t, err)
	var files []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.Name() == "site-packages" {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".py") {
			files = append(files, path)
		}
		return err
	}))
	var some []string
	for i := 0; i < len(files); i += max(len(files)/count, 1) {
		some = append(some, files[i])
	}
	w, err := sandbox.Open(sandbox.Config{Primary: dir, AllowSymlinks: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	env := tools.Env{Workspace: w, Limits: tools.Limits{MaxChars: 10 << 20, MaxLines: 1 << 20}}
	return library{env, builtin.Tools(), interpreter, dir, some}
}

// relative is a file as the tools are told of it.
func (lib library) relative(t testing.TB, file string) string {
	t.Helper()
	path, err := filepath.Rel(lib.dir, file)
	require.NoError(t, err)
	return path
}

// ask gives the oracle one line each and reads one record each.
func ask[T any](t *testing.T, lib library, lines []string, mode ...string) []T {
	t.Helper()
	cmd := exec.Command(lib.interpreter, append([]string{"-I", "testdata/read_oracle.py"}, mode...)...)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var records []T
	for line := range bytes.Lines(out) {
		var record T
		require.NoError(t, json.Unmarshal(line, &record))
		records = append(records, record)
	}
	return records
}

func TestReadingToolsAgreeWithCPython(t *testing.T) {
	t.Parallel()
	lib := standardLibrary(t, sampled())
	checked := 0
	for _, record := range ask[astRecord](t, lib, lib.files) {
		if !record.OK {
			continue
		}
		path := lib.relative(t, record.Path)
		checkOutline(t, lib, path, record)
		checkImports(t, lib, path, record)
		checkTexts(t, lib, path, record)
		checked += len(record.Symbols)
	}
	t.Logf("%d definitions of %d files agree", checked, len(lib.files))
}

// answer calls a tool that must not fail, and decodes the twin into data.
func (lib library) answer(t *testing.T, name string, in args, data any) string {
	t.Helper()
	raw, err := json.Marshal(in)
	require.NoError(t, err)
	prepared, err := lib.registry.Prepare(t.Context(), lib.env, name, raw)
	require.NoError(t, err)
	result := prepared.Run(t.Context(), nil)
	require.False(t, result.Failed, "%s %v: %s", name, in, result.Text)
	raw, err = json.Marshal(result.Data)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, data))
	return result.Text
}

type symbolTwin struct {
	Name, Kind, Signature, Doc    string
	Line, Start, End, Ordinal, Of int
	Decorators                    []string
}

func checkOutline(t *testing.T, lib library, path string, record astRecord) {
	t.Helper()
	var outline struct {
		Symbols  []symbolTwin
		Warnings []string
	}
	lib.answer(t, "py_get_code_outline", args{"path": path}, &outline)
	require.Empty(t, outline.Warnings, path)
	var have, want []string
	for _, s := range outline.Symbols {
		have = append(have, fmt.Sprintf("%s %s %d %d-%d %d %q %q", s.Name, s.Kind, s.Line, s.Start, s.End, len(s.Decorators),
			plain(s.Signature), s.Doc))
	}
	for _, s := range record.Symbols {
		doc, _, _ := strings.Cut(value(s.Doc), "\n")
		want = append(want, fmt.Sprintf("%s %s %d %d-%d %d %q %q", s.Name, s.Kind, s.Line, s.Start, s.End, s.Decorators,
			s.Signature, doc))
	}
	require.Equal(t, want, have, path)
	var variables struct{ Symbols []symbolTwin }
	lib.answer(t, "py_get_code_outline", args{"path": path, "include_variables": true}, &variables)
	have, want = nil, nil
	for _, s := range variables.Symbols {
		if s.Kind == "variable" {
			have = append(have, fmt.Sprintf("%s %d %d-%d", s.Name, s.Line, s.Start, s.End))
		}
	}
	for _, v := range record.Variables {
		want = append(want, fmt.Sprintf("%s %d %d-%d", v.Name, v.Line, v.Start, v.End))
	}
	require.ElementsMatch(t, want, have, path)
}

func checkImports(t *testing.T, lib library, path string, record astRecord) {
	t.Helper()
	var have astRecord
	lib.answer(t, "py_get_imports", args{"path": path}, &have)
	require.Equal(t, record.Modules, have.Modules, path)
	require.Equal(t, record.Imports, have.Imports, path)
}

// checkTexts compares the first definitions of a file, whole.
func checkTexts(t *testing.T, lib library, path string, record astRecord) {
	t.Helper()
	times := map[string]int{}
	for _, s := range record.Symbols {
		times[s.Name]++
	}
	var none struct{}
	if record.Doc != nil && strings.TrimSpace(*record.Doc) != "" {
		require.Equal(t, *record.Doc, lib.answer(t, "py_get_docstring", args{"path": path, "name": ""}, &none), path)
	}
	for _, s := range record.Symbols[:min(len(record.Symbols), 5)] {
		if times[s.Name] > 1 {
			continue
		}
		in := args{"path": path, "name": s.Name}
		require.Equal(t, s.Source, plain(lib.answer(t, "py_get_definition", in, &none)), "%s %s", path, s.Name)
		require.Equal(t, s.Signature, plain(lib.answer(t, "py_get_signature", in, &none)), "%s %s", path, s.Name)
		again := args{"path": path, "name": s.Name, "new_content": s.Source, "dry_run": true}
		require.Contains(t, lib.answer(t, "py_update_definition", again, &none), "no change",
			"%s %s: what was read can be written back", path, s.Name)
		doc := lib.answer(t, "py_get_docstring", in, &none)
		switch {
		case s.Doc == nil:
			require.Equal(t, "no docstring: "+s.Name, doc, path)
		case *s.Doc != "":
			require.Equal(t, *s.Doc, doc, "%s %s", path, s.Name)
			in["raw"] = true
			require.Equal(t, *s.Raw, lib.answer(t, "py_get_docstring", in, &none), "%s %s", path, s.Name)
		}
	}
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func plain(s string) string { return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s) }

func TestSkeletonsAreValidPythonWithAllDefinitions(t *testing.T) {
	t.Parallel()
	lib := standardLibrary(t, sampled())
	var valid []string
	for _, record := range ask[astRecord](t, lib, lib.files) {
		if record.OK {
			valid = append(valid, record.Path)
		}
	}
	var lines []string
	source, kept := 0, 0
	for _, file := range valid {
		path := lib.relative(t, file)
		for _, in := range []args{{"path": path}, {"path": path, "comments": true, "max_docstring_lines": 1}} {
			var made struct{ Skeleton string }
			lib.answer(t, "py_get_skeleton", in, &made)
			require.Empty(t, python.Parse(made.Skeleton).Problems, path)
			line, err := json.Marshal(map[string]string{"path": file, "skeleton": made.Skeleton})
			require.NoError(t, err)
			lines = append(lines, string(line))
			if info, err := os.Stat(file); err == nil && info.Size() > 50_000 && len(in) > 1 {
				source, kept = source+int(info.Size()), kept+len(made.Skeleton)
			}
		}
	}
	for i, verdict := range ask[struct{ Path, Error string }](t, lib, lines, "skeletons") {
		if i%2 == 0 || !strings.Contains(verdict.Error, "docstring") {
			require.Empty(t, verdict.Error, verdict.Path)
		}
	}
	t.Logf("large files shrink to %d %% with docstrings of one line", kept*100/max(source, 1))
}
