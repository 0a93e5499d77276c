package edit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/python/edit"
)

// oracleCase is one line for testdata/oracle.py.
type oracleCase struct {
	Op      string  `json:"op"`
	Label   string  `json:"label"`
	Before  *string `json:"before,omitempty"`
	After   string  `json:"after"`
	Path    string  `json:"path,omitempty"`
	Ordinal int     `json:"ordinal,omitempty"`
	There   string  `json:"there"`
	Arrived string  `json:"arrived,omitempty"`
}

// oracle collects the edits of one file.
type oracle struct {
	t      *testing.T
	name   string
	source edit.Source
	random *rand.Rand
	before *string // sent with the next case only
	cases  bytes.Buffer
}

func (o *oracle) send(c oracleCase, label string) {
	c.Before, o.before = o.before, nil
	c.Label = o.name + ": " + label
	require.NoError(o.t, json.NewEncoder(&o.cases).Encode(c))
}

// TestEditsOfRealFilesAgreeWithCPython edits definitions, variables and regions of the standard
// library and of the packages beside it of the python3 on PATH, and compares the trees. SLOP_LOAD=full takes some
// 2,000 files in place of one in sixty, which makes more than 50,000 edits.
func TestEditsOfRealFilesAgreeWithCPython(t *testing.T) {
	t.Parallel()
	files := libraryFiles(t)
	step, each := 60, 2
	if os.Getenv("SLOP_LOAD") == "full" {
		step, each = 1+len(files)/2_000, 6
	}
	var all bytes.Buffer
	edits := 0
	for i, file := range files {
		if i%step != 0 {
			continue
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		doc, problem := document.DecodePython(data)
		source, broken := edit.Open(file, doc.Text)
		if problem != nil || broken != nil || len(doc.Text) > 40_000 || !parses(data) {
			continue
		}
		o := &oracle{t: t, name: file, source: source, before: &doc.Text, random: rand.New(rand.NewPCG(uint64(i), 1))}
		o.edits(each)
		edits += bytes.Count(o.cases.Bytes(), []byte("\n"))
		all.Write(o.cases.Bytes())
		if all.Len() > 16<<20 {
			judge(t, &all)
			t.Logf("%d edits, %d of %d files", edits, i, len(files))
		}
	}
	judge(t, &all)
	t.Logf("%d edits", edits)
}

// judge hands the cases to CPython and empties the buffer.
func judge(t *testing.T, cases *bytes.Buffer) {
	t.Helper()
	command := exec.Command("python3", "-I", "testdata/oracle.py")
	command.Stdin = bytes.NewReader(cases.Bytes())
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Empty(t, string(out[:min(len(out), 5_000)]))
	cases.Reset()
}

// parses keeps the test to files that are not there to be broken.
func parses(data []byte) bool { return !bytes.Contains(data, []byte("print ")) }

func libraryFiles(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("python3", "-I", "-c", "import os; print(os.path.dirname(os.__file__))").Output()
	if err != nil {
		t.Skip("no python3 on PATH, which this compares with")
	}
	var files []string
	_ = filepath.WalkDir(strings.TrimSpace(string(out)), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".py" &&
			!strings.Contains(path, "lib2to3/tests/data") {
			files = append(files, path)
		}
		return nil
	})
	return files
}

// edits makes every kind of edit at some places of the file.
func (o *oracle) edits(each int) {
	symbols := o.source.Symbols
	for range min(each, len(symbols)) {
		symbol := symbols[o.random.IntN(len(symbols))]
		name := fmt.Sprintf("%s#%d", symbol.Path, symbol.Ordinal)
		o.unchanged(symbol, name)
		o.reindented(symbol, name)
		o.removed(symbol, name)
		o.moved(symbol, name)
		o.added(symbol, name)
		o.region(symbol)
	}
	for i, variable := range o.source.Variables() {
		if variable.Alone && i < each {
			span := o.source.WholeLines(variable.Statement.Span)
			change, err := o.source.SetVariable(fmt.Sprintf("%s#%d", variable.Path, variable.Ordinal), span.Of(o.source.Text))
			require.NoError(o.t, err, "%s: %s", o.name, variable.Path)
			require.Empty(o.t, change.Splices, "%s: %s", o.name, variable.Path)
		}
	}
}

func (o *oracle) unchanged(symbol *python.Symbol, name string) {
	change, err := o.source.Update(name, o.source.File.Source(symbol))
	require.NoError(o.t, err, "%s: %s", o.name, name)
	require.Empty(o.t, change.Splices, "%s: %s", o.name, name)
	change, _, err = o.source.SetSignature(name, o.source.Signature(symbol))
	require.NoError(o.t, err, "%s: %s", o.name, name)
	require.Empty(o.t, change.Splices, "%s: %s", o.name, name)
}

