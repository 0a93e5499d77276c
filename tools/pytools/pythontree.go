package pytools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"manualslop/tools"
	"manualslop/tools/document"
	"manualslop/tools/python/project"
	"manualslop/tools/sandbox"
)

// Limits on what one query about a whole project reads.
const (
	maxTreeFiles = 30_000
	maxTreeBytes = 256 << 20
)

// pythonTree is the Python project that contains a path.
type pythonTree struct {
	*project.Project
	at       string // the requested path, as tools show it
	isFile   bool
	files    map[string]sandbox.File // without digests
	Warnings []string
}

// within reports whether a file is the requested file or is below the requested folder.
func (t pythonTree) within(file string) bool {
	switch {
	case t.isFile:
		return file == t.at
	case t.at == ".":
		return !path.IsAbs(file)
	}
	return strings.HasPrefix(file, t.at+"/")
}

// ReadTree reads the Python files of the project that contains a file or folder. The project is the primary
// directory of the workspace if the path is inside it, and otherwise the nearest folder that is not a package.
// ReadTree skips installed packages, and files that .gitignore excludes unless the path itself is excluded.
func ReadTree(ctx context.Context, env tools.Env, at string) (pythonTree, error) {
	entry, err := env.Workspace.Stat(at)
	if err != nil {
		return pythonTree{}, err
	}
	t := pythonTree{at: entry.Path, isFile: entry.Kind != sandbox.KindDirectory, files: map[string]sandbox.File{}}
	if t.isFile {
		if err := t.first(ctx, env); err != nil {
			return t, err
		}
	}
	g := &gathering{ctx: ctx, env: env, tree: &t, seen: map[string]bool{}}
	if t.isFile {
		g.add(t.at)
	}
	roots := []string{"."}
	if path.IsAbs(t.at) {
		roots = []string{t.root(env)}
	} else if !t.isFile && t.at != "." {
		roots = append(roots, t.at)
	}
	for _, root := range roots {
		if err := g.walk(root); err != nil {
			return t, err
		}
	}
	return t, g.read()
}

// first rejects a file that is not Python.
func (t pythonTree) first(ctx context.Context, env tools.Env) error {
	file, err := env.ReadFile(ctx, t.at)
	if err != nil {
		return err
	}
	if !document.IsPython(file.Path, file.Data) {
		return tools.Refuse("not a python file: %s", file.Path)
	}
	return nil
}

// root returns the project folder of a path outside the primary directory: the nearest folder that is not a package.
func (t pythonTree) root(env tools.Env) string {
	dir := t.at
	if t.isFile {
		dir = path.Dir(dir)
	}
	for {
		up := path.Dir(dir)
		if _, err := env.Workspace.Stat(dir + "/__init__.py"); err != nil || up == dir || env.Workspace.Check(up) != nil {
			return dir
		}
		dir = up
	}
}

// gathering is the state of collecting the files of a tree.
type gathering struct {
	ctx   context.Context
	env   tools.Env
	tree  *pythonTree
	seen  map[string]bool
	paths []string
}

func (g *gathering) add(file string) {
	if !g.seen[file] {
		g.seen[file] = true
		g.paths = append(g.paths, file)
	}
}

// walk lists the Python files below a folder.
func (g *gathering) walk(root string) error {
	stats, err := g.env.Workspace.Walk(g.ctx, root, sandbox.WalkOptions{Gitignore: true, NoSizes: true},
		func(e sandbox.Entry) error {
			switch {
			case e.Kind == sandbox.KindDirectory && (e.Name == "__pycache__" || e.Name == "node_modules" ||
				e.Name == "site-packages"):
				return fs.SkipDir
			case e.Kind != sandbox.KindFile || !project.IsSource(e.Path):
				return nil
			case len(g.paths) >= maxTreeFiles:
				g.warn("the project has more than %d Python files; the rest were skipped", maxTreeFiles)
				return fs.SkipAll
			}
			g.add(e.Path)
			return nil
		})
	if stats.Truncated {
		g.warn("the search stopped after %d entries; the rest were skipped", stats.Visited)
	}
	if stats.Unread > 0 {
		g.warn("%d folders could not be read", stats.Unread)
	}
	return err
}

func (g *gathering) warn(format string, args ...any) {
	g.tree.Warnings = append(g.tree.Warnings, fmt.Sprintf(format, args...))
}

// read reads the files on all cores and builds the project.
func (g *gathering) read() error {
	files := make([]sandbox.File, len(g.paths))
	failed := make([]error, len(g.paths))
	var next, size atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			reader := g.env.Workspace.Reader()
			defer reader.Close()
			for g.ctx.Err() == nil && size.Load() < maxTreeBytes {
				i := int(next.Add(1)) - 1
				if i >= len(g.paths) {
					return
				}
				files[i], failed[i] = reader.ReadFile(g.ctx, g.paths[i], nil)
				size.Add(int64(len(files[i].Data)))
			}
		})
	}
	wg.Wait()
	if err := g.ctx.Err(); err != nil {
		return err
	}
	var sources []project.File
	left := 0
	for i, file := range files {
		switch {
		case failed[i] != nil && !errors.Is(failed[i], fs.ErrNotExist):
			g.warn("%s was skipped: %s", tools.VisibleName(g.paths[i]), tools.Failure(failed[i]).Text)
		case failed[i] == nil && file.Path == "":
			left++
		case failed[i] == nil:
			g.tree.files[file.Path] = file
			sources = append(sources, project.File{Path: file.Path, Data: file.Data})
		}
	}
	if left > 0 {
		g.warn("the project has more than %d MB of Python; %d files were skipped", maxTreeBytes>>20, left)
	}
	g.tree.Warnings = g.tree.Warnings[:min(len(g.tree.Warnings), 20)]
	g.tree.Project = project.New(sources)
	return nil
}

// Refusal converts an error of a project query to a refusal for the model.
func Refusal(err error, next string) error {
	var missing *project.NotFoundError
	var ambiguous *project.AmbiguousError
	switch {
	case errors.As(err, &missing):
		return tools.Refuse("%s; %s", missing, next)
	case errors.As(err, &ambiguous):
		return tools.Refuse("%s", ambiguous)
	}
	return err
}

// WarningLines formats warnings as lines to put before a result.
func WarningLines(warnings []string) string {
	var b strings.Builder
	for _, w := range warnings {
		b.WriteString("warning: " + tools.OneLine(w, 500) + "\n")
	}
	return b.String()
}
