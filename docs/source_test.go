package docs_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// topLevel are the only folders at the top, beside hidden ones and bin, which a build makes.
var topLevel = []string{"cmd", "bus", "events", "tiers", "tools", "projections", "hookgw", "replay", "docs"}

// emptyNames say nothing about what a package is for.
var emptyNames = []string{"util", "utils", "common", "helper", "helpers", "types", "models", "misc", "shared", "base"}

// registryHosts are written in two halves, so that this file does not name them either.
var registryHosts = []string{
	"proxy.golang" + ".org", "sum.golang" + ".org", "index.golang" + ".org", "pkg.go" + ".dev",
	"goproxy" + ".io", "goproxy" + ".cn", "gocenter" + ".io", "athens.azurefd" + ".net",
	"registry.npmjs" + ".org", "registry.yarnpkg" + ".com", "npmmirror" + ".com",
	"pypi" + ".org", "files.pythonhosted" + ".org", "crates" + ".io",
	"rubygems" + ".org", "repo1.maven" + ".org", "repo.maven.apache" + ".org",
}

const maxScannedBytes = 4 << 20

func TestTopLevelFoldersAreTheDesignedOnes(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() && !strings.HasPrefix(name, ".") && name != "bin" && !slices.Contains(topLevel, name) {
			t.Errorf("top-level folder %s: the layout has %s and no other", name, strings.Join(topLevel, " "))
		}
	}
}

func TestPackageNamesSayWhatThePackageIsFor(t *testing.T) {
	t.Parallel()
	for _, p := range modulePackages(t) {
		if slices.Contains(emptyNames, strings.TrimSuffix(p.Name, "_test")) || slices.Contains(emptyNames,
			filepath.Base(p.Dir)) {
			t.Errorf("package %s (%s): name it for its idea", p.Name, p.short())
		}
	}
}

func TestNoFileNamesTheHostOfAModuleRegistry(t *testing.T) {
	t.Parallel()
	eachFile(t, func(path string) {
		full := filepath.Join(root, filepath.FromSlash(path))
		info, err := os.Stat(full)
		if err != nil || info.Size() > maxScannedBytes {
			return
		}
		text, err := os.ReadFile(full)
		require.NoError(t, err)
		for i, line := range bytes.Split(text, []byte("\n")) {
			for _, host := range registryHosts {
				if bytes.Contains(bytes.ToLower(line), []byte(host)) {
					t.Errorf("%s:%d names the module registry %s", path, i+1, host)
				}
			}
		}
	})
}

func TestNoInitFunctionsAndNoSleepingTests(t *testing.T) {
	t.Parallel()
	eachFile(t, func(path string) {
		if !strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata/") {
			return
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(root, filepath.FromSlash(path)), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, breach := range sourceBreaches(fset, file, strings.HasSuffix(path, "_test.go")) {
			t.Error(breach)
		}
	})
}

func TestSourceRulesCatchWhatTheyForbid(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, source string
		test         bool
		breaches     int
	}{
		{"init", "package p\nfunc init() {}", false, 1},
		{"a method called init", "package p\ntype t int\nfunc (t) init() {}", false, 0},
		{"a sleeping test", "package p\nimport \"time\"\nfunc f() { time.Sleep(1) }", true, 1},
		{"a test sleeping under another name", "package p\nimport clock \"time\"\nfunc f() { clock.Sleep(1) }", true, 1},
		{"sleep outside tests is for the reviewer", "package p\nimport \"time\"\nfunc f() { time.Sleep(1) }", false, 0},
		{"a Sleep of something else", "package p\nfunc f(time struct{ Sleep func(int) }) { time.Sleep(1) }", true, 0},
	}
	for _, c := range cases {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "snippet.go", c.source, parser.SkipObjectResolution)
		require.NoError(t, err)
		require.Len(t, sourceBreaches(fset, file, c.test), c.breaches, c.name)
	}
}

// sourceBreaches returns a line for each init function and, in tests, each time.Sleep.
func sourceBreaches(fset *token.FileSet, file *ast.File, test bool) []string {
	clock := localName(file, "time")
	var found []string
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "init" {
				found = append(found, where(fset, n.Pos())+": func init: wire explicitly, in one list")
			}
		case *ast.SelectorExpr:
			from, ok := n.X.(*ast.Ident)
			if test && ok && clock != "" && from.Name == clock && n.Sel.Name == "Sleep" {
				found = append(found, where(fset, n.Pos())+": time.Sleep in a test: wait on a fact or use testing/synctest")
			}
		}
		return true
	})
	return found
}

// localName is the name that a file uses for an imported package; empty if it does not.
func localName(file *ast.File, path string) string {
	for _, spec := range file.Imports {
		if spec.Path.Value != strconv.Quote(path) {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path[strings.LastIndex(path, "/")+1:]
	}
	return ""
}
