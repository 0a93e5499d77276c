package python

import "strings"

// Docstring is the documentation string of a module, class or function.
type Docstring struct {
	Span              // from the first literal to the last
	Raw, Clean string // the value of the literals, unchanged and cleaned like inspect.cleandoc
}

// Docstring returns the docstring of a symbol, or of the module if the symbol is nil.
func (f *File) Docstring(s *Symbol) (Docstring, bool) {
	body := f.Body
	if s != nil {
		body = s.Statement.Body
	}
	if len(body) == 0 || body[0].Kind != Simple || body[0].Empty() || !mayBeDocstring(f.Text[body[0].Start]) {
		return Docstring{}, false
	}
	literals, ok := f.literals(body[0].Span)
	if !ok {
		return Docstring{}, false
	}
	var value strings.Builder
	for _, literal := range literals {
		part, ok := stringValue(literal.Of(f.Text))
		if !ok {
			return Docstring{}, false
		}
		value.WriteString(part)
	}
	span := Span{literals[0].Start, literals[len(literals)-1].End}
	return Docstring{span, value.String(), cleanDoc(value.String())}, true
}

func mayBeDocstring(c byte) bool {
	switch c {
	case '"', '\'', '(', 'r', 'R', 'u', 'U':
		return true
	}
	return false
}

// literals returns the string literals of a statement that consists of nothing else except parentheses.
func (f *File) literals(span Span) ([]Span, bool) {
	var out []Span
	open, closed := 0, 0
	for token := range f.Tokens(span) {
		switch {
		case token.Kind == NL || token.Kind == Comment:
		case token.Kind == String && closed == 0:
			out = append(out, token.Span)
		case token.Kind == Op && f.Text[token.Start] == '(' && len(out) == 0:
			open++
		case token.Kind == Op && f.Text[token.Start] == ')' && len(out) > 0:
			closed++
		default:
			return nil, false
		}
	}
	return out, len(out) > 0 && open == closed
}

// cleanDoc works like Python's inspect.cleandoc.
func cleanDoc(doc string) string {
	lines := strings.Split(expandTabs(doc), "\n")
	margin := -1
	for _, line := range lines[1:] {
		if content := strings.TrimLeft(line, " "); content != "" {
			if indent := len(line) - len(content); margin < 0 || indent < margin {
				margin = indent
			}
		}
	}
	lines[0] = strings.TrimLeft(lines[0], " ")
	for i := 1; margin > 0 && i < len(lines); i++ {
		lines[i] = lines[i][min(margin, len(lines[i])):]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	return strings.Join(lines, "\n")
}

// expandTabs works like Python's str.expandtabs: columns count characters, and CR and LF reset them.
func expandTabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	column := 0
	for _, r := range s {
		switch r {
		case '\t':
			n := tabSize - column%tabSize
			b.WriteString("        "[:n])
			column += n
			continue
		case '\n', '\r':
			column = 0
		default:
			column++
		}
		b.WriteRune(r)
	}
	return b.String()
}
