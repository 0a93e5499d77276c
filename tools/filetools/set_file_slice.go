package filetools

import (
	"context"
	_ "embed" // for the tool's documentation
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"manualslop/tools"
	"manualslop/tools/document"
)

//go:embed set_file_slice.md
var setFileSliceDoc string

type setFileSliceArgs struct {
	Path          string `json:"path" doc:"file to change, relative to the workspace" min:"1"`
	StartLine     int    `json:"start_line" doc:"first line to replace, counted from 1" min:"1"`
	EndLine       int    `json:"end_line" doc:"last line to replace, inclusive; start_line-1 inserts before start_line" min:"0"`
	NewContent    string `json:"new_content" doc:"the lines that take their place; empty removes them"`
	ExpectedFirst string `json:"expected_first_line,omitzero" doc:"expected text of line start_line, ignoring blanks around it; guards against stale numbers"`
	ExpectedLast  string `json:"expected_last_line,omitzero" doc:"expected text of line end_line, ignoring blanks around it"`
	ExpectedHash  string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	Force         bool   `json:"force,omitzero" doc:"write a Python file even if it would not parse"`
	DryRun        bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

// sliceChange is the structured result of an edit by line numbers.
type sliceChange struct {
	StartLine int `json:"start_line"` // first line of the new text
	EndLine   int `json:"end_line"`   // last line of the new text; start_line-1 if there is none
	Lines     int `json:"lines"`      // number of lines of the file after the edit
}

// SetFileSlice returns the tool that replaces a range of lines.
func SetFileSlice() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "set_file_slice", Summary: "Replace, insert or remove a range of lines of a file, or create a file.",
		Effect: tools.Writes, Doc: setFileSliceDoc,
	}, planSlice)
}

func planSlice(ctx context.Context, env tools.Env, in setFileSliceArgs) (tools.Plan, error) {
	doc, err := tools.ReadDocument(ctx, env, in.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return planNewFile(env, in)
	}
	if err != nil {
		return tools.Plan{}, err
	}
	if err := doc.CheckHash(in.ExpectedHash); err != nil {
		return tools.Plan{}, err
	}
	lines := document.Lines(doc.Text)
	if err := in.within(doc.Disk.Path, len(lines)); err != nil {
		return tools.Plan{}, err
	}
	if err := in.guard(doc, lines); err != nil {
		return tools.Plan{}, err
	}
	text := replaceLines(doc.Text, lines, in.StartLine, in.EndLine, in.NewContent)
	next, err := doc.Edited([]document.Splice{document.Between(doc.Text, text)})
	if err != nil {
		return tools.Plan{}, err
	}
	change, err := doc.ChangeTo(next, in.Force)
	if err != nil {
		return tools.Plan{}, err
	}
	detail := sliceChange{StartLine: in.StartLine, Lines: len(document.Lines(text))}
	detail.EndLine = in.EndLine + detail.Lines - len(lines)
	return tools.Plan{
		Changes: []tools.Change{change}, DryRun: in.DryRun, Data: detail,
		Summary: "set_file_slice " + doc.Disk.Path + ": " + detail.describe(in),
	}, nil
}

// planNewFile plans to create the file if the range is that of an empty file.
func planNewFile(env tools.Env, in setFileSliceArgs) (tools.Plan, error) {
	shown, err := env.Workspace.Show(in.Path)
	if err != nil {
		return tools.Plan{}, err
	}
	if err := in.checkNew(shown); err != nil {
		return tools.Plan{}, err
	}
	lines := len(document.Lines(in.NewContent))
	return tools.Plan{
		Changes: []tools.Change{tools.Create(shown, []byte(in.NewContent), 0)}, DryRun: in.DryRun,
		Data:    sliceChange{StartLine: 1, EndLine: lines, Lines: lines},
		Summary: fmt.Sprintf("set_file_slice %s: new file with %s", shown, tools.LineCount(lines)),
	}, nil
}

