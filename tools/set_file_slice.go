package tools

import (
	"context"
	_ "embed" // for the long text
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"manualslop/tools/document"
)

//go:embed set_file_slice.md
var setFileSliceDoc string

type setFileSliceArgs struct {
	Path         string `json:"path" doc:"file to change, relative to the workspace" min:"1"`
	StartLine    int    `json:"start_line" doc:"first line to replace, counted from 1" min:"1"`
	EndLine      int    `json:"end_line" doc:"last line to replace, inclusive; start_line-1 inserts before start_line" min:"0"`
	NewContent   string `json:"new_content" doc:"the lines that take their place; empty removes them"`
	ExpectedHash string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	DryRun       bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

// sliceChange is the structured detail of an edit by line numbers.
type sliceChange struct {
	StartLine int `json:"start_line"` // first line of the new text
	EndLine   int `json:"end_line"`   // last line of the new text, start_line-1 where there is none
	Lines     int `json:"lines"`      // of the whole file afterwards
}

// setFileSlice plans the replacement of a range of lines.
func setFileSlice() Tool {
	return Writer(Spec{
		Name: "set_file_slice", Summary: "Replace, insert or remove a range of lines of a file, or create a file.",
		Effect: Writes, Doc: setFileSliceDoc,
	}, planSlice)
}

func planSlice(ctx context.Context, env Env, in setFileSliceArgs) (Plan, error) {
	doc, err := readDocument(ctx, env, in.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return planNewFile(env, in)
	}
	if err != nil {
		return Plan{}, err
	}
	if err := doc.checkHash(in.ExpectedHash); err != nil {
		return Plan{}, err
	}
	lines := document.Lines(doc.Text)
	if err := in.within(doc.file.Path, len(lines)); err != nil {
		return Plan{}, err
	}
	text := replaceLines(doc.Text, lines, in.StartLine, in.EndLine, in.NewContent)
	change, err := doc.change(document.Between(doc.Text, text))
	if err != nil {
		return Plan{}, err
	}
	detail := sliceChange{StartLine: in.StartLine, Lines: len(document.Lines(text))}
	detail.EndLine = in.EndLine + detail.Lines - len(lines)
	return Plan{
		Changes: []Change{change}, DryRun: in.DryRun, Data: detail,
		Summary: "set_file_slice " + doc.file.Path + ": " + detail.describe(in),
	}, nil
}

// planNewFile makes the file where the range is the one of an empty file.
func planNewFile(env Env, in setFileSliceArgs) (Plan, error) {
	shown, err := env.Workspace.Show(in.Path)
	if err != nil {
		return Plan{}, err
	}
	if in.StartLine != 1 || in.EndLine != 0 {
		return Plan{}, Refuse("%s does not exist; start_line=1 and end_line=0 create it", shown)
	}
	if err := checkHash(shown, "", in.ExpectedHash); err != nil {
		return Plan{}, err
	}
	if strings.HasSuffix(in.Path, "/") || strings.HasSuffix(in.Path, `\`) {
		return Plan{}, Refuse("%s ends with a slash; give the name of a file", in.Path)
	}
	lines := len(document.Lines(in.NewContent))
	return Plan{
		Changes: []Change{Create(shown, []byte(in.NewContent), 0)}, DryRun: in.DryRun,
		Data:    sliceChange{StartLine: 1, EndLine: lines, Lines: lines},
		Summary: fmt.Sprintf("set_file_slice %s: new file with %d lines", shown, lines),
	}, nil
}

func (in setFileSliceArgs) within(path string, n int) error {
	switch {
	case in.EndLine < in.StartLine-1:
		return Refuse("end_line %d is before start_line %d; end_line=%d inserts before line %d",
			in.EndLine, in.StartLine, in.StartLine-1, in.StartLine)
	case in.StartLine > n+1 || in.EndLine > n:
		return Refuse("lines %d–%d are out of range: %s has %d lines; start_line=%d and end_line=%d append",
			in.StartLine, in.EndLine, path, n, n+1, n)
	}
	return nil
}

func (c sliceChange) describe(in setFileSliceArgs) string {
	old := fmt.Sprintf("lines %d–%d", in.StartLine, in.EndLine)
	now := fmt.Sprintf("lines %d–%d", c.StartLine, c.EndLine)
	switch {
	case in.EndLine < in.StartLine:
		return fmt.Sprintf("inserted as %s", now)
	case c.EndLine < c.StartLine:
		return old + " removed"
	}
	return old + " replaced, now " + now
}

// replaceLines puts content in the place of lines from to to (1-based). New lines take the line
// end of the text they replace, and the file keeps or keeps lacking the line end of its last line.
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
	if head != "" && !endsLine(head) {
		head += end
	}
	open := tail == "" && text != "" && !endsLine(text)
	switch {
	case open:
		content = strings.TrimSuffix(content, end)
	case !endsLine(content):
		content += end
	}
	return head + content + tail
}

// removed joins what is left around removed lines. Where the last line goes and had no line end,
// the one before loses its own.
func removed(head, tail, text string) string {
	if tail != "" || endsLine(text) || head == text {
		return head + tail
	}
	for _, end := range []string{"\r\n", "\n", "\r"} {
		if cut, ok := strings.CutSuffix(head, end); ok {
			return cut
		}
	}
	return head
}

func endsLine(text string) bool {
	return strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\r")
}
