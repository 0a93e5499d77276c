package filetools

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"manualslop/tools"
	"manualslop/tools/sandbox"
)

const (
	defaultTreeDepth = 3
	MaxTreeEntries   = 50_000
)

type getTreeArgs struct {
	Path      string `json:"path" doc:"directory to show, relative to the workspace; . for the workspace itself" min:"1"`
	MaxDepth  int    `json:"max_depth,omitzero" doc:"levels to show; default 3" min:"1" max:"20"`
	Ignored   bool   `json:"include_ignored,omitzero" doc:"also show what .gitignore leaves out, and .git"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, as given at the end of a cut answer" min:"1"`
}

type treeData struct {
	Path      string     `json:"path"`
	Depth     int        `json:"depth"`     // levels shown; fewer than requested if the answer would be too long
	Entries   []treeItem `json:"entries"`   // at most 10,000
	Total     int        `json:"total"`     // number of entries in all levels shown
	Ignored   int        `json:"ignored"`   // number of entries that .gitignore excludes
	Protected int        `json:"protected"` // number of entries left out because of their names
	LeftOut   int        `json:"left_out"`  // number of ignored and protected entries directly in path
	Truncated bool       `json:"truncated"`
}

type treeItem struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Size    int64  `json:"size"`
	Target  string `json:"target,omitempty"`   // target of a link, or a phrase in parentheses
	Hidden  int    `json:"hidden,omitempty"`   // number of entries in a folder at the last level shown
	LeftOut int    `json:"left_out,omitempty"` // number of ignored or protected entries in a folder
}

// GetTree returns the tool that shows the structure of a folder.
func GetTree() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "get_tree", Summary: "Show the structure of a directory up to max_depth levels.",
		Effect: tools.Reads | tools.Wide,
		Doc: "Folders end with a slash; one whose content is below the last level shown is followed by the number " +
			"of its entries, and one with ignored or protected entries by the number of those left out. Links are " +
			"shown as `name -> target` and not followed. Each level is indented by two spaces. If the whole answer would be " +
			"too long, fewer levels are shown and a note says so. What .gitignore leaves out is not shown unless " +
			"include_ignored is set.",
	}, tree)
}

func tree(ctx context.Context, env tools.Env, in getTreeArgs) (tools.Result, error) {
	start, err := env.Workspace.Show(in.Path)
	if err != nil {
		return tools.Result{}, err
	}
	depth := in.MaxDepth
	if depth == 0 {
		depth = defaultTreeDepth
	}
	var entries []sandbox.Entry
	opts := sandbox.WalkOptions{MaxDepth: depth + 1, MaxEntries: MaxTreeEntries, Gitignore: !in.Ignored}
	stats, err := env.Workspace.Walk(ctx, in.Path, opts, func(e sandbox.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return tools.Result{}, err
	}
	return drawTree(start, entries, depth, stats, in.StartLine, env.Limits)
}

// drawTree removes levels until the answer fits. If one level is left, it shows rows by pages.
func drawTree(start string, entries []sandbox.Entry, depth int, stats sandbox.WalkStats, startLine int,
	limits tools.Limits) (tools.Result, error) {
	asked := 0 // existing levels, at most as many as requested
	for _, e := range entries {
		asked = max(asked, min(e.Depth, depth))
	}
	items := treeItems(entries, depth, stats.LeftOut)
	for depth > 1 && !treeFits(items, limits) {
		depth--
		items = treeItems(entries, depth, stats.LeftOut)
	}
	data := treeData{
		Path: start, Depth: depth, Entries: items[:min(len(items), maxTwinEntries)], Total: len(items),
		Ignored: stats.Ignored, Protected: stats.Protected, LeftOut: stats.LeftOut[start],
	}
	data.Truncated = stats.Truncated || depth < asked || len(data.Entries) < len(items)
	rows := []string{strings.TrimSuffix(start, "/") + "/" + unseen(0, data.LeftOut)}
	for _, item := range items {
		rows = append(rows, item.row(start))
	}
	text, err := tools.PageRows(rows, treeNotes(depth, asked, stats), "get_tree", startLine, limits)
	return tools.Result{Text: text, Data: data}, err
}

// treeNotes says what is not shown.
func treeNotes(depth, asked int, stats sandbox.WalkStats) []string {
	var notes, leftOut []string
	if depth < asked {
		notes = append(notes, fmt.Sprintf("… %d of %d levels shown, because more would be too long; call get_tree on a "+
			"subfolder", depth, asked))
	}
	if stats.Truncated {
		notes = append(notes, fmt.Sprintf("… the walk ended after %d entries; call get_tree on a subfolder", stats.Visited))
	}
	if stats.Unread > 0 {
		notes = append(notes, fmt.Sprintf("… %d folders could not be read", stats.Unread))
	}
	if stats.Ignored > 0 {
		leftOut = append(leftOut, entryCount(stats.Ignored)+" by .gitignore (include_ignored=true shows them)")
	}
	if stats.Protected > 0 {
		leftOut = append(leftOut, fmt.Sprintf("%d protected", stats.Protected))
	}
	if len(leftOut) > 0 {
		notes = append(notes, "… left out: "+strings.Join(leftOut, ", "))
	}
	return notes
}

// treeItems keeps the entries down to depth and counts, for each folder at the last level, the entries directly
// below it.
func treeItems(entries []sandbox.Entry, depth int, leftOut map[string]int) []treeItem {
	items := []treeItem{}
	for _, e := range entries {
		if e.Depth <= depth {
			items = append(items, treeItem{Path: e.Path, Kind: e.Kind.String(), Size: e.Size, Target: e.Target,
				LeftOut: leftOut[e.Path]})
		} else if e.Depth == depth+1 {
			// A walk visits parents before children, so the last item is the folder of this entry.
			items[len(items)-1].Hidden++
		}
	}
	return items
}

func treeFits(items []treeItem, limits tools.Limits) bool {
	chars := tools.MarkerChars
	for _, item := range items {
		chars += utf8.RuneCountInString(item.Path) + 20
	}
	return chars <= limits.MaxChars && len(items)+5 <= limits.MaxLines
}

func (t treeItem) row(start string) string {
	rel := inside(start, t.Path)
	name := strings.Repeat("  ", strings.Count(rel, "/")+1) + tools.VisibleName(rel[strings.LastIndexByte(rel, '/')+1:])
	switch t.Kind {
	case sandbox.KindDirectory.String():
		name += "/"
	case sandbox.KindLink.String():
		name += " -> " + tools.VisibleName(t.Target)
	}
	return name + unseen(t.Hidden, t.LeftOut)
}

// unseen describes, after a folder's name, what is not shown of the folder.
func unseen(hidden, leftOut int) string {
	var parts []string
	if hidden > 0 {
		parts = append(parts, entryCount(hidden))
	}
	if leftOut > 0 {
		parts = append(parts, fmt.Sprintf("%d left out", leftOut))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func entryCount(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}
