package docs_test

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// impureImports are packages that pure code may not import, with the reason.
var impureImports = []struct{ pattern, why string }{
	{"os/...", "pure code touches no machine"},
	{"io/ioutil", "pure code touches no machine"},
	{"path/filepath", "paths in events have forward slashes on every system: use path"},
	{"syscall/...", "pure code touches no machine"},
	{"net", "pure code touches no network"},
	{"net/http/...", "pure code touches no network"},
	{"net/rpc/...", "pure code touches no network"},
	{"net/smtp", "pure code touches no network"},
	{"math/rand/...", "the same log must give the same state"},
	{"crypto/rand", "the same log must give the same state"},
	{"log/...", "what happened is an event; logs are for operators"},
	{"runtime/...", "the same log must give the same state on every machine"},
	{"unsafe", "the same log must give the same state on every machine"},
}

// impureUses are functions, methods and variables that pure code may not name.
var impureUses = map[string]string{
	"time.Now":          "times come from the causing event",
	"time.Since":        "times come from the causing event",
	"time.Until":        "times come from the causing event",
	"time.Sleep":        "pure code does not wait",
	"time.After":        "pure code does not wait",
	"time.AfterFunc":    "pure code does not wait",
	"time.Tick":         "pure code does not wait",
	"time.NewTimer":     "pure code does not wait",
	"time.NewTicker":    "pure code does not wait",
	"time.Local":        "folds never convert time zones",
	"time.LoadLocation": "folds never convert time zones",
	"(time.Time).Local": "folds never convert time zones",

	"github.com/oklog/ulid/v2.Make":           "decided ids derive from their cause",
	"github.com/oklog/ulid/v2.Now":            "decided ids derive from their cause",
	"github.com/oklog/ulid/v2.DefaultEntropy": "decided ids derive from their cause",
}

// orderIndependent marks a range over a map whose order cannot be seen. A reason follows it,
// and the range statement follows the comment.
const orderIndependent = "order-independent:"

// purePackages are the packages to which the rules of this file apply.
func purePackages() []string {
	return append([]string{"events/policy/commands", "tiers", "tiers/basis", "tiers/conversation", "tiers/fence",
		"tiers/planning", "tiers/tokens", "projections"}, deciders...)
}

func TestDecidersAndFoldsArePure(t *testing.T) {
	t.Parallel()
	checkSources(t, purePackages(), impurities)
}

// checkSources reports what a check finds in the files of some packages, none of
// which may be missing.
func checkSources(t *testing.T, packages []string, check func(t *testing.T, fset *token.FileSet, path string,
	files []*ast.File, from types.Importer) []string) {
	t.Helper()
	var paths []string
	byPath := map[string]listed{}
	for _, p := range modulePackages(t) {
		if slices.Contains(packages, p.short()) {
			paths = append(paths, p.ImportPath)
			byPath[p.ImportPath] = p
		}
	}
	require.Len(t, paths, len(packages))
	load := exportImporter(t, paths...)
	for _, path := range paths {
		p := byPath[path]
		fset := token.NewFileSet()
		var files []*ast.File
		for _, name := range p.sources() {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, file)
		}
		for _, found := range check(t, fset, path, files, load(fset)) {
			t.Error(found)
		}
	}
}

// exportImporter prepares the compiled interfaces of some packages and of all they import.
func exportImporter(t *testing.T, paths ...string) func(*token.FileSet) types.Importer {
	t.Helper()
	packages, err := goList(append([]string{"-export", "-deps"}, paths...)...)
	require.NoError(t, err)
	exports := map[string]string{}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	lookup := func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, errors.New("not compiled: " + path)
		}
		return os.Open(exports[path])
	}
	return func(fset *token.FileSet) types.Importer { return importer.ForCompiler(fset, "gc", lookup) }
}

