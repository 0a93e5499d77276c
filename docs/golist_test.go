package docs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	modulePath = "manualslop"
	root       = ".."
)

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath     string
	Dir            string
	Name           string
	Export         string
	Standard       bool
	GoFiles        []string
	CgoFiles       []string
	IgnoredGoFiles []string
	TestGoFiles    []string
	XTestGoFiles   []string
}

// short is the import path without the module's name: "tiers/conductor".
func (p listed) short() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, modulePath), "/")
}

// sources are the non-test files, those for other systems included.
func (p listed) sources() []string {
	files := append(append([]string{}, p.GoFiles...), p.CgoFiles...)
	for _, name := range p.IgnoredGoFiles {
		if !strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
	}
	return files
}

// tests are the test files, those for other systems included.
func (p listed) tests() []string {
	files := append(append([]string{}, p.TestGoFiles...), p.XTestGoFiles...)
	for _, name := range p.IgnoredGoFiles {
		if strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
	}
	return files
}

// imported is one import clause.
type imported struct {
	path string // what is imported
	name string // the local name given, "_" for an import for its side effects
	at   string // file:line, relative to the repository
}

// imports reads the import clauses of some files of a package.
func (p listed) imports(t *testing.T, files []string) []imported {
	t.Helper()
	var found []imported
	for _, name := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			in := imported{path: path, at: where(fset, spec.Pos())}
			if spec.Name != nil {
				in.name = spec.Name.Name
			}
			found = append(found, in)
		}
	}
	return found
}

// where renders a position relative to the repository.
func where(fset *token.FileSet, pos token.Pos) string {
	p := fset.Position(pos)
	if base, err := filepath.Abs(root); err == nil {
		if rel, err := filepath.Rel(base, p.Filename); err == nil {
			p.Filename = rel
		}
	}
	return fmt.Sprintf("%s:%d", filepath.ToSlash(p.Filename), p.Line)
}

// goList runs `go list -e -json` in the root of the module.
func goList(args ...string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-e", "-json"}, args...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	var packages []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list %s: %w", strings.Join(args, " "), err)
		}
		packages = append(packages, p)
	}
}

var listModule = sync.OnceValues(func() ([]listed, error) { return goList("./...") })

// modulePackages are all packages of this module.
func modulePackages(t *testing.T) []listed {
	t.Helper()
	packages, err := listModule()
	require.NoError(t, err)
	require.NotEmpty(t, packages)
	return packages
}

// eachFile calls visit for the files of the repository, without what git or a build keeps in
// it. The path is relative to the repository, with forward slashes.
func eachFile(t *testing.T, visit func(path string)) {
	t.Helper()
	skipped := map[string]bool{".git": true, ".slop": true, "bin": true}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && skipped[rel]:
			return filepath.SkipDir
		case entry.Type().IsRegular():
			visit(filepath.ToSlash(rel))
		}
		return nil
	})
	require.NoError(t, err)
}
