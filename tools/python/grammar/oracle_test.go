package grammar_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// interpreter gives the version of python3 and skips a test where there is none that Check knows.
func interpreter(t *testing.T) grammar.Version {
	t.Helper()
	out, err := exec.Command("python3", "-c", "import platform; print(platform.python_version())").Output()
	if err != nil {
		t.Skipf("python3 does not run here: %v", err)
	}
	version, ok := grammar.ParseVersion(strings.TrimSpace(string(out)))
	if !ok || version < 11 {
		t.Skipf("python3 is %s, whose grammar is not followed", out)
	}
	return version
}

// full tells whether tests shall take all they can get; else they take a part, to be quick.
func full() bool { return os.Getenv("SLOP_LOAD") == "full" }

// library lists files of the standard library: all, or every so many.
func library(t *testing.T, every int) []string {
	t.Helper()
	out, err := exec.Command("python3", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))").Output()
	require.NoError(t, err)
	root := strings.TrimSpace(string(out))
	var paths []string
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "site-packages" || d.Name() == "__pycache__"):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".py"):
			paths = append(paths, path)
		}
		return nil
	}))
	if full() {
		return paths
	}
	var some []string
	for i := 0; i < len(paths); i += every {
		some = append(some, paths[i])
	}
	return some
}

// source decodes a file; false where CPython would not.
func source(t *testing.T, path string) (string, bool) {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	doc, err := document.DecodePython(raw)
	return doc.Text, err == nil
}

// ask runs a script of testdata and gives its answers, one JSON a line.
func ask[Answer any](t *testing.T, script string, input []byte) []Answer {
	t.Helper()
	cmd := exec.Command("python3", "-I", "-S", "testdata/"+script)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var answers []Answer
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var answer Answer
		require.NoError(t, json.Unmarshal(lines.Bytes(), &answer))
		answers = append(answers, answer)
	}
	require.NoError(t, lines.Err())
	return answers
}

// said is an error as CPython tells it.
type said struct {
	text string
	line int
}

func (s *said) UnmarshalJSON(data []byte) error {
	var kind string
	var line, column *int
	list := []any{&kind, &s.text, &line, &column}
	if err := json.Unmarshal(data, &list); err != nil || line == nil {
		return err
	}
	s.line = *line
	return nil
}

// TestErrorsAgreeWithCPython damages files of the standard library in one place each and compares the
// first error with CPython's: the verdict has to agree, and nearly always the line.
func TestErrorsAgreeWithCPython(t *testing.T) {
	t.Parallel()
	version := interpreter(t)
	var sound []string
	for _, path := range library(t, 5) {
		text, ok := source(t, path)
		if ok && len(text) < 12_000 && utf8.ValidString(text) && !strings.Contains(text, "coding") &&
			grammar.Check(text, 1) == nil {
			sound = append(sound, text)
		}
	}
	n := 1_000
	if full() {
		n = 30_000
	}
	r := rand.New(rand.NewPCG(1, 7))
	var texts []string
	var input bytes.Buffer
	for range n {
		texts = append(texts, mutated(r, sound[r.IntN(len(sound))]))
		require.NoError(t, json.NewEncoder(&input).Encode(texts[len(texts)-1]))
	}
	answers := ask[*said](t, "compile.py", input.Bytes())
	require.Len(t, answers, n)
	var broken, missed, line int
	for i, want := range answers {
		have := grammar.CheckVersion(python.Parse(texts[i]), 1, version)
		switch {
		case want == nil:
			require.Empty(t, have, "a false alarm in %q", texts[i])
			continue
		case len(have) == 0:
			missed++
			t.Logf("missed %+v", want)
		case have[0].Line == want.line:
			line++
		default:
			t.Logf("CPython %+v, here %s %s %d", *want, have[0].Kind, have[0].Text, have[0].Line)
		}
		broken++
	}
	t.Logf("python %s: %d broken texts, %d missed, %d with the same line", version, broken, missed, line)
	require.LessOrEqual(t, float64(missed), 0.002*float64(broken))
	require.GreaterOrEqual(t, float64(line), 0.985*float64(broken))
}

