package outline

import (
	"strings"

	"manualslop/tools/python"
)

// Exported returns the names in `__all__`, in order, each once. It returns false if there is no `__all__` or if
// evaluating it needs Python.
func Exported(f *python.File) ([]string, bool) {
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
	separated := true // a string may come next; two in a row are one string
	for t := range f.Tokens(span) {
		text := f.Text[t.Start:t.End]
		switch {
		case t.Kind == python.String:
			name, ok := python.PlainString(text)
			if !ok || !separated {
				return nil, false
			}
			names = append(names, python.Normalize(name))
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

// IsPublic reports whether a name in a class, or in a module without `__all__`, is public. Names with two
// underscores on both sides, such as __init__, are public.
func IsPublic(name string) bool {
	return !strings.HasPrefix(name, "_") || strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") && len(name) > 4
}
