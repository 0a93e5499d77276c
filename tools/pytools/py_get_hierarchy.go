package pytools

import (
	"context"
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python/project"
)

type pyGetHierarchyArgs struct {
	Path      string `json:"path" doc:"Python file that defines the class, or folder to search for it and its subclasses; . for the whole workspace" min:"1"`
	ClassName string `json:"class_name" doc:"class: A, Outer.A, pkg.mod.A, A#2 for the second of that name, or path/file.py:A" min:"1" max:"500"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

// PyGetHierarchy returns the tool that shows the bases and subclasses of a class.
func PyGetHierarchy() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "py_get_hierarchy", Summary: "Show what a Python class inherits from and what inherits from it, at any depth, " +
			"across the project.", Effect: tools.Reads | tools.Wide,
		Doc: "Use it before you change a class or a method that subclasses may override. Imports, aliases and " +
			"re-exports are followed, type arguments (`Base[T]`) are left out. With a folder as path, subclasses " +
			"are looked for in it; with a file, in the whole workspace. The answer has the class with its lines, " +
			"the order in which Python looks up members, then bases and subclasses as trees, each class with file " +
			"and lines. `outside` marks bases that are not in the project, such as those of libraries; `cycle` a " +
			"class that is its own ancestor; `repeated` one whose relatives are shown elsewhere in the tree. Where " +
			"several classes have the name, the error lists them.",
	}, hierarchy)
}

func hierarchy(ctx context.Context, env tools.Env, in pyGetHierarchyArgs) (tools.Result, error) {
	if !project.ValidName(in.ClassName) {
		return tools.Result{}, tools.Refuse("%q is not the name of a class; give A, Outer.A or path/file.py:A",
			tools.OneLine(in.ClassName, 100))
	}
	tree, err := ReadTree(ctx, env, in.Path)
	if err != nil {
		return tools.Result{}, err
	}
	within := tree.within
	if tree.isFile {
		within = func(string) bool { return true }
	}
	lookup := tree.within
	if strings.Contains(in.ClassName, ":") {
		lookup = func(string) bool { return true }
	}
	found, err := tree.Hierarchy(ctx, in.ClassName, lookup, within)
	if err != nil {
		return tools.Result{}, Refusal(err, "call py_get_code_outline on the file, or give another path")
	}
	return tools.Paged(WarningLines(tree.Warnings)+hierarchyText(found), found, "py_get_hierarchy", in.StartLine,
		env.Limits)
}

func hierarchyText(h project.Hierarchy) string {
	var b strings.Builder
	fmt.Fprintf(&b, "class %s%s\n", h.Class, metaclassMark(h.Metaclass))
	if len(h.Order) > 1 {
		b.WriteString("lookup order: " + strings.Join(h.Order, ", ") + "\n")
	}
	if len(h.Bases) == 0 {
		b.WriteString("bases: none\n")
	} else {
		b.WriteString("bases:\n")
		writeClasses(&b, h.Bases, 1)
	}
	switch {
	case len(h.Subclasses) == 0:
		b.WriteString("subclasses: none\n")
	default:
		fmt.Fprintf(&b, "subclasses (%d):\n", h.Count)
		writeClasses(&b, h.Subclasses, 1)
	}
	if h.Truncated {
		fmt.Fprintf(&b, "… the search ended after %d subclasses; give a narrower path\n", h.Count)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func metaclassMark(metaclass string) string {
	if metaclass == "" {
		return ""
	}
	return " metaclass=" + tools.OneLine(metaclass, 80)
}

func writeClasses(b *strings.Builder, nodes []project.ClassNode, depth int) {
	for _, n := range nodes {
		b.WriteString(strings.Repeat("  ", min(depth, tools.MaxShownDepth)))
		if n.Class == nil {
			b.WriteString(tools.OneLine(n.Text, 80))
		} else {
			b.WriteString(n.Class.String() + metaclassMark(n.Metaclass))
		}
		if n.Note != "" {
			b.WriteString(" (" + n.Note + ")")
		}
		b.WriteString("\n")
		writeClasses(b, n.Nodes, depth+1)
	}
}
