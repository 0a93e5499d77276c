// Package public tells which names of a Python module are meant for others: those in `__all__`, and
// without one those that do not begin with an underscore.
package public

import (
	"strings"

	"manualslop/tools/python"
)

// All gives the names in `__all__`, in order, each once. False: there is none, or it is computed in
// a way that only Python can follow.
func All(f *python.File) ([]string, bool) {
	var names []string
	seen, found := map[string]bool{}, false
	for _, v := range f.Variables() {
		if v.Path != "__all__" || v.Value.Start == v.Value.End {
			continue
		}
		list, ok := literals(f, v.Value)
		if !ok {
			return nil, false
		}
		found = true
		for _, name := range list {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names, found
}

// literals reads a list or tuple of plain strings.
func literals(f *python.File, span python.Span) ([]string, bool) {
	var names []string
	separated := true // a string may come: two in a row are one string
	for t := range f.Tokens(span) {
		text := f.Text[t.Start:t.End]
		switch {
		case t.Kind == python.String:
			name, ok := unquote(text)
			if !ok || !separated {
				return nil, false
			}
			names = append(names, name)
			separated = false
		case text == ",":
			separated = true
		case t.Kind == python.Comment || t.Kind == python.NL || t.Kind == python.Newline || strings.Contains("[]()", text):
		default:
			return nil, false
		}
	}
	return names, true
}

// unquote gives the value of a string literal without escapes.
func unquote(literal string) (string, bool) {
	at := strings.IndexAny(literal, `'"`)
	if at < 0 || at > 1 || at == 1 && !strings.Contains("rRuU", literal[:1]) || strings.Contains(literal, `\`) {
		return "", false
	}
	quote := literal[at : at+1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(literal[at:], long) && len(literal[at:]) >= 6 {
		quote = long
	}
	if len(literal) < at+2*len(quote) || !strings.HasSuffix(literal, quote) {
		return "", false
	}
	return python.Normalize(literal[at+len(quote) : len(literal)-len(quote)]), true
}

// Member tells whether a name inside of a class or of a module without `__all__` is public. Names
// with two underscores on both sides, such as __init__, are.
func Member(name string) bool {
	return !strings.HasPrefix(name, "_") || strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") && len(name) > 4
}
