package filetools

import (
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/document"
)

// looseMatch is a range of lines that differ from the requested text only in trailing blanks and in indentation,
// which differs by the same blanks on every line.
type looseMatch struct {
	first, last int    // 0-based lines
	prefix      string // the additional indentation of the file's lines
	less        bool   // the wanted lines have the additional indentation instead
}

// loosely finds the only loose match, and indents the new text like the file.
func (e textEdit) loosely(text string, lines []document.Line) (editMade, bool) {
	matches := looseMatches(text, lines, e.old)
	if len(matches) != 1 {
		return editMade{}, false
	}
	m := matches[0]
	indented, ok := m.indent(document.WithEnds(e.new, "\n"))
	if !ok {
		return editMade{}, false
	}
	from, to := lines[m.first], lines[m.last]
	s := document.Splice{Start: from.Start, End: to.End}
	if tools.EndsLine(e.old) {
		s.End = to.Next
		if to.End == to.Next { // the file's last line has no line end and stays so
			indented = strings.TrimSuffix(indented, "\n")
		}
	}
	s.New = document.WithEnds(indented, document.LineEnd(text, lines, m.first))
	if s.New == text[s.Start:s.End] {
		return editMade{}, false
	}
	note := fmt.Sprintf("old_string does not occur exactly; the text at %s, which differs from it only in "+
		"indentation or in blanks at line ends, was replaced, and new_string was indented like it; check the diff",
		lineRange{m.first + 1, m.last + 1})
	return editMade{splices: []document.Splice{s}, lines: []int{m.first + 1}, note: note}, true
}

// looseMatches finds all loose matches, in order.
func looseMatches(text string, lines []document.Line, old string) []looseMatch {
	old = document.WithEnds(old, "\n")
	var wanted []string
	for _, l := range document.Lines(old) {
		wanted = append(wanted, old[l.Start:l.End])
	}
	if strings.TrimSpace(old) == "" || len(lines) > tools.MaxCompared {
		return nil
	}
	var out []looseMatch
	for i := 0; i+len(wanted) <= len(lines); i++ {
		if m, ok := looseAt(text, lines[i:i+len(wanted)], wanted); ok {
			m.first, m.last = i, i+len(wanted)-1
			out = append(out, m)
		}
	}
	return out
}

// looseAt compares lines with the wanted ones, as many as these are.
func looseAt(text string, lines []document.Line, wanted []string) (looseMatch, bool) {
	var m looseMatch
	known := false
	for i, l := range lines {
		have, want := text[l.Start:l.End], wanted[i]
		trimmed := strings.Trim(have, " \t")
		if trimmed != strings.Trim(want, " \t") {
			return m, false
		}
		if trimmed == "" {
			continue
		}
		haveIndent, wantIndent := indentOf(have), indentOf(want)
		if !known {
			m.less = len(haveIndent) < len(wantIndent)
			m.prefix = strings.TrimSuffix(haveIndent, wantIndent)
			if m.less {
				m.prefix = strings.TrimSuffix(wantIndent, haveIndent)
			}
			known = true
		}
		if m.less && wantIndent != m.prefix+haveIndent || !m.less && haveIndent != m.prefix+wantIndent {
			return m, false
		}
	}
	return m, true
}

// indent changes the indentation of a text in the way in which the file's lines differ from the wanted ones. It
// returns false if a line does not have enough indentation to remove.
func (m looseMatch) indent(text string) (string, bool) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		switch {
		case strings.TrimSpace(line) == "":
		case !m.less:
			b.WriteString(m.prefix)
		case !strings.HasPrefix(line, m.prefix):
			return "", false
		default:
			line = line[len(m.prefix):]
		}
		b.WriteString(line)
	}
	return b.String(), true
}

// indentOf returns the blanks and tabs at the beginning of a line.
func indentOf(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
