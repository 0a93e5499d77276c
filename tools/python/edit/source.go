package edit

import (
	"fmt"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// Error is a request that cannot be carried out. Its one-line text says what to do next.
type Error struct{ Text string }

// Error returns the text.
func (e *Error) Error() string { return e.Text }

func refuse(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Source is a decoded Python file that parses.
type Source struct {
	*python.File
	states []lineState // the state of each line
	// Path names the file in errors.
	Path string
	// Unit is one level of indentation for a text that has no indentation; empty means four spaces.
	Unit string
	// LineEnd is the line end for a text that has none; empty means LF.
	LineEnd string
}

// Change describes how an edit changes one text.
type Change struct {
	// Splices turn the old text into Result. They are empty if the text is already as requested.
	Splices []document.Splice
	// Start and End are the 1-based lines of the new text in Result. For a pure removal, Start is the line after
	// the removed text and End is Start-1.
	Start, End int
	// Result is the whole text after the edit.
	Result string
}

// Open parses text, which must not begin with a byte order mark. It rejects text that does not parse.
func Open(path, text string) (Source, error) {
	source := Source{Path: path}.with(text)
	if problem, broken := source.broken(); broken {
		return Source{}, refuse("%s does not parse (line %d: %s), so its structure is uncertain; repair it with "+
			"edit_file first",
			path, problem.Line, problem.Text)
	}
	return source, nil
}

// broken returns the first syntax error. Errors of tokens and indentation come before grammar errors.
func (s Source) broken() (grammar.Error, bool) {
	if problem, ok := s.Broken(); ok {
		return grammar.Error{Line: s.LineOf(problem.Offset), Text: problem.Text}, true
	}
	if found := grammar.CheckFile(s.File, 1); len(found) > 0 {
		return found[0], true
	}
	return grammar.Error{}, false
}

// with returns a copy of the source with another text.
func (s Source) with(text string) Source {
	s.File = python.Parse(text)
	s.states = statesOf(s.File)
	return s
}

// unit returns one level of indentation for new text.
func (s Source) unit() string {
	for _, unit := range []string{s.IndentUnit(), s.Unit} {
		if unit != "" {
			return unit
		}
	}
	return "    "
}

// index returns the 0-based number of the line that holds the byte at offset.
func (s Source) index(offset int) int { return s.LineOf(offset) - 1 }

// content returns line i (0-based) without its line end.
func (s Source) content(i int) string { return s.Text[s.Lines[i].Start:s.Lines[i].End] }

// inside reports whether line i continues a string, a bracket or a joined line.
func (s Source) inside(i int) bool { return i < len(s.Lines) && s.states[i] != fresh }

// literal reports whether line i begins inside a string.
func (s Source) literal(i int) bool { return i < len(s.Lines) && s.states[i] == inString }

// blank reports whether line i has only spaces and tabs and does not continue another line.
func (s Source) blank(i int) bool {
	return i < len(s.Lines) && strings.Trim(s.content(i), " \t") == "" && !s.inside(i)
}

// comment reports whether line i holds only a comment.
func (s Source) comment(i int) bool {
	return i < len(s.Lines) && strings.HasPrefix(strings.TrimLeft(s.content(i), " \t\f"), "#") && !s.inside(i)
}

// indent returns the indentation of line i.
func (s Source) indent(i int) string { return leading(s.content(i)) }

// last returns the last line of the logical line that holds the byte before
// offset end.
func (s Source) last(end int) int {
	i := s.index(max(end-1, 0))
	for s.inside(i + 1) {
		i++
	}
	return i
}

// lineEnd returns the line end for new text at line i: the line end of that line or of the nearest line that has one.
func (s Source) lineEnd(i int) string {
	if s.LineEnd != "" && !strings.ContainsAny(s.Text, "\r\n") {
		return s.LineEnd
	}
	return document.LineEnd(s.Text, s.Lines, i)
}

// behind returns the offset after line i and its line end; -1 returns the beginning of the text.
func (s Source) behind(i int) int {
	if i < 0 {
		return 0
	}
	return s.Lines[i].Next
}

// finish checks that the result parses and determines the lines of the new text, which is the range from..to of
// the New of the splice with index main.
func (s Source) finish(splices []document.Splice, main, from, to int) (Change, error) {
	result, err := document.Apply(s.Text, splices)
	if err != nil {
		return Change{}, err
	}
	lines := document.Lines(result)
	if problem, broken := s.with(result).broken(); broken {
		return Change{}, refuse("%s would no longer parse (line %d: %s); nothing was written", s.Path, problem.Line,
			problem.Text)
	}
	start := splices[main].Start
	for i, other := range splices {
		if other.Start < splices[main].Start || other.Start == splices[main].Start && i < main {
			start += len(other.New) - (other.End - other.Start)
		}
	}
	change := Change{Result: result, Start: document.NumberOf(lines, start+from)}
	change.End = change.Start - 1
	if to > from {
		change.End = document.NumberOf(lines, start+to-1)
	}
	change.Splices = s.cut(splices)
	return change, nil
}

// cut reduces splices to the bytes that differ and drops those that change nothing.
func (s Source) cut(splices []document.Splice) []document.Splice {
	var out []document.Splice
	for _, splice := range splices {
		least := document.Between(s.Text[splice.Start:splice.End], splice.New)
		if least.Start < least.End || least.New != "" {
			out = append(out, document.Splice{Start: least.Start + splice.Start, End: least.End + splice.Start, New: least.New})
		}
	}
	return out
}

// leading returns the leading blanks of a line.
func leading(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t\f"))]
}

// width returns the column that an indentation reaches, with tab stops every eight columns.
func width(indent string) int {
	column := 0
	for _, c := range indent {
		switch c {
		case '\t':
			column += 8 - column%8
		case '\f':
			column = 0
		default:
			column++
		}
	}
	return column
}
