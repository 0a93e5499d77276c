package edit

import (
	"slices"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// Update replaces a definition. Its decorators stay unless content has its own, and the comment lines above it
// stay unless content begins with comments.
func (s Source) Update(name, content string) (Change, error) {
	symbol, err := s.definition(name)
	if err != nil {
		return Change{}, err
	}
	fr, err := newFragment("new_content", content)
	if err != nil {
		return Change{}, err
	}
	statements, err := fr.definitions(symbol.Name)
	if err != nil {
		return Change{}, err
	}
	if len(statements) > 1 {
		return Change{}, refuse("new_content defines '%s' %d times; give one definition, and add the others with py_add_def",
			symbol.Name, len(statements))
	}
	lines := fr.at(s.layout(symbol.Statement))
	old := symbol.Statement
	start, end := old.Start, s.end(old)
	if len(statements[0].Decorators) > 0 {
		start = old.OuterStart()
	}
	if fr.code == 0 {
		return s.finishWhole(s.replacement(start, end, lines))
	}
	note, noted := s.attached(symbol)
	if start == old.OuterStart() {
		if noted {
			start = note.Start
		}
		return s.finishWhole(s.replacement(start, end, lines))
	}
	return s.updateApart(old, end, lines, fr.code)
}

// updateApart replaces the comment above the decorators and the definition below them.
func (s Source) updateApart(old *python.Statement, end int, lines []string, code int) (Change, error) {
	comment := slices.DeleteFunc(slices.Clone(lines[:code]),
		func(line string) bool { return strings.TrimSpace(line) == "" })
	above := document.Splice{Start: old.OuterStart(), End: old.OuterStart()}
	if note, noted := s.attached(old.Symbol); noted {
		above = s.replacement(note.Start, s.Lines[s.index(note.End-1)].End, comment)
	} else {
		above = s.replacement(above.Start, above.End, append(comment, base(old)))
	}
	own := s.replacement(old.Start, end, lines[code:])
	return s.finish([]document.Splice{above, own}, 1, 0, len(own.New))
}

// end returns the end of the last line of a statement, excluding a backslash that joins a blank line to it.
func (s Source) end(statement *python.Statement) int {
	end := s.WholeLines(statement.Span).End
	if s.Text[end-1] == '\\' {
		end = len(strings.TrimRight(s.Text[:end-1], " \t\f"))
	}
	return max(end, statement.End)
}

// finishWhole finishes a change that consists of one splice of new text.
func (s Source) finishWhole(splice document.Splice) (Change, error) {
	return s.finish([]document.Splice{splice}, 0, 0, len(splice.New))
}

// layout returns the indentation of an existing compound statement and its suite.
func (s Source) layout(old *python.Statement) layout {
	place := layout{base: base(old), unit: s.step(old), old: s.linesOf(old)}
	for _, statement := range inner(old) {
		if step, ok := strings.CutPrefix(base(statement), base(statement.Parent)); ok && step != "" &&
			!statement.Parent.Inline {
			place.known = append(place.known, step)
		}
	}
	if place.unit == "" {
		place.unit = s.unit()
	}
	return place
}

// base returns the indentation of a statement after the last form feed.
func base(statement *python.Statement) string {
	return statement.Indent[strings.LastIndexByte(statement.Indent, '\f')+1:]
}

// linesOf returns the unchanged lines of a statement.
func (s Source) linesOf(statement *python.Statement) []string {
	var out []string
	for i := s.index(statement.Start); i <= s.last(statement.End); i++ {
		out = append(out, s.content(i))
	}
	return out
}

// step returns the indentation that a statement's suite adds, or "" if it has no indented suite.
func (s Source) step(old *python.Statement) string {
	if old.Inline || len(old.Body) == 0 {
		return ""
	}
	step, _ := strings.CutPrefix(base(old.Body[0]), base(old))
	return step
}

// inner returns all statements nested in root, at any depth.
func inner(root *python.Statement) []*python.Statement {
	var out []*python.Statement
	queue := slices.Clone(root.Body)
	for len(queue) > 0 {
		out = append(out, queue[0])
		queue = append(queue[1:], queue[0].Body...)
	}
	return out
}
