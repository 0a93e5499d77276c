package pytools

import (
	"context"
	"path"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python/outline"
	"manualslop/tools/sandbox"
)

// Groups of imported modules.
const (
	groupStdlib     = "stdlib"
	groupThirdParty = "third-party"
	groupLocal      = "local"
)

// maxLevel limits the leading dots of imports that are resolved.
const maxLevel = 100

// moduleFinder finds the workspace files that the imports of one file refer to. It looks only at file names: next
// to the file, at the root of its package and in the folders above.
type moduleFinder struct {
	ctx    context.Context
	env    tools.Env
	folder string // folder of the importing file
	roots  []string
	known  map[string]sandbox.EntryKind // what exists at a path; 0 for nothing
}

func newModuleFinder(ctx context.Context, env tools.Env, file string) *moduleFinder {
	m := &moduleFinder{ctx: ctx, env: env, folder: path.Dir(file), known: map[string]sandbox.EntryKind{}}
	root := m.folder
	for m.isPackage(root) && root != path.Dir(root) {
		root = path.Dir(root)
	}
	for ; m.kind(root) == sandbox.KindDirectory; root = path.Dir(root) {
		m.roots = append(m.roots, root)
		if root == path.Dir(root) {
			break
		}
	}
	for _, root := range m.roots {
		if source := path.Join(root, "src"); m.kind(source) == sandbox.KindDirectory && source != m.folder {
			m.roots = append(m.roots, source)
		}
	}
	return m
}

func (m *moduleFinder) kind(at string) sandbox.EntryKind {
	kind, known := m.known[at]
	if !known && m.ctx.Err() == nil {
		if entry, err := m.env.Workspace.Stat(at); err == nil {
			kind = entry.Kind
		}
		m.known[at] = kind
	}
	return kind
}

func (m *moduleFinder) isPackage(folder string) bool {
	return m.kind(path.Join(folder, "__init__.py")) == sandbox.KindFile
}

// file returns the file of a module that is imported with the given number of leading dots, or "" if it is not in
// the workspace. The result for a folder without __init__.py ends with a slash.
func (m *moduleFinder) file(module string, level int) string {
	if level > maxLevel {
		return ""
	}
	if level > 0 {
		folder := m.folder
		for range level - 1 {
			folder = path.Join(folder, "..")
		}
		return m.below(folder, module)
	}
	roots := m.roots
	if top, _, _ := strings.Cut(module, "."); outline.InStandardLibrary(top) {
		// Only a regular module or package next to the file shadows a module of the standard library.
		roots = roots[:min(len(roots), 1)]
		if len(roots) == 0 || !isFile(m.below(roots[0], top)) {
			return ""
		}
	}
	for _, root := range roots {
		if at := m.below(root, module); at != "" {
			return at
		}
	}
	return ""
}

// isFile reports whether a result of below is a file, rather than a folder or nothing.
func isFile(found string) bool { return found != "" && !strings.HasSuffix(found, "/") }

// below resolves a dotted name in a folder to a package, a module or a folder.
func (m *moduleFinder) below(folder, module string) string {
	at := path.Join(folder, strings.ReplaceAll(module, ".", "/"))
	isFolder := m.kind(at) == sandbox.KindDirectory
	var names []string
	if isFolder {
		names = append(names, path.Join(at, "__init__.py"), path.Join(at, "__init__.pyi"))
	}
	if module != "" {
		names = append(names, at+".py", at+".pyi")
	}
	for _, name := range names {
		if m.kind(name) == sandbox.KindFile {
			return name
		}
	}
	if isFolder {
		return at + "/"
	}
	return ""
}

// group returns the group of a module and, for a local module, the files that are imported: those of the imported
// names that are modules, and the module itself if other names are imported. Relative imports are always local.
func (m *moduleFinder) group(module string, level int, names []string) (group string, files []string) {
	file := m.file(module, level)
	folder, isFolder := strings.CutSuffix(file, "/")
	if !isFolder {
		folder = path.Dir(file)
	}
	others := len(names) == 0
	for _, name := range names {
		inside := ""
		if isFolder || strings.HasPrefix(path.Base(file), "__init__.") {
			inside = m.below(folder, name)
		}
		if name == "*" || !isFile(inside) {
			others = true
			continue
		}
		files = append(files, inside)
	}
	if others && file != "" && !isFolder {
		files = append([]string{file}, files...)
	}
	switch {
	case len(files) > 0 || level > 0:
		return groupLocal, files
	case outline.InStandardLibrary(module):
		return groupStdlib, nil
	}
	return groupThirdParty, nil
}
