package project

import (
	"path"
	"slices"
	"strings"

	"manualslop/tools/python/outline"
)

// modules resolves imports to files. A folder with an __init__.py is a package. Other folders that contain Python
// files at any depth are namespace packages and import roots.
type modules struct {
	files   map[string]*Unit    // by path without extension; a .py wins over a .pyi
	stubs   map[string]*Unit    // the same for .pyi files
	folders map[string]bool     // folders that contain Python files at any depth
	tops    map[string][]string // first name of a module → non-package folders that contain it
}

// place is the target of a dotted module name: a module or a namespace package.
type place struct {
	unit   *Unit
	folder string // folder of a package or namespace package; "" if unit is not a package
}

func (at place) found() bool { return at.unit != nil || at.folder != "" }

func newModules(units []*Unit) *modules {
	m := &modules{files: map[string]*Unit{}, stubs: map[string]*Unit{}, folders: map[string]bool{"": true},
		tops: map[string][]string{}}
	for _, u := range units {
		stem, extension := split(u.Path)
		if extension == ".pyi" {
			m.stubs[stem] = u
		} else {
			m.files[stem] = u
		}
		for folder := folderOf(u.Path); folder != "" && !m.folders[folder]; folder = folderOf(folder) {
			m.folders[folder] = true
		}
	}
	for stem, u := range m.stubs {
		if m.files[stem] == nil {
			m.files[stem] = u
		}
	}
	for stem := range m.files {
		m.addTop(stem)
	}
	for folder := range m.folders {
		m.addTop(folder)
	}
	for _, roots := range m.tops {
		slices.SortFunc(roots, nearerRoot)
	}
	return m
}

// addTop records a module or folder that can be imported by its last name alone.
func (m *modules) addTop(at string) {
	root, name := folderOf(at), path.Base(at)
	if at == "" || name == "__init__" || m.isPackage(root) || slices.Contains(m.tops[name], root) {
		return
	}
	m.tops[name] = append(m.tops[name], root)
}

// nearerRoot sorts shallow folders first, then by name.
func nearerRoot(a, b string) int {
	if d := strings.Count(a, "/") - strings.Count(b, "/"); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

func (m *modules) isPackage(folder string) bool {
	return folder != "" && m.files[folder+"/__init__"] != nil
}

// root returns the import root of a file: the nearest folder above it that is not a package.
func (m *modules) root(u *Unit) string {
	folder := folderOf(u.Path)
	for m.isPackage(folder) {
		folder = folderOf(folder)
	}
	return folder
}

// name returns the dotted name by which code under the same root imports a module.
func (m *modules) name(u *Unit) string {
	stem, _ := split(u.Path)
	stem = strings.TrimSuffix(strings.TrimSuffix(stem, "__init__"), "/")
	if root := m.root(u); root != "" {
		stem = strings.TrimPrefix(stem, root+"/")
	}
	return strings.ReplaceAll(stem, "/", ".")
}

// child returns a module or package inside a folder.
func (m *modules) child(folder, name string) place {
	at := join(folder, name)
	if m.isPackage(at) {
		return place{m.files[at+"/__init__"], at}
	}
	if u := m.files[at]; u != nil {
		return place{unit: u}
	}
	if m.folders[at] {
		return place{folder: at}
	}
	return place{}
}

// descend follows a path of names from a folder.
func (m *modules) descend(folder string, names []string) place {
	at := place{folder: folder}
	for i, name := range names {
		if i > 0 && at.folder == "" {
			return place{}
		}
		if at = m.child(at.folder, name); !at.found() {
			return place{}
		}
	}
	return at
}

// absolute resolves "a.b.c" as imported by a file. It also returns the folder that contains a.
func (m *modules) absolute(from *Unit, dotted string) (place, string) {
	names := strings.Split(dotted, ".")
	for _, root := range m.roots(from, names[0]) {
		at := m.descend(root, names)
		if at.unit == nil && outline.InStandardLibrary(names[0]) {
			continue
		}
		if at.found() {
			return at, root
		}
	}
	return place{}, ""
}

// roots lists the folders that are searched for a file's absolute imports: its own root, the folders above it,
// and then any other folders that contain such a module. The last part is a guess and is skipped for names of the
// standard library.
func (m *modules) roots(from *Unit, top string) []string {
	own := m.root(from)
	roots := []string{own}
	for folder := own; folder != ""; {
		folder = folderOf(folder)
		roots = append(roots, folder)
	}
	if outline.InStandardLibrary(top) {
		return roots
	}
	for _, root := range m.tops[top] {
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return append(roots, folderOf(from.Path))
}

// relative resolves the module part of "from ..a import b". level is the number of dots; dotted may be empty.
func (m *modules) relative(from *Unit, level int, dotted string) place {
	folder := folderOf(from.Path)
	for ; level > 1; level-- {
		if folder == "" {
			return place{}
		}
		folder = folderOf(folder)
	}
	if dotted != "" {
		return m.descend(folder, strings.Split(dotted, "."))
	}
	if m.isPackage(folder) {
		return place{m.files[folder+"/__init__"], folder}
	}
	return place{folder: folder}
}

// twin returns the stub of a module, or the module of a stub.
func (m *modules) twin(u *Unit) *Unit {
	stem, extension := split(u.Path)
	if extension != ".pyi" {
		return m.stubs[stem]
	}
	if other := m.files[stem]; other != u {
		return other
	}
	return nil
}

func split(file string) (stem, extension string) {
	extension = path.Ext(file)
	return strings.TrimSuffix(file, extension), extension
}

// folderOf returns the folder of a path, or "" for the top folder.
func folderOf(at string) string {
	if i := strings.LastIndexByte(at, '/'); i >= 0 {
		return at[:i]
	}
	return ""
}

func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}