// checkNew rejects a request that cannot create a file.
func (in setFileSliceArgs) checkNew(shown string) error {
	if in.StartLine != 1 || in.EndLine != 0 {
		return tools.Refuse("%s does not exist; start_line=1 and end_line=0 create it", shown)
	}
	if err := tools.CheckHash(shown, "", in.ExpectedHash); err != nil {
		return err
	}
	if strings.HasSuffix(in.Path, "/") || strings.HasSuffix(in.Path, `\`) {
		return tools.Refuse("%s ends with a slash; give the name of a file", in.Path)
	}
	if in.ExpectedFirst+in.ExpectedLast != "" {
		return tools.Refuse("%s does not exist, but an expected line was given", shown)
	}
	if strings.IndexByte(in.NewContent, 0) >= 0 {
		return tools.Refuse("the new text for %s contains a NUL character, which would make the file binary", shown)
	}
	if doc, problem := tools.DecodeFile(shown, []byte(in.NewContent)); problem != nil ||
		doc.Text != strings.TrimPrefix(in.NewContent, "\uFEFF") {
		return tools.Refuse("%s would declare an encoding, but new files are written as UTF-8; leave the declaration out",
			shown)
	}
	if in.Force {
		return nil
	}
	return tools.RefuseUnlessForced(shown, "", in.NewContent)
}

// guard rejects an edit if the lines differ from the expected ones.
func (in setFileSliceArgs) guard(doc tools.TextFile, lines []document.Line) error {
	for _, g := range []struct {
		argument, want string
		number         int
	}{{"expected_first_line", in.ExpectedFirst, in.StartLine}, {"expected_last_line", in.ExpectedLast, in.EndLine}} {
		want := strings.TrimSpace(g.want)
		if want == "" {
			continue
		}
		have := "there is no such line"
		if g.number >= 1 && g.number <= len(lines) {
			line := doc.Text[lines[g.number-1].Start:lines[g.number-1].End]
			if strings.TrimSpace(line) == want {
				continue
			}
			have = fmt.Sprintf("that is %q", tools.OneLine(strings.TrimSpace(line), 120))
		}
		return tools.Refuse("line %d of %s is not the %s: %s%s; read the lines again", g.number, doc.Disk.Path, g.argument,
			have, whereLine(doc.Text, lines, want))
	}
	return nil
}

// whereLine says which lines equal the expected one.
func whereLine(text string, lines []document.Line, want string) string {
	var at []int
	for i, l := range lines {
		if strings.TrimSpace(text[l.Start:l.End]) == want {
			at = append(at, i+1)
		}
	}
	if len(at) == 0 {
		return ", and no line matches the expected one"
	}
	return ", and the expected line is at " + lineList(at)
}

func (in setFileSliceArgs) within(path string, n int) error {
	switch {
	case in.EndLine < in.StartLine-1:
		return tools.Refuse("end_line %d is before start_line %d; end_line=%d inserts before line %d",
			in.EndLine, in.StartLine, in.StartLine-1, in.StartLine)
	case in.StartLine > n+1 || in.EndLine > n:
		return tools.Refuse("lines %d–%d are out of range: %s has %d lines; start_line=%d and end_line=%d append",
			in.StartLine, in.EndLine, path, n, n+1, n)
	}
	return nil
}

func (c sliceChange) describe(in setFileSliceArgs) string {
	old, now := lineRange{in.StartLine, in.EndLine}, lineRange{c.StartLine, c.EndLine}
	switch {
	case in.EndLine < in.StartLine:
		return "inserted as " + now.String()
	case c.EndLine < c.StartLine:
		return old.String() + " removed"
	case old == now:
		return old.String() + " replaced"
	}
	return fmt.Sprintf("%s replaced, now %s", old, now)
}

// replaceLines replaces the 1-based lines from to to with content. New lines take the line end of the text they
// replace. Whether the last line has a line end does not change.
func replaceLines(text string, lines []document.Line, from, to int, content string) string {
	end := document.LineEnd(text, lines, from-1)
	start := len(text)
	if from <= len(lines) {
		start = lines[from-1].Start
	}
	stop := start
	if to >= from {
		stop = lines[to-1].Next
	}
	head, tail := text[:start], text[stop:]
	content = document.WithEnds(content, end)
	if content == "" {
		return removed(head, tail, text)
	}
	if head != "" && !tools.EndsLine(head) {
		head += end
	}
	open := tail == "" && text != "" && !tools.EndsLine(text)
	switch {
	case open:
		content = strings.TrimSuffix(content, end)
	case !tools.EndsLine(content):
		content += end
	}
	return head + content + tail
}

// removed joins the text before and after removed lines. If the last line is removed and had no line end, the
// previous line loses its own.
func removed(head, tail, text string) string {
	if tail != "" || tools.EndsLine(text) || head == text {
		return head + tail
	}
	for _, end := range []string{"\r\n", "\n", "\r"} {
		if cut, ok := strings.CutSuffix(head, end); ok {
			return cut
		}
	}
	return head
}
