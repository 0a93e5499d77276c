package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoPatternIsCompiledBeforeItIsNeeded holds every start of the program
// short: the patterns of all packages together took 3 MB and as long as the rest
// of our own start.
func TestNoPatternIsCompiledBeforeItIsNeeded(t *testing.T) {
	t.Parallel()
	for _, p := range modulePackages(t) {
		if strings.HasSuffix(p.Name, "test") {
			continue
		}
		for _, name := range p.sources() {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, at := range compiledAtStart(file) {
				t.Errorf("%s: a pattern is compiled whenever the program starts; wrap it in sync.OnceValue", where(fset, at))
			}
		}
	}
}

func TestPatternsOfTheStartAreFound(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]int{
		"var a = regexp.MustCompile(`a`)":                                                  1,
		"var ( a = 1; b = map[string]*regexp.Regexp{`b`: regexp.MustCompile(`b`)} )":       1,
		"var a = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`a`) })": 0,
		"func f() { var a = regexp.MustCompile(`a`); _ = a }":                              0,
		"var a, b = regexp.MustCompile(`a`), regexp.MustCompilePOSIX(`b`)":                 2,
		"var a = func() *regexp.Regexp { return regexp.MustCompile(`for later`) }":         0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "snippet.go", "package snippet\n"+source,
			parser.SkipObjectResolution)
		require.NoError(t, err)
		require.Len(t, compiledAtStart(file), want, source)
	}
}

// compiledAtStart is where the values of a file's variables compile patterns.
func compiledAtStart(file *ast.File) []token.Pos {
	var found []token.Pos
	for _, d := range file.Decls {
		if vars, ok := d.(*ast.GenDecl); ok && vars.Tok == token.VAR {
			ast.Inspect(vars, func(n ast.Node) bool {
				if _, later := n.(*ast.FuncLit); later {
					return false
				}
				if call, ok := n.(*ast.CallExpr); ok && compiles(call) {
					found = append(found, call.Pos())
				}
				return true
			})
		}
	}
	return found
}

func compiles(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := f.X.(*ast.Ident)
	return ok && pkg.Name == "regexp" && strings.HasPrefix(f.Sel.Name, "MustCompile")
}
