package python

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/document"
)

// oracle is testdata/oracle.py: what CPython's ast sees in a file. Positions are [line, byte].
type oracle struct {
	Refused    string
	Doc        []string
	Symbols    []oracleSymbol
	Variables  []oracleVariable
	Imports    []oracleImport
	Statements [][][]int // start and end; the end of those that have clauses is null
}

type oracleSymbol struct {
	Path, Kind, Source, Signature string
	Line, Start, End, Ordinal, Of int
	Conditional                   bool
	Decorators, Doc               []string
}

type oracleVariable struct {
	Path                                 string
	Ordinal, Of                          int
	Conditional, Alone                   bool
	Statement, Target, Annotation, Value [][]int
}

type oracleImport struct {
	Line, Level                 int
	Module                      string
	From, Conditional, Checking bool
	Names                       [][]string
}

// TestStructureAgreesWithCPython compares everything that Parse and its methods say of real files with
// what python3 says. SLOP_LOAD=full takes every file that is found instead of a sample.
func TestStructureAgreesWithCPython(t *testing.T) {
	t.Parallel()
	files := sample(t, pythonFiles(t), 1700)
	var wait sync.WaitGroup
	var total struct {
		sync.Mutex
		records, agreed, refused int
		problems                 []string
	}
	const workers = 2
	for w := range workers {
		wait.Go(func() {
			c := &comparison{}
			var paths []string
			for i := w; i < len(files); i += workers {
				paths = append(paths, files[i])
			}
			err := c.run(paths)
			total.Lock()
			defer total.Unlock()
			total.records += c.records
			total.refused += c.refused
			total.problems = append(total.problems, c.problems...)
			if err != nil {
				total.problems = append(total.problems, err.Error())
			}
		})
	}
	wait.Wait()
	t.Logf("%d files (%d refused by CPython), %d records, %d disagree", len(files), total.refused, total.records,
		len(total.problems))
	require.Empty(t, strings.Join(total.problems[:min(len(total.problems), 40)], "\n"))
}

// pythonFiles are the files of the library of the python3 on PATH and of the system's, sorted.
func pythonFiles(t testing.TB) []string {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 on PATH, which this compares with")
	}
	out, err := exec.Command("python3", "-I", "testdata/oracle.py", "dirs").Output()
	require.NoError(t, err)
	var dirs []string
	require.NoError(t, json.Unmarshal(out, &dirs))
	var files []string
	for _, dir := range append(dirs, "/usr/lib/python3", "../../bin/corpus/python") { // the last is of "make corpus"
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".py" && !strings.Contains(path, "\n") {
				files = append(files, path)
			}
			return nil
		})
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// sample takes about n of the files, evenly, or all where SLOP_LOAD asks for it.
func sample(t testing.TB, files []string, n int) []string {
	t.Helper()
	if len(files) < 1500 {
		t.Logf("only %d files are there, fewer than the 1,500 that are wanted", len(files))
	}
	if os.Getenv("SLOP_LOAD") == "full" || len(files) <= n {
		return files
	}
	out := make([]string, n)
	for i := range out {
		out[i] = files[i*len(files)/n]
	}
	return out
}

// comparison runs one python3 over some files.
type comparison struct {
	path             string
	text             string
	file             *File
	records, refused int
	problems         []string
}

func (c *comparison) run(paths []string) error {
	cmd := exec.Command("python3", "-I", "testdata/oracle.py")
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\n") + "\n")
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	answers := json.NewDecoder(bufio.NewReaderSize(pipe, 1<<20))
	for _, path := range paths {
		var truth oracle
		if err := answers.Decode(&truth); err != nil {
			_, _ = io.Copy(io.Discard, pipe)
			return fmt.Errorf("%s: the oracle's answer: %w", path, err)
		}
		if err := c.compare(path, truth); err != nil {
			return err
		}
	}
	return cmd.Wait()
}

func (c *comparison) compare(path string, truth oracle) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	doc, refused := document.DecodePython(data)
	if refused != nil {
		doc.Text = string(data)
	}
	c.path, c.text, c.file = path, doc.Text, Parse(doc.Text)
	exercise(c.file)
	if truth.Refused != "" {
		c.refused++
		return nil
	}
	if refused != nil {
		c.complain("cannot be decoded: %v", refused)
		return nil
	}
	if p, broken := c.file.Broken(); broken {
		c.complain("line %d: problem: %s", c.file.LineOf(p.Offset), p.Text)
	}
	c.docstring("module", nil, truth.Doc)
	c.symbols(truth.Symbols)
	c.variables(truth.Variables)
	c.imports(truth.Imports)
	c.statements(truth.Statements)
	return nil
}

func (c *comparison) complain(format string, args ...any) {
	c.problems = append(c.problems, c.path+": "+fmt.Sprintf(format, args...))
}

// same counts a record and complains if the two are not equal.
func (c *comparison) same(what string, want, got any) {
	c.records++
	w, _ := json.Marshal(want)
	g, _ := json.Marshal(got)
	if string(w) != string(g) {
		c.complain("%s:\n  CPython: %s\n  Parse:   %s", what, w, g)
	}
}

