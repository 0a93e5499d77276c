package builtin

import (
	"context"
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python/project"
	"manualslop/tools/pytools"
)

type deriveCodePathArgs struct {
	Target    string `json:"target" doc:"Python function, method or class: f, A.m, pkg.mod.f, path/file.py:A.m; f#2 for the second of that name" min:"1" max:"500"`
	MaxDepth  int    `json:"max_depth,omitzero" doc:"levels of calls to follow in each direction; default 3" min:"1" max:"20"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

// deriveCodePath returns the tool that shows the calls around a function.
func deriveCodePath() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "derive_code_path", Summary: "Trace the calls around a Python function across the whole project: what it " +
			"calls, level by level, and who calls it.", Effect: tools.Reads | tools.Wide,
		Doc: "Use it to understand what a function causes, or what a change to it can affect. Calls are " +
			"followed through imports, aliases, re-exports, `self`, `super()`, base classes, constructors, " +
			"decorators and simple types (annotations, `x = A()`). The answer has two trees, callees and callers, " +
			"with `name  file:line  called at lines`. `cycle` marks a function that appears above itself in the " +
			"tree, `seen` one whose calls are shown elsewhere, `deep` one at the last level (a larger max_depth " +
			"continues), `cut` one with calls that were left out to stay within the budget. `reference` is a " +
			"function that is passed on instead of called, `decorator` one after @. Calls to builtins and libraries are " +
			"counted, calls whose callee is unknown are listed as unresolved, and calls of the same name on objects of unknown " +
			"type as possible callers.",
	}, codePath)
}

func codePath(ctx context.Context, env tools.Env, in deriveCodePathArgs) (tools.Result, error) {
	if !project.ValidName(in.Target) {
		return tools.Result{}, tools.Refuse("%q is not the name of a function; give f, A.m, pkg.mod.f or path/file.py:A.m",
			tools.OneLine(in.Target, 100))
	}
	tree, err := pytools.ReadTree(ctx, env, ".")
	if err != nil {
		return tools.Result{}, err
	}
	found, err := tree.Calls(ctx, project.CallQuery{Target: in.Target, Depth: in.MaxDepth})
	if err != nil {
		return tools.Result{}, pytools.Refusal(err, "give the name as py_get_code_outline shows it, such as A.m, with the "+
			"file in front: path/file.py:A.m")
	}
	found.Warnings = append(found.Warnings, tree.Warnings...)
	return tools.Paged(callText(found), found, "derive_code_path", in.StartLine, env.Limits)
}

func callText(g project.CallGraph) string {
	var b strings.Builder
	b.WriteString(pytools.WarningLines(g.Warnings))
	fmt.Fprintf(&b, "%s %s:%d, %s in each direction\n", g.Target.Name, tools.VisibleName(g.Target.Path), g.Target.Line,
		tools.Count(g.Depth, "level"))
	writeCalls(&b, "callees", g.Callees)
	writeCalls(&b, "callers", g.Callers)
	writeUnresolved(&b, "possible callers, on objects of unknown type", g.Possible)
	writeUnresolved(&b, "unresolved calls", g.Unresolved)
	if len(g.Library) > 0 {
		var parts []string
		for _, l := range g.Library {
			part := l.Name
			if l.Count > 1 {
				part += fmt.Sprintf(" ×%d", l.Count)
			}
			parts = append(parts, tools.OneLine(part, 100))
		}
		b.WriteString("builtins and libraries: " + strings.Join(parts, ", ") + "\n")
	}
	if g.Truncated {
		b.WriteString("… some calls were left out to stay within the budget; call derive_code_path with a smaller " +
			"max_depth or on one of the callees\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func writeCalls(b *strings.Builder, title string, nodes []project.CallNode) {
	if len(nodes) == 0 {
		b.WriteString(title + ": none\n")
		return
	}
	b.WriteString(title + ":\n")
	writeCallNodes(b, nodes, 1)
}

func writeCallNodes(b *strings.Builder, nodes []project.CallNode, depth int) {
	for _, n := range nodes {
		fmt.Fprintf(b, "%s%s  %s:%d  %s", strings.Repeat("  ", depth), n.Name, tools.VisibleName(n.Path), n.Line,
			sites(n.Calls))
		if n.Mark != "" {
			b.WriteString(" (" + n.Mark + ")")
		}
		b.WriteString("\n")
		writeCallNodes(b, n.Nodes, depth+1)
	}
}

// sites writes the lines of calls, with the kind of each call that is not an ordinary one.
func sites(calls []project.CallSite) string {
	const most = 10
	var parts []string
	for _, c := range calls[:min(len(calls), most)] {
		part := fmt.Sprint(c.Line)
		if c.How != "call" {
			part += " " + c.How
		}
		parts = append(parts, part)
	}
	if more := len(calls) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	word := "line "
	if len(calls) > 1 {
		word = "lines "
	}
	return "at " + word + strings.Join(parts, ", ")
}

func writeUnresolved(b *strings.Builder, title string, list []project.Unresolved) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n", title)
	for _, u := range list {
		in := ""
		if u.In != "" {
			in = " in " + u.In
		}
		fmt.Fprintf(b, "  %s  %s:%d%s\n", tools.OneLine(u.Text, 100), tools.VisibleName(u.Path), u.Line, in)
	}
}
