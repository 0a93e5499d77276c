package cfamily

import "strings"

// Skeleton returns the text with "{ ... }" in place of function bodies and long values. Everything else stays:
// comments, directives, classes with their members.
func (f *File) Skeleton() string {
	var b strings.Builder
	at := 0
	for _, s := range f.Symbols {
		if s.BodyEnd <= s.BodyStart || s.BodyStart < at || !hasCode(s) {
			continue
		}
		body := f.Text[s.BodyStart:s.BodyEnd]
		inside := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(body, "{"), "}"))
		if inside == "" || s.Kind == "variable" && !strings.ContainsAny(body, "\r\n") {
			continue
		}
		b.WriteString(f.Text[at:s.BodyStart])
		b.WriteString("{ ... }")
		at = s.BodyEnd
	}
	b.WriteString(f.Text[at:])
	return b.String()
}

// hasCode reports whether a symbol's body holds code or values rather than members.
func hasCode(s Symbol) bool {
	switch s.Kind {
	case "function", "method", "constructor", "destructor", "operator", "variable":
		return true
	}
	return false
}
