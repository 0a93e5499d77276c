package pytools

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python"
	"manualslop/tools/python/project"
)

// maxBaseFiles limits the files that are read to find the bases of a class.
const maxBaseFiles = 60

// baseFinder collects the files that may define the bases of a file's classes, by following imports.
type baseFinder struct {
	ctx   context.Context
	env   tools.Env
	files map[string]PythonFile
	left  []wantedFrom // files still to be read, in order
}

// wantedFrom is a file with the names that another file imports from it.
type wantedFrom struct {
	path  string
	names map[string]bool
}

// ancestor is a class that another one inherits from.
type ancestor struct {
	file   PythonFile
	symbol *python.Symbol
}

// ancestry returns the direct bases of a class, as written and with their definitions, and all its ancestors
// within the workspace in Python's lookup order for members.
func ancestry(ctx context.Context, env tools.Env, f PythonFile, s *python.Symbol) ([]project.ClassNode, []ancestor,
	error) {
	finder := baseFinder{ctx: ctx, env: env, files: map[string]PythonFile{f.Disk.Path: f}}
	finder.follow(f, map[string]bool{})
	for len(finder.left) > 0 && len(finder.files) < maxBaseFiles {
		next := finder.left[0]
		finder.left = finder.left[1:]
		if err := finder.read(next); err != nil {
			return nil, nil, err
		}
	}
	var files []project.File
	for path, file := range finder.files {
		files = append(files, project.File{Path: path, Data: file.Disk.Data})
	}
	name := fmt.Sprintf("%s:%s#%d", f.Disk.Path, s.Path, s.Ordinal)
	found, err := project.New(files).Hierarchy(ctx, name, func(p string) bool { return p == f.Disk.Path },
		func(string) bool { return false })
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, nil // package project rejects the name, so the bases stay unknown
	}
	var out []ancestor
	for _, at := range found.Order[min(len(found.Order), 1):] {
		colon := strings.LastIndexByte(at, ':')
		file := finder.files[at[:colon]]
		if symbols := file.Find(at[colon+1:]); len(symbols) > 0 {
			out = append(out, ancestor{file, symbols[len(symbols)-1]})
		}
	}
	return found.Bases, out, nil
}

// read adds a file, the packages that contain it, and the files that its bases need. It skips files that cannot
// be read.
func (b *baseFinder) read(next wantedFrom) error {
	_, known := b.files[next.path]
	if known {
		return b.ctx.Err()
	}
	f, err := ReadPython(b.ctx, b.env, next.path)
	if err != nil {
		if b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		return nil
	}
	b.files[f.Disk.Path] = f
	b.follow(f, next.names)
	return nil
}

// follow finds the imports of a file that bind names in the header of one of its classes, or names that are
// wanted from it.
func (b *baseFinder) follow(f PythonFile, wanted map[string]bool) {
	names := map[string]bool{}
	for name := range wanted {
		names[name] = true
	}
	for _, s := range f.Symbols {
		if s.Kind != python.KindClass {
			continue
		}
		for t := range f.Tokens(s.Statement.Header) {
			if t.Kind == python.Name {
				names[python.Normalize(t.Of(f.Text))] = true
			}
		}
	}
	finder := newModuleFinder(b.ctx, b.env, f.Disk.Path)
	for folder := path.Dir(f.Disk.Path); finder.isPackage(folder); folder = path.Dir(folder) {
		b.left = append(b.left, wantedFrom{path.Join(folder, "__init__.py"), nil})
	}
	for _, i := range f.Imports() {
		if !slices.ContainsFunc(i.Names, func(n python.ImportedName) bool { return n.Name == "*" || names[n.Bound()] }) {
			continue
		}
		from := map[string]bool{}
		for name := range names {
			from[name] = true
		}
		for _, n := range i.Names {
			from[n.Name] = true
		}
		_, files := finder.group(i.Module, i.Level, submodules(i))
		for _, file := range files {
			b.left = append(b.left, wantedFrom{file, from})
		}
	}
}
