package pytools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python"
)

type pyGetImportsArgs struct {
	Path      string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

// importedName is one imported name; As is empty if there is no alias.
type importedName struct {
	Name string `json:"name"`
	As   string `json:"as"`
}

// importItem is one imported module; "import a, b" yields two items.
type importItem struct {
	Line        int            `json:"line"`
	Module      string         `json:"module"` // without leading dots
	Level       int            `json:"level"`  // number of leading dots
	Names       []importedName `json:"names"`
	Conditional bool           `json:"conditional"` // inside if, try, a function or the like
}

type importGroups struct {
	Stdlib     []string      `json:"stdlib"`
	ThirdParty []string      `json:"third_party"`
	Local      []localModule `json:"local"`
}

type localModule struct {
	Module string `json:"module"` // with leading dots if it is relative
	Path   string `json:"path"`   // its file in the workspace; empty if not found
}

type importsData struct {
	Modules      []string     `json:"modules"` // each once, sorted; relative ones with leading dots
	Imports      []importItem `json:"imports"`
	Groups       importGroups `json:"groups"`
	TypeChecking []int        `json:"type_checking"` // lines of imports that only a type checker evaluates
	Warnings     []string     `json:"warnings"`
}

// PyGetImports returns the tool that lists the imports of a file.
func PyGetImports() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "py_get_imports", Summary: "List the imports of a Python file: standard library, third-party, and local with " +
			"their files.", Effect: tools.Reads,
		Doc: "One import per line as `from a.b import c as d (line 3)`, in groups `stdlib:`, `third-party:` and " +
			"`local:`, each in the order of the file. Local means relative, or found in the workspace; its file " +
			"follows after `->`. `[conditional]` marks imports inside if, try or a function, `[TYPE_CHECKING]` " +
			"those that only a type checker makes. Imports in strings and calls to `__import__` are not detected.",
	}, imports)
}

func imports(ctx context.Context, env tools.Env, in pyGetImportsArgs) (tools.Result, error) {
	f, err := ReadPython(ctx, env, in.Path)
	if err != nil {
		return tools.Result{}, err
	}
	data := importsData{
		Modules: []string{}, Imports: []importItem{}, TypeChecking: []int{}, Warnings: f.Warnings(),
		Groups: importGroups{Stdlib: []string{}, ThirdParty: []string{}, Local: []localModule{}},
	}
	finder := newModuleFinder(ctx, env, f.Disk.Path)
	rows := map[string][]string{}
	for _, i := range f.Imports() {
		if err := ctx.Err(); err != nil {
			return tools.Result{}, err
		}
		item := f.importItem(i)
		data.Imports = append(data.Imports, item)
		group, files := finder.group(item.Module, item.Level, submodules(i))
		data.add(group, item.dotted(), files)
		row := fmt.Sprintf("  %s (line %d)", importText(i, item), item.Line)
		switch {
		case i.TypeChecking:
			data.TypeChecking = append(data.TypeChecking, item.Line)
			row += " [TYPE_CHECKING]"
		case item.Conditional:
			row += " [conditional]"
		}
		for n, file := range files {
			row += []string{" -> ", ", "}[min(n, 1)] + tools.VisibleName(file)
		}
		rows[group] = append(rows[group], row)
	}
	data.sort()
	return tools.Paged(importsText(f.Disk.Path, rows, data.Warnings), data, "py_get_imports", in.StartLine, env.Limits)
}

func importsText(path string, rows map[string][]string, warnings []string) string {
	var lines []string
	for _, warning := range warnings {
		lines = append(lines, "warning: "+warning)
	}
	if len(rows) == 0 {
		lines = append(lines, "no imports in "+path)
	}
	for _, group := range []string{groupStdlib, groupThirdParty, groupLocal} {
		if len(rows[group]) > 0 {
			lines = append(append(lines, group+":"), rows[group]...)
		}
	}
	return strings.Join(lines, "\n")
}

func (f PythonFile) importItem(i python.Import) importItem {
	item := importItem{
		Line: f.LineOf(i.Statement.Start), Module: i.Module, Level: i.Level, Names: []importedName{},
		Conditional: i.Conditional,
	}
	for _, n := range i.Names {
		item.Names = append(item.Names, importedName{n.Name, n.As})
	}
	return item
}

// dotted returns the module as written in the source.
func (i importItem) dotted() string { return strings.Repeat(".", i.Level) + i.Module }

// submodules returns the names in "from a import b, c", each of which may be a submodule of a.
func submodules(i python.Import) []string {
	var names []string
	for _, n := range i.Names {
		if i.From {
			names = append(names, n.Name)
		}
	}
	return names
}

// importText returns the import as a one-line statement.
func importText(i python.Import, item importItem) string {
	var names []string
	for _, n := range item.Names {
		if n.As != "" {
			n.Name += " as " + n.As
		}
		names = append(names, n.Name)
	}
	if i.From {
		return "from " + item.dotted() + " import " + strings.Join(names, ", ")
	}
	return "import " + strings.Join(names, ", ")
}

func (d *importsData) add(group, module string, files []string) {
	d.Modules = append(d.Modules, module)
	switch {
	case group == groupStdlib:
		d.Groups.Stdlib = append(d.Groups.Stdlib, module)
	case group == groupThirdParty:
		d.Groups.ThirdParty = append(d.Groups.ThirdParty, module)
	case len(files) == 0:
		d.Groups.Local = append(d.Groups.Local, localModule{Module: module})
	}
	for _, file := range files {
		d.Groups.Local = append(d.Groups.Local, localModule{module, file})
	}
}

// sort sorts every list of modules and removes duplicates.
func (d *importsData) sort() {
	for _, list := range []*[]string{&d.Modules, &d.Groups.Stdlib, &d.Groups.ThirdParty} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	slices.SortFunc(d.Groups.Local, func(a, b localModule) int {
		return strings.Compare(a.Module+"\x00"+a.Path, b.Module+"\x00"+b.Path)
	})
	d.Groups.Local = slices.Compact(d.Groups.Local)
}