// offset turns a position of ast into an offset.
func (c *comparison) offset(position []int) int {
	return c.file.Lines[position[0]-1].Start + position[1]
}

func (c *comparison) span(positions [][]int) Span {
	if positions == nil {
		return Span{}
	}
	return Span{c.offset(positions[0]), c.offset(positions[1])}
}

func (c *comparison) docstring(of string, s *Symbol, want []string) {
	var got []string
	if doc, ok := c.file.Docstring(s); ok {
		got = []string{doc.Raw, doc.Clean}
	}
	c.same("docstring of "+of, want, got)
}

func (c *comparison) symbols(truth []oracleSymbol) {
	f := c.file
	c.same("number of symbols", len(truth), len(f.Symbols))
	for i, want := range truth[:min(len(truth), len(f.Symbols))] {
		s := f.Symbols[i]
		c.docstring(want.Path, s, want.Doc)
		sum := sha256.Sum256([]byte(f.Source(s)))
		got := oracleSymbol{
			Path: s.Path, Kind: string(s.Kind), Source: hex.EncodeToString(sum[:]), Signature: f.Signature(s),
			Line: f.Line(s), Start: f.StartLine(s), End: f.EndLine(s), Ordinal: s.Ordinal, Of: s.Of,
			Conditional: s.Conditional, Decorators: f.Decorators(s), Doc: want.Doc,
		}
		for i, d := range got.Decorators {
			if i < len(want.Decorators) && inBrackets(d, want.Decorators[i]) {
				got.Decorators[i] = want.Decorators[i]
			}
		}
		c.same("symbol "+want.Path, want, got)
	}
}

// inBrackets tells whether an expression is another one with nothing but brackets and blanks around.
func inBrackets(outer, inner string) bool {
	before, after, ok := strings.Cut(outer, inner)
	return ok && strings.Trim(before, "( \t\f\r\n\\") == "" && strings.Trim(after, ") \t\f\r\n\\,") == ""
}

func (c *comparison) variables(truth []oracleVariable) {
	got := c.file.Variables()
	c.same("number of variables", len(truth), len(got))
	for i, want := range truth[:min(len(truth), len(got))] {
		v := got[i]
		type record struct {
			Path                  string
			Ordinal, Of           int
			Conditional, Alone    bool
			Statement, Target     Span
			Annotated, Value, Fit bool
		}
		annotation, value := c.span(want.Annotation), c.span(want.Value)
		fit := c.around(v.Annotation, annotation) && c.around(v.Value, value)
		c.same("variable "+want.Path, record{
			want.Path, want.Ordinal, want.Of, want.Conditional, want.Alone,
			c.span(want.Statement), c.span(want.Target), want.Annotation != nil, want.Value != nil, true,
		}, record{
			v.Path, v.Ordinal, v.Of, v.Conditional, v.Alone,
			v.Statement.Span, v.Target, !v.Annotation.Empty(), !v.Value.Empty(), fit,
		})
	}
}

// around tells whether a span is another one with nothing but brackets and comments around.
func (c *comparison) around(outer, inner Span) bool {
	for token := range c.file.Tokens(outer) {
		bracket := token.Kind == Op && strings.Contains("()", token.Of(c.text))
		if (token.End <= inner.Start || token.Start >= inner.End) && !bracket && token.Kind != Comment && token.Kind != NL {
			return false
		}
	}
	return outer.Start <= inner.Start && outer.End >= inner.End
}

func (c *comparison) imports(truth []oracleImport) {
	var got []oracleImport
	for _, i := range c.file.Imports() {
		names := [][]string{}
		for _, n := range i.Names {
			names = append(names, []string{n.Name, n.As})
		}
		got = append(got, oracleImport{
			Line: c.file.LineOf(i.Statement.Start), Level: i.Level, Module: i.Module, From: i.From,
			Conditional: i.Conditional, Checking: i.TypeChecking, Names: names,
		})
	}
	c.same("number of imports", len(truth), len(got))
	for i, want := range truth[:min(len(truth), len(got))] {
		c.same("import "+want.Module, want, got[i])
	}
}

func (c *comparison) statements(truth [][][]int) {
	var got []*Statement
	for s := range c.file.Statements() {
		switch s.Kind {
		case Else, Except, Finally, Case:
			continue
		}
		got = append(got, s)
	}
	c.same("number of statements", len(truth), len(got))
	for i, want := range truth[:min(len(truth), len(got))] {
		c.records++
		s := got[i]
		bad := s.Start != c.offset(want[0]) || want[1] != nil && s.End != c.offset(want[1])
		if bad {
			c.complain("statement at line %d: CPython %v, Parse %d-%d", c.file.LineOf(s.Start), want, s.Start, s.End)
			return
		}
	}
}

// exercise calls everything that must not panic whatever the text.
func exercise(f *File) {
	f.Imports()
	f.Variables()
	f.Docstring(nil)
	f.IndentUnit()
	for _, s := range f.Symbols {
		f.Docstring(s)
		f.Source(s)
		f.Comment(s)
		f.Decorators(s)
	}
}

// read gives the text of a file.
func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}
