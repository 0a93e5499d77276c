package pytools

import (
	"context"
	_ "embed" // for the tool's documentation
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python/project"
)

//go:embed py_find_usages.md
var pyFindUsagesDoc string

type pyFindUsagesArgs struct {
	Path      string `json:"path" doc:"Python file or folder to search, relative to the workspace; . for all of it" min:"1"`
	Name      string `json:"name" doc:"name of a function, class, variable or attribute; a dotted name means one of them: A.m, mod.f, path/file.py:A.m" min:"1" max:"500"`
	Strings   bool   `json:"include_strings,omitzero" doc:"also list the name as a word in strings and comments"`
	Others    bool   `json:"include_others,omitzero" doc:"also list uses of the name that are known to mean something else, such as local variables"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

// PyFindUsages returns the tool that lists the uses of a name.
func PyFindUsages() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "py_find_usages", Summary: "Find where a Python name is used: every token of that name, with what it does " +
			"there and in which function.", Effect: tools.Reads | tools.Wide,
		Doc: pyFindUsagesDoc,
	}, findUsages)
}

func findUsages(ctx context.Context, env tools.Env, in pyFindUsagesArgs) (tools.Result, error) {
	if !project.ValidName(in.Name) {
		return tools.Result{}, tools.Refuse("%q is not a Python name; call find_text to search for any text",
			tools.OneLine(in.Name, 100))
	}
	tree, err := ReadTree(ctx, env, in.Path)
	if err != nil {
		return tools.Result{}, err
	}
	found, err := tree.Usages(ctx, project.UsageQuery{Name: in.Name, Within: tree.within, Strings: in.Strings,
		Others: in.Others})
	if err != nil {
		return tools.Result{}, Refusal(err, "call py_find_usages with the last part of the name alone to see every use")
	}
	found.Warnings = append(found.Warnings, tree.Warnings...)
	return tools.Paged(usagesText(found, tree.at), found, "py_find_usages", in.StartLine, env.Limits)
}

func usagesText(found project.Usages, at string) string {
	var b strings.Builder
	b.WriteString(WarningLines(found.Warnings))
	fmt.Fprintf(&b, "%s of %s in %s", tools.Count(found.Total, "usage"), found.Name, tools.VisibleName(at))
	if len(found.Files) > 1 {
		fmt.Fprintf(&b, ", %s", tools.FileCount(len(found.Files)))
	}
	if found.Possible > 0 {
		fmt.Fprintf(&b, ", %d of them possible, because their types are unknown", found.Possible)
	}
	b.WriteString("\n")
	const most = 10
	for _, d := range found.Targets[:min(len(found.Targets), most)] {
		fmt.Fprintf(&b, "means %s %s\n", d.Kind, d)
	}
	if more := len(found.Targets) - most; more > 0 {
		fmt.Fprintf(&b, "and %d more meanings; name one as mod.f, A.m or path/file.py:A.m\n", more)
	}
	for _, f := range found.Files {
		fmt.Fprintf(&b, "%s\n", tools.VisibleName(f.Path))
		for _, u := range f.Usages {
			b.WriteString(usageRow(u))
		}
	}
	shown := 0
	for _, f := range found.Files {
		for _, u := range f.Usages {
			if u.Certainty == project.Other {
				shown++
			}
		}
	}
	if found.Others > shown {
		fmt.Fprintf(&b, "… not shown: %s of this name that mean something else; include_others=true shows them\n",
			tools.Count(found.Others, "occurrence"))
	}
	if found.Mentions > 0 && !mentionsShown(found) {
		fmt.Fprintf(&b, "… not shown: %s in strings and comments; include_strings=true shows them\n",
			tools.Count(found.Mentions, "mention"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func mentionsShown(found project.Usages) bool {
	for _, f := range found.Files {
		for _, u := range f.Usages {
			if u.Certainty == project.Mention {
				return true
			}
		}
	}
	return false
}

func usageRow(u project.Usage) string {
	kind := u.Kind
	if u.Certainty == project.Possible || u.Certainty == project.Other {
		kind += ", " + u.Certainty
	}
	in := ""
	if u.In != "" {
		in = " in " + u.In
	}
	return fmt.Sprintf("  %d: [%s]%s: %s\n", u.Line, kind, in, tools.OneLine(u.Text, 200))
}
