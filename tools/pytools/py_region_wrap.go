package pytools

import (
	"context"
	"fmt"

	"manualslop/tools"
)

type pyRegionWrapArgs struct {
	Path         string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	StartLine    int    `json:"start_line" doc:"first line of the region, counted from 1" min:"1"`
	EndLine      int    `json:"end_line" doc:"last line of the region, inclusive" min:"1"`
	RegionName   string `json:"region_name" doc:"what the region is called; one line" min:"1" max:"200"`
	ExpectedHash string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	DryRun       bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

// PyRegionWrap returns the tool that puts region markers around lines.
func PyRegionWrap() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "py_region_wrap", Summary: "Wrap lines of a Python file in #region and #endregion comments.",
		Effect: tools.Writes,
		Doc: "A line `#region NAME` is put above `start_line` and `#endregion` below `end_line`, at the indentation of the " +
			"block. Line numbers shift with every edit, so read the lines first or give `expected_hash`.\n\n" +
			"The lines must be whole statements of one block. A range that begins or ends inside a string, a bracket or a " +
			"joined line, cuts a statement (or a decorator from its function, or `else` from its `if`), or crosses another " +
			"region is refused, and the error names the right lines. Regions may be nested. The answer is the new SHA-256, the " +
			"lines with the markers and a diff.",
	}, promptly(planRegion))
}

func planRegion(ctx context.Context, env tools.Env, in pyRegionWrapArgs) (tools.Plan, error) {
	p, err := openEdit(ctx, env, in.Path, in.ExpectedHash)
	if err != nil {
		return tools.Plan{}, err
	}
	change, err := p.source.WrapRegion(in.StartLine, in.EndLine, in.RegionName)
	if err != nil {
		return tools.Plan{}, refused(err)
	}
	return p.plan(change, in.DryRun, p.data(in.RegionName, change),
		fmt.Sprintf("py_region_wrap %s: region %s is now %s", p.Disk.Path, in.RegionName, linesOf(change)))
}
