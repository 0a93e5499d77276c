package cfamily

import "strings"

// together returns the other names in the symbol's declaration: "w" for "v" in "int v, w;", and "v" for "s" in
// "struct s { int a; } v;". If template arguments may contain the commas, it returns none.
func (f *File) together(s Symbol) []string {
	if s.Kind == "macro" || s.Kind == "namespace" || strings.HasSuffix(f.Text[s.Start:s.End], "}") {
		return nil
	}
	start, own := s.Start, true // own: the current declarator is the symbol's
	if s.BodyEnd > 0 {
		start, own = s.BodyEnd, false
	}
	var names []string
	last, depth, done := "", 0, false
	for _, t := range f.tokens {
		if int(t.start) < start || int(t.end) > s.End {
			continue
		}
		switch text := f.Text[t.start:t.end]; {
		case text == "<" && depth == 0:
			return nil
		case text == "{" || text == "(" || text == "[":
			depth++
			done = done || last != "" && !own
		case text == "}" || text == ")" || text == "]":
			depth--
		case depth > 0:
		case text == "," || text == ";":
			if last != "" && !own {
				names = append(names, last)
			}
			last, done, own = "", false, false
		case text == "=" || text == ":":
			done = true
		case t.kind == word && !done:
			last = text
		}
	}
	return names
}

// left rejects new text, which ends at end, that omits a name declared together with the symbol.
func (f *File) left(after *File, s Symbol, end int) error {
	have := map[string]bool{}
	for _, t := range after.tokens {
		if int(t.start) >= s.Start && int(t.end) <= end {
			have[after.Text[t.start:t.end]] = true
		}
	}
	for _, name := range f.together(s) {
		if !have[name] {
			return refuse("new_content leaves out '%s', which the same statement declares; keep it, or use edit_file", name)
		}
	}
	return nil
}
