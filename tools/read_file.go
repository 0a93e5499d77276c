package tools

import (
	"context"
	_ "embed" // for the long text
	"fmt"
	"strings"

	"manualslop/tools/document"
)

//go:embed read_file.md
var readFileDoc string

type readFileArgs struct {
	Path      string `json:"path" doc:"file to read, relative to the workspace" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"first line to show, counted from 1; default 1" min:"1"`
	EndLine   int    `json:"end_line,omitzero" doc:"last line to show, inclusive; default the last" min:"1"`
}

// readFile answers with the text of a file.
func readFile() Tool {
	return Reader(Spec{
		Name: "read_file", Summary: "Read the text of a file.", Effect: Reads, Doc: readFileDoc,
	}, func(ctx context.Context, env Env, in readFileArgs) (Result, error) {
		return slice{tool: "read_file", path: in.Path, from: in.StartLine, to: in.EndLine}.read(ctx, env)
	})
}

// slice is a range of lines that is asked for. Zero means from the first and to the last line.
type slice struct {
	tool     string
	path     string
	from, to int
}

// sliceData is the structured twin of a piece of a file.
type sliceData struct {
	Path      string `json:"path"`
	SHA256    string `json:"sha256"`
	Encoding  string `json:"encoding"`
	Size      int    `json:"size"`
	Lines     int    `json:"lines"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Truncated bool   `json:"truncated"`
	Text      string `json:"text"`
}

func (s slice) read(ctx context.Context, env Env) (Result, error) {
	doc, err := readDocument(ctx, env, s.path)
	if err != nil {
		return Result{}, err
	}
	lines := document.Lines(doc.Text)
	from, to, err := s.within(doc.file.Path, len(lines))
	if err != nil {
		return Result{}, err
	}
	data := sliceData{
		Path: doc.file.Path, SHA256: doc.file.SHA256, Encoding: doc.Encoding, Size: len(doc.file.Data),
		Lines: len(lines), StartLine: from, EndLine: to,
	}
	body := ""
	if to >= from {
		body = strings.ToValidUTF8(doc.Text[lines[from-1].Start:lines[to-1].Next], "\uFFFD")
	}
	text := body
	switch {
	case !fits(body, env.Limits):
		text, body, data.EndLine = s.cut(body, from, to, len(lines), env.Limits)
		data.Truncated = true
	case s.to > len(lines):
		text = closed(body) + fmt.Sprintf("… end of file: %s has %d lines", doc.file.Path, len(lines))
	}
	data.Text = body
	return Result{Text: text, Data: data}, nil
}

// within checks the range against a file of n lines. The empty file has the range 1 to 0.
func (s slice) within(path string, n int) (from, to int, err error) {
	from, to = max(s.from, 1), s.to
	if to == 0 || to > n {
		to = n
	}
	switch {
	case s.to != 0 && s.from > s.to:
		return 0, 0, Refuse("start_line %d is after end_line %d", s.from, s.to)
	case from > n && !(n == 0 && s.from <= 1):
		return 0, 0, Refuse("line %d is out of range: %s has %d lines", from, path, n)
	}
	return from, to, nil
}

// cut shows what fits of a body that begins at line from, and how to go on. last is the last line
// that is shown.
func (s slice) cut(body string, from, to, total int, limits Limits) (text, kept string, last int) {
	kept, count := takeLines(body, document.Lines(body), limits)
	last = from + count - 1
	if last >= to {
		return kept + marker(last+1, last, total, ""), kept, last
	}
	next := fmt.Sprintf("; call %s with start_line=%d", s.tool, last+1)
	if s.to != 0 {
		next += fmt.Sprintf(" and end_line=%d", to)
	}
	return kept + marker(last+1, to, total, next), kept, last
}

// closed ends a text with a line break unless it is empty or has one.
func closed(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\r") {
		return text
	}
	return text + "\n"
}