func TestTheStandardLibraryHasTheErrorsThatCPythonFindsInIt(t *testing.T) {
	t.Parallel()
	version := interpreter(t)
	var paths []string
	var input bytes.Buffer
	for _, path := range library(t, 8) {
		if text, ok := source(t, path); ok {
			paths = append(paths, path)
			require.NoError(t, json.NewEncoder(&input).Encode(text))
		}
	}
	for i, want := range ask[*said](t, "compile.py", input.Bytes()) {
		text, _ := source(t, paths[i])
		have := grammar.CheckVersion(python.Parse(text), 1, version)
		require.Equal(t, want == nil, len(have) == 0, "%s: %v, here %v", paths[i], want, have)
		if want == nil && !strings.Contains(paths[i], "bad") {
			require.Empty(t, grammar.CompileErrors(python.Parse(text)), paths[i])
		}
	}
}

// scopes describes the scopes of a text as tables.py does.
func scopes(names *grammar.Names) []string {
	text := names.File.Text
	lines := document.Lines(text)
	future := strings.Contains("\n"+text, "\nfrom __future__ import annotations")
	tables := map[*grammar.Scope]map[string]string{}
	note := func(s, binding *grammar.Scope, key string) {
		if tables[s] == nil {
			tables[s] = map[string]string{}
		}
		letter := "G"
		switch {
		case s.Kind == grammar.ModuleScope:
			letter = "M"
		case binding == s:
			letter = "L"
		case binding != nil && binding.Kind != grammar.ModuleScope:
			letter = "F"
		}
		if s.Kind != grammar.ClassScope || tables[s][key] != "L" { // a class may read a name before it binds it
			tables[s][key] = letter
		}
	}
	for _, s := range names.Scopes {
		for key := range s.Bound {
			if s.Kind == grammar.ClassScope && key != "__class__" {
				note(s, s, key)
			}
		}
	}
	for _, u := range names.Uses {
		switch u.Context {
		case grammar.Attribute, grammar.KeywordArgument, grammar.ImportPath, grammar.ImportOriginal:
			continue
		}
		if u.Key == "__class__" || future && u.Context == grammar.Annotation {
			continue
		}
		note(u.Scope, u.Binding, u.Key)
		if u.Scope.Kind == grammar.ComprehensionScope && u.Context == grammar.Store && u.Binding != nil &&
			u.Binding != u.Scope {
			note(u.Binding, u.Binding, u.Key) // a walrus
		}
	}
	var out []string
	for _, s := range names.Scopes {
		out = append(out, table(s, document.NumberOf(lines, s.Span.Start), tables[s]))
	}
	slices.Sort(out)
	return out
}

func table(s *grammar.Scope, line int, names map[string]string) string {
	kind, name := s.Kind.String(), s.Name
	switch s.Kind {
	case grammar.ModuleScope:
		line, name = 0, "top"
	case grammar.LambdaScope, grammar.ComprehensionScope:
		kind = "function"
	}
	list := []string{}
	for key, letter := range names {
		list = append(list, key+":"+letter)
	}
	slices.Sort(list)
	return fmt.Sprint(kind, " ", name, " ", line, " ", list)
}

func TestScopesAgreeWithCPythonsSymbolTables(t *testing.T) {
	t.Parallel()
	if version := interpreter(t); version > 11 {
		t.Skipf("the symbol tables of Python %s have other scopes", version)
	}
	paths := library(t, 8)
	compared := 0
	for i, want := range ask[[]string](t, "tables.py", []byte(strings.Join(paths, "\n"))) {
		if want == nil {
			continue // CPython does not compile the file
		}
		text, ok := source(t, paths[i])
		require.True(t, ok)
		slices.Sort(want)
		require.Equal(t, want, scopes(grammar.Analyze(text)), paths[i])
		compared++
	}
	require.Greater(t, compared, len(paths)*9/10)
}
