package filetools

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"manualslop/tools"
	"manualslop/tools/document"
)

// maxLineChars is the length in characters of the longest line that is shown whole.
const maxLineChars = 2_000

// slice is a requested range of lines. Zero means the first or the last line.
type slice struct {
	tool     string
	path     string
	from, to int
	info     bool
}

// sliceData is the structured result for a range of lines.
type sliceData struct {
	Path      string   `json:"path"`
	SHA256    string   `json:"sha256"`
	Encoding  string   `json:"encoding"`
	Size      int      `json:"size"`
	Lines     int      `json:"lines"`
	LineEnds  string   `json:"line_ends"` // lf, crlf, cr, mixed or none
	StartLine int      `json:"start_line"`
	EndLine   int      `json:"end_line"`
	Truncated bool     `json:"truncated"`
	CutLines  []int    `json:"cut_lines"` // lines that were too long to be shown whole
	Notes     []string `json:"notes"`     // what is special about the file
	Text      string   `json:"text"`
}

func (s slice) read(ctx context.Context, env tools.Env) (tools.Result, error) {
	doc, err := tools.ReadDocument(ctx, env, s.path)
	if err != nil {
		return tools.Result{}, err
	}
	lines, total := document.LinesFrom(doc.Text, max(s.from, 1), env.Limits.MaxLines+1)
	from, to, err := s.within(doc.Disk.Path, total)
	if err != nil {
		return tools.Result{}, err
	}
	data := sliceData{
		Path: doc.Disk.Path, SHA256: doc.Disk.SHA256, Encoding: doc.Encoding, Size: len(doc.Disk.Data),
		Lines: total, LineEnds: lineEndsOf(doc.Text), StartLine: from, EndLine: to, CutLines: []int{},
		Notes: notesOn(doc, total),
	}
	body, end, cut := shorten(doc.Text, lines, from, to, env.Limits.MaxChars)
	data.CutLines = append(data.CutLines, cut...)
	note, limits := data.note(s.info), env.Limits
	limits.MaxChars -= utf8.RuneCountInString(note) + 2
	limits.MaxLines--
	if note == "" || limits.MaxChars < tools.LeastMaxChars || limits.MaxLines < tools.LeastMaxLines {
		note, limits = "", env.Limits
	}
	tail := note
	switch {
	case end < to || !tools.Fits(body, limits):
		tail, body, data.EndLine = s.cut(body, from, to, total, limits)
		data.Truncated = true
		if note != "" {
			tail = note + "\n" + tail
		}
	case s.to > total:
		tail = strings.TrimPrefix(note+"\n"+fmt.Sprintf("… end of file: %s has %s", doc.Disk.Path, tools.LineCount(total)),
			"\n")
	}
	data.Text = body
	if tail != "" {
		body = Closed(body) + tail
	}
	return tools.Result{Text: body, Data: data}, nil
}

// within checks the range against a file of n lines. An empty file has the range 1 to 0.
func (s slice) within(path string, n int) (from, to int, err error) {
	from, to = max(s.from, 1), s.to
	if to == 0 || to > n {
		to = n
	}
	switch {
	case s.to != 0 && s.from > s.to:
		return 0, 0, tools.Refuse("start_line %d is after end_line %d", s.from, s.to)
	case from > n && !(n == 0 && s.from <= 1):
		return 0, 0, tools.Refuse("line %d is out of range: %s has %s", from, path, tools.LineCount(n))
	}
	return from, to, nil
}

// shorten formats lines for display, the first of which has number from: long ones are cut in the middle, and
// invalid bytes are replaced. It stops after line end, which is before to if the rest certainly exceeds the
// limits; body then has slightly more text than fits.
func shorten(text string, lines []document.Line, from, to, maxChars int) (body string, end int, cut []int) {
	var b strings.Builder
	end = from - 1
	b.Grow(min(len(text), maxChars))
	size, chars := 0, 0
	for _, l := range lines {
		if end == to || size > maxChars*utf8.UTFMax {
			break
		}
		end++
		piece := text[l.Start:l.Next]
		if l.End-l.Start > maxLineChars && utf8.RuneCountInString(text[l.Start:l.End]) > maxLineChars {
			piece = cutLine(text[l.Start:l.End]) + text[l.End:l.Next]
			cut = append(cut, end)
		}
		size += len(piece)
		if chars <= maxChars {
			if !utf8.ValidString(piece) {
				piece = strings.ToValidUTF8(piece, "\uFFFD")
			}
			chars += utf8.RuneCountInString(piece)
			b.WriteString(piece)
		}
	}
	return b.String(), end, cut
}

// cutLine returns the beginning and the end of a long line, and the number of bytes in between.
func cutLine(text string) string {
	const half = maxLineChars/2 - 25 // room for the text in between
	head, tail := 0, len(text)
	for range half {
		_, size := utf8.DecodeRuneInString(text[head:])
		head += size
		_, size = utf8.DecodeLastRuneInString(text[:tail])
		tail -= size
	}
	return fmt.Sprintf("%s … %d bytes of this line not shown … %s", text[:head], tail-head, text[tail:])
}

// cut returns the part of a body that fits, and how to continue. The body begins at line from. last is the last
// line that is shown.
func (s slice) cut(body string, from, to, total int, limits tools.Limits) (more, kept string, last int) {
	kept, count := tools.TakeLines(body, document.Lines(body), limits)
	last = from + count - 1
	if last >= to {
		return tools.Marker(last+1, last, total, ""), kept, last
	}
	next := fmt.Sprintf("; call %s with start_line=%d", s.tool, last+1)
	if s.to != 0 {
		next += fmt.Sprintf(" and end_line=%d", to)
	}
	return tools.Marker(last+1, to, total, next), kept, last
}

// Closed appends a line end to a text, unless the text is empty or already ends with one.
func Closed(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\r") {
		return text
	}
	return text + "\n"
}