// impurities checks one package and returns a line for each breach.
func impurities(t *testing.T, fset *token.FileSet, path string, files []*ast.File, from types.Importer) []string {
	t.Helper()
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	_, err := (&types.Config{Importer: from}).Check(path, fset, files, info)
	require.NoError(t, err, "%s must compile before it can be judged", path)
	check := purityCheck{fset: fset, info: info, sorted: map[ast.Expr]bool{}}
	for _, file := range files {
		check.file(file)
	}
	return check.found
}

type purityCheck struct {
	fset    *token.FileSet
	info    *types.Info
	allowed map[int]bool      // lines that a reasoned order-independent comment covers
	sorted  map[ast.Expr]bool // expressions handed straight to a sorting function
	found   []string
}

func (c *purityCheck) report(pos token.Pos, text string) {
	c.found = append(c.found, where(c.fset, pos)+": "+text)
}

func (c *purityCheck) file(file *ast.File) {
	c.allowed = commentedLines(c.fset, file, orderIndependent)
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		for _, banned := range impureImports {
			if matches(banned.pattern, path) {
				c.report(spec.Pos(), "imports "+path+": "+banned.why)
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		c.node(node)
		return true
	})
}

func (c *purityCheck) node(node ast.Node) {
	switch n := node.(type) {
	case *ast.GoStmt:
		c.report(n.Pos(), "starts a goroutine: pure code runs in one")
	case *ast.SelectStmt:
		c.report(n.Pos(), "selects: which case wins is chance")
	case *ast.Ident:
		if name := fullName(c.info.Uses[n]); impureUses[name] != "" {
			c.report(n.Pos(), "uses "+name+": "+impureUses[name])
		}
	case *ast.RangeStmt:
		if over := c.info.TypeOf(n.X); over != nil && isMap(over) && !c.allowed[c.line(n)] {
			c.report(n.Pos(), "ranges over a map: sort the keys first, or say why order cannot matter in a comment above (// "+
				orderIndependent+" …)")
		}
	case *ast.CallExpr:
		c.call(n)
	}
}

// call lets maps.Keys and its like through only where a sort takes them at once.
func (c *purityCheck) call(call *ast.CallExpr) {
	name := c.calledName(call)
	if strings.HasPrefix(name, "slices.Sorted") && len(call.Args) > 0 {
		c.sorted[call.Args[0]] = true
	}
	switch name {
	case "maps.Keys", "maps.Values", "maps.All":
		if !c.sorted[call] && !c.allowed[c.line(call)] {
			c.report(call.Pos(), "calls "+name+" without slices.Sorted around it: map order is chance")
		}
	}
}

func (c *purityCheck) calledName(call *ast.CallExpr) string {
	fun := call.Fun
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	if selector, ok := fun.(*ast.SelectorExpr); ok {
		return fullName(c.info.Uses[selector.Sel])
	}
	return ""
}

func (c *purityCheck) line(node ast.Node) int { return c.fset.Position(node.Pos()).Line }

// fullName is "package/path.Name" for package-level objects and "(package.Type).Method" for
// methods; empty for everything else.
func fullName(object types.Object) string {
	switch o := object.(type) {
	case *types.Func:
		return o.FullName()
	case *types.Var:
		if o.Pkg() != nil && o.Parent() == o.Pkg().Scope() {
			return o.Pkg().Path() + "." + o.Name()
		}
	}
	return ""
}

// isMap sees through names and type parameters whose every choice is a map.
func isMap(t types.Type) bool {
	if _, direct := t.Underlying().(*types.Map); direct {
		return true
	}
	union, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for embedded := range union.EmbeddedTypes() {
		if terms, ok := embedded.(*types.Union); ok && terms.Len() > 0 && isMap(terms.Term(0).Type()) {
			return true
		}
	}
	return false
}

// commentedLines are the lines directly below a comment that gives a reason behind a mark.
func commentedLines(fset *token.FileSet, file *ast.File, mark string) map[int]bool {
	lines := map[int]bool{}
	for _, group := range file.Comments {
		_, reason, found := strings.Cut(group.Text(), mark)
		if found && strings.TrimSpace(reason) != "" {
			lines[fset.Position(group.End()).Line+1] = true
		}
	}
	return lines
}
