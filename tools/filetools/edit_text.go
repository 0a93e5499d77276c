package filetools

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/tools"
	"manualslop/tools/document"
)

// textEdit replaces one text with another.
type textEdit struct {
	old, new string
	all      bool // every occurrence
	count    int  // required number of occurrences, all of which are replaced; 0 means one, or any number if all is set
}

// editMade is the result of an edit.
type editMade struct {
	splices []document.Splice
	lines   []int       // lines where the replaced texts begin
	ranges  []lineRange // lines of the new texts after the edit
	note    string      // how the text was found if it does not occur exactly
}

// lineRange is a range of lines, 1-based and inclusive. If it is empty, its end is before its start.
type lineRange struct {
	Start int `json:"start_line"`
	End   int `json:"end_line"`
}

// String formats the range as answers show it.
func (r lineRange) String() string {
	if r.Start == r.End {
		return fmt.Sprintf("line %d", r.Start)
	}
	return fmt.Sprintf("lines %d–%d", r.Start, r.End)
}

// on finds the text to replace. The error is a Refusal.
func (e textEdit) on(path, text string) (editMade, error) {
	if e.old == e.new {
		return editMade{}, tools.Refuse("old_string and new_string are the same; nothing to change in %s", path)
	}
	lines := document.Lines(text)
	found := occurrencesOf(text, e.old, e.new)
	at := startLines(lines, found)
	switch {
	case len(found) == 0 && !e.all && e.count == 0:
		if made, ok := e.loosely(text, lines); ok {
			return made, nil
		}
		return editMade{}, notFound(path, text, lines, e)
	case len(found) == 0:
		return editMade{}, notFound(path, text, lines, e)
	case e.count > 0 && len(found) != e.count:
		return editMade{}, tools.Refuse("old_string occurs %s in %s, at %s, but expected_count is %d; nothing was replaced",
			times(len(found)), path, lineList(at), e.count)
	case len(found) > 1 && !e.all && e.count == 0:
		return editMade{}, tools.Refuse("old_string occurs %d times in %s, at %s; add text around it to make it unique, or "+
			"set replace_all",
			len(found), path, lineList(at))
	}
	if len(found) == 1 && !e.all && e.count == 0 {
		if again := overlapping(text, e, found[0]); len(again) > 0 {
			return editMade{}, tools.Refuse("old_string occurs more than once in %s, at %s, and the places overlap; add text "+
				"around it to make it unique",
				path, lineList(append(at, startLines(lines, again)...)))
		}
	}
	return editMade{splices: replacements(text, lines, found, e), lines: at}, nil
}

// overlapping finds the occurrences that begin inside another one: "}\n}" occurs twice in "}\n}\n}".
func overlapping(text string, e textEdit, s span) []span {
	behind := s.start + 1
	if strings.HasPrefix(text[s.start:], "\r\n") {
		behind++
	}
	found := occurrencesOf(text[behind:min(len(text), s.end+2*len(e.old))], e.old, e.new)
	for i, f := range found {
		found[i] = span{f.start + behind, f.end + behind}
	}
	return slices.DeleteFunc(found, func(f span) bool { return f.start >= s.end })
}

// String describes the edit for the answer.
func (m editMade) String() string {
	what := "1 occurrence"
	if len(m.lines) != 1 {
		what = fmt.Sprintf("%d occurrences", len(m.lines))
	}
	text := fmt.Sprintf("%s replaced, at %s", what, lineList(m.lines))
	if len(m.ranges) == 1 && m.ranges[0].End != m.lines[0] && m.ranges[0].End >= m.ranges[0].Start {
		text += ", now " + m.ranges[0].String()
	}
	if m.note != "" {
		text += "; note: " + m.note
	}
	return text
}

func (m editMade) data() editData {
	return editData{
		Replacements: len(m.lines), Lines: m.lines[:min(len(m.lines), 100)],
		Ranges: m.ranges[:min(len(m.ranges), 100)], Note: m.note,
	}
}

// in records where the new texts are in the text after the edit.
func (m *editMade) in(after string) {
	lines := document.Lines(after)
	moved := 0
	for _, s := range m.splices {
		start := s.Start + moved
		r := lineRange{Start: document.NumberOf(lines, start)}
		r.End = r.Start - 1
		if s.New != "" {
			r.End = document.NumberOf(lines, start+len(s.New)-1)
		}
		m.ranges = append(m.ranges, r)
		moved += len(s.New) - (s.End - s.Start)
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// span is a byte range of a text.
type span struct{ start, end int }

// occurrencesOf finds the occurrences of old, left to right, without overlaps. All line ends are treated alike,
// unless old and replacement differ only in line ends.
func occurrencesOf(text, old, replacement string) []span {
	if document.WithEnds(old, "\n") == document.WithEnds(replacement, "\n") || !strings.Contains(text, "\r") &&
		!strings.Contains(old, "\r") {
		return findExact(text, old)
	}
	plain, offsets := foldEnds(text)
	found := findExact(plain, document.WithEnds(old, "\n"))
	for i, s := range found {
		found[i] = span{offsets(s.start), offsets(s.end)}
	}
	return found
}

// findExact is like occurrencesOf but compares bytes. An empty text has no occurrences.
func findExact(text, old string) []span {
	var found []span
	if old == "" {
		return nil
	}
	for from := 0; ; {
		at := strings.Index(text[from:], old)
		if at < 0 {
			return found
		}
		found = append(found, span{from + at, from + at + len(old)})
		from += at + len(old)
	}
}

// foldEnds converts every line end to a line feed, and returns a function from offsets in that text to offsets in
// the original. It must be called with increasing offsets.
func foldEnds(text string) (string, func(int) int) {
	var b strings.Builder
	var crlf []int // offsets in the folded text after line ends that were two bytes long
	for i := 0; i < len(text); i++ {
		if text[i] != '\r' {
			b.WriteByte(text[i])
			continue
		}
		b.WriteByte('\n')
		if i+1 < len(text) && text[i+1] == '\n' {
			i++
			crlf = append(crlf, b.Len())
		}
	}
	passed := 0
	return b.String(), func(offset int) int {
		for passed < len(crlf) && crlf[passed] <= offset {
			passed++
		}
		return offset + passed
	}
}

// replacements returns the splices of an edit. The new text gets the line ends of the surrounding text.
func replacements(text string, lines []document.Line, found []span, in textEdit) []document.Splice {
	exact := document.WithEnds(in.old, "\n") == document.WithEnds(in.new, "\n")
	out := make([]document.Splice, len(found))
	for i, s := range found {
		out[i] = document.Splice{Start: s.start, End: s.end, New: in.new}
		if !exact {
			out[i].New = document.WithEnds(in.new, document.LineEnd(text, lines, document.NumberOf(lines, s.start)-1))
		}
	}
	return out
}

func startLines(lines []document.Line, found []span) []int {
	out := make([]int, len(found))
	for i, s := range found {
		out[i] = document.NumberOf(lines, s.start)
	}
	return out
}

// lineList formats line numbers as "line 3" or "lines 3, 7".
func lineList(numbers []int) string {
	if len(numbers) == 1 {
		return "line " + tools.JoinNumbers(numbers)
	}
	return "lines " + tools.JoinNumbers(numbers)
}