// reindented replaces a definition by itself in another indentation.
func (o *oracle) reindented(symbol *python.Symbol, name string) {
	empty, err := edit.Open("empty.py", "")
	require.NoError(o.t, err)
	empty.Unit = []string{" ", "  ", "\t", "      "}[o.random.IntN(4)]
	_, content, err := empty.Add(symbol.Name, o.source.File.Source(symbol), edit.Anchor{})
	require.NoError(o.t, err, "%s: %s", o.name, name)
	change, err := o.source.Update(name, content.Result)
	require.NoError(o.t, err, "%s: %s", o.name, name)
	o.send(oracleCase{Op: "same", After: change.Result}, name)
}

func (o *oracle) removed(symbol *python.Symbol, name string) {
	change, _, err := o.source.Remove(name)
	require.NoError(o.t, err, "%s: %s", o.name, name)
	o.send(oracleCase{Op: "removed", After: change.Result, Path: symbol.Path, Ordinal: symbol.Ordinal}, name)
}

// moved moves a definition to another file, and within its own where it is alone at the top.
func (o *oracle) moved(symbol *python.Symbol, name string) {
	there := "'''Doc.'''\r\nimport os\r\nif os:\r\n\tx = 1\r\n"
	dest, err := edit.Open("b.py", there)
	require.NoError(o.t, err)
	kinds := []string{edit.Top, edit.Bottom}
	anchor := edit.Anchor{Type: kinds[o.random.IntN(2)]}
	moved, err := edit.Move(o.source, dest, edit.Relocation{Name: name, NewName: symbol.Name, Anchor: anchor})
	require.NoError(o.t, err, "%s: %s", o.name, name)
	o.send(oracleCase{
		Op: "moved", After: moved.Source.Result, Path: symbol.Path, Ordinal: symbol.Ordinal, There: there,
		Arrived: moved.Destination.Result,
	}, name)
	if symbol.Statement.Parent == nil && symbol.Of == 1 {
		other := o.source.Symbols[o.random.IntN(len(o.source.Symbols))]
		if other.Statement.Parent == nil && other != symbol && o.random.IntN(2) == 0 {
			anchor = edit.Anchor{Type: []string{edit.Before, edit.After}[o.random.IntN(2)], Symbol: fmt.Sprintf("%s#%d",
				other.Path, other.Ordinal)}
		}
		moved, err = o.source.MoveWithin(edit.Relocation{Name: symbol.Path, Anchor: anchor})
		require.NoError(o.t, err, "%s: %s %v", o.name, name, anchor)
		applied(o.t, o.source.Text, moved.Destination)
		o.send(oracleCase{Op: "within", After: moved.Destination.Result}, name)
	}
}

// added puts a definition next to another one and into it.
func (o *oracle) added(symbol *python.Symbol, name string) {
	const content = "def slop_new(a,\n             b):\n  return 1\n"
	path := "slop_new"
	if symbol.Parent != nil {
		path = symbol.Parent.Path + ".slop_new"
	}
	anchor := edit.Anchor{Type: []string{edit.Before, edit.After}[o.random.IntN(2)], Symbol: name}
	if symbol.Parent == nil || symbol.Parent.Of == 1 {
		_, change, err := o.source.Add(path, content, anchor)
		require.NoError(o.t, err, "%s: %s", o.name, name)
		o.send(oracleCase{Op: "added", After: change.Result, Path: path, Ordinal: 1}, name+" "+anchor.Type)
	}
	for _, kind := range []string{edit.Top, edit.Bottom} {
		for _, parent := range []string{"", symbol.Path + "."} {
			if parent != "" && symbol.Of > 1 {
				continue
			}
			_, change, err := o.source.Add(parent+"slop_new", content, edit.Anchor{Type: kind})
			require.NoError(o.t, err, "%s: %s", o.name, name)
			o.send(oracleCase{Op: "added", After: change.Result, Path: parent + "slop_new", Ordinal: 1}, kind+" "+parent)
		}
	}
}

// region wraps a definition, and whatever lines chance gives, which may be refused.
func (o *oracle) region(symbol *python.Symbol) {
	n := len(o.source.Lines)
	first := 1 + o.random.IntN(n)
	for _, lines := range [][2]int{
		{o.source.StartLine(symbol), o.source.EndLine(symbol)},
		{first, first + o.random.IntN(n-first+1)},
		{first, min(n, first+o.random.IntN(3))},
	} {
		if change, err := o.source.WrapRegion(lines[0], lines[1], "r"); err == nil {
			o.send(oracleCase{Op: "same", After: change.Result}, fmt.Sprintf("region %v", lines))
		}
	}
}
