package edit

import (
	"slices"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// fragment is new text: whole lines without leading and trailing blank lines.
type fragment struct {
	label  string   // what errors call the text
	raw    []string // as given
	lines  []string // moved to the left margin
	indent string   // the removed indentation of the first line of code
	tail   string   // what was appended to the last line of the given text
	code   int      // the first line that is neither blank nor a comment
	file   Source   // the parsed lines
}

// newFragment reads text to insert into a file. label names it in errors.
func newFragment(label, text string) (fragment, error) {
	text = document.WithEnds(strings.TrimPrefix(text, "\uFEFF"), "\n")
	raw := trimBlank(strings.Split(text, "\n"))
	switch {
	case strings.ContainsRune(text, 0):
		return fragment{}, refuse("%s contains a NUL byte, which is not allowed in Python", label)
	case len(raw) == 0:
		return fragment{}, refuse("%s is empty; give the whole text", label)
	}
	last := &raw[len(raw)-1]
	fr := dedented(label, raw)
	if _, broken := fr.file.broken(); broken && strings.HasSuffix(*last, "\\") { // the line continued on a missing one
		*last = strings.TrimRight(strings.TrimSuffix(*last, "\\"), " \t\f")
		fr = dedented(label, raw)
	}
	if problem, broken := fr.file.broken(); broken {
		lifted, ok := lift(fr)
		if !ok {
			return fragment{}, refuse("%s does not parse: its line %d: %s", label, problem.Line, problem.Text)
		}
		fr = lifted
	}
	return fr, nil
}

// trimBlank removes leading and trailing blank lines.
func trimBlank(lines []string) []string {
	isBlank := func(line string) bool { return strings.TrimSpace(line) == "" }
	for len(lines) > 0 && isBlank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && isBlank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// dedented moves lines to the left margin, except those that begin inside a
// string.
func dedented(label string, raw []string) fragment {
	parse := func(lines []string) Source { return Source{Path: label}.with(strings.Join(lines, "\n")) }
	fr := fragment{label: label, raw: raw, lines: slices.Clone(raw), file: parse(raw)}
	for fr.code < len(raw)-1 && (fr.file.blank(fr.code) || fr.file.comment(fr.code)) {
		fr.code++
	}
	fr.indent = leading(raw[fr.code])
	if fr.indent == "" {
		return fr
	}
	for i, line := range raw {
		if !fr.file.literal(i) {
			fr.lines[i] = line[len(common(leading(line), fr.indent)):]
		}
	}
	fr.file = parse(fr.lines)
	return fr
}

// lift repairs text whose first line lost its indentation, as happens when a definition is copied from its first
// non-blank character on.
func lift(fr fragment) (fragment, bool) {
	if fr.indent != "" {
		return fragment{}, false
	}
	for i := fr.code + 1; i < len(fr.raw); i++ {
		if !fr.startsCode(i) {
			continue
		}
		raw := slices.Clone(fr.raw)
		raw[fr.code] = leading(raw[i]) + raw[fr.code]
		lifted := dedented(fr.label, raw)
		_, broken := lifted.file.broken()
		return lifted, !broken
	}
	return fragment{}, false
}

// startsCode reports whether a logical line begins at line i.
func (fr fragment) startsCode(i int) bool {
	return !fr.file.inside(i) && !fr.file.blank(i) && !fr.file.comment(i) && strings.TrimSpace(fr.lines[i]) != ""
}

// definitions returns the definitions of the fragment. It returns an error if the fragment holds anything else,
// or if their name is not the last part of name.
func (fr fragment) definitions(name string) ([]*python.Statement, error) {
	for _, statement := range fr.file.Body {
		switch line := fr.file.LineOf(statement.OuterStart()); {
		case statement.Symbol == nil:
			return nil, refuse("%s must contain the definition of '%s' and nothing else, but its line %d is %q; add other "+
				"statements with edit_file",
				fr.label, name, line, shorten(fr.lines[line-1]))
		case statement.Symbol.Name != python.Normalize(name):
			return nil, refuse("%s defines '%s' at its line %d, not '%s'; give the definition of '%s' alone, and use "+
				"rename_symbol to rename",
				fr.label, statement.Symbol.Name, line, name, name)
		}
	}
	if len(fr.file.Body) == 0 {
		return nil, refuse("%s contains no definition; give the definition of '%s' with its def or class "+
			"line", fr.label, name)
	}
	return fr.file.Body, nil
}

// defined returns the name of the first definition of the fragment, or "" if there is none.
func (fr fragment) defined() string {
	for _, symbol := range fr.file.Symbols {
		if symbol.Parent == nil {
			return symbol.Name
		}
	}
	return ""
}

// shorten shortens a line of code for an error.
func shorten(line string) string {
	return document.Clip(strings.ToValidUTF8(strings.TrimSpace(line), "\uFFFD"), 60)
}

// common returns the longest common prefix of two ASCII texts.
func common(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
