package cfamily

import (
	"slices"
	"strings"

	"manualslop/tools/document"
)

// unclosed lists the comments of a text that go up to its end and the literals without a closing quote.
func unclosed(lines []document.Line, tokens []token, comments []comment) []Problem {
	var out []Problem
	for _, c := range comments {
		if c.open {
			out = append(out, Problem{document.NumberOf(lines, c.start), "a comment is not closed"})
		}
	}
	for _, t := range tokens {
		switch {
		case !t.open || len(out) == maxProblems:
		case t.kind == directive:
			out = append(out, Problem{document.NumberOf(lines, int(t.start)), "a comment is not closed"})
		default:
			out = append(out, Problem{document.NumberOf(lines, int(t.start)), "a string or character is not closed"})
		}
	}
	return out
}

// sameOutside reports whether a splice leaves the tokens and comments outside of it as they are, and whether the new
// text is read in its place as it is read alone.
func (f *File) sameOutside(splice document.Splice) bool {
	shift := len(splice.New) - (splice.End - splice.Start)
	tokens, comments := lex(f.Text)
	inTokens, inComments := lex(splice.New)
	var wantTokens []token
	for _, t := range tokens {
		if int(t.end) <= splice.Start {
			wantTokens = append(wantTokens, t)
		}
	}
	for _, t := range inTokens {
		wantTokens = append(wantTokens, t.moved(splice.Start))
	}
	for _, t := range tokens {
		if int(t.start) >= splice.End {
			wantTokens = append(wantTokens, t.moved(shift))
		}
	}
	var wantComments []comment
	for _, c := range comments {
		if c.end <= splice.Start {
			wantComments = append(wantComments, c)
		}
	}
	for _, c := range inComments {
		wantComments = append(wantComments, comment{c.start + splice.Start, c.end + splice.Start, c.open})
	}
	for _, c := range comments {
		if c.start >= splice.End {
			wantComments = append(wantComments, comment{c.start + shift, c.end + shift, c.open})
		}
	}
	haveTokens, haveComments := lex(f.Text[:splice.Start] + splice.New + f.Text[splice.End:])
	return slices.Equal(wantComments, haveComments) && slices.EqualFunc(wantTokens, haveTokens, func(a, b token) bool {
		return a.kind == b.kind && a.start == b.start && a.end == b.end
	})
}

// moved returns a token of a text that begins n bytes later.
func (t token) moved(n int) token {
	t.start, t.end = t.start+int32(n), t.end+int32(n)
	return t
}

// openEnd names the construct in which a text ends, if it extends to the end of the line: a comment or a directive.
func openEnd(text string) string {
	tokens, comments := lex(text)
	switch n, m := len(tokens), len(comments); {
	case n > 0 && tokens[n-1].kind == directive && int(tokens[n-1].end) == len(text):
		return "# line"
	case m > 0 && comments[m-1].end == len(text) && strings.HasPrefix(text[comments[m-1].start:], "//"):
		return "// comment"
	}
	return ""
}

// ended gives new text the ";" that the old text has and takes the one after a function's "}". Comments may follow.
func (f *File) ended(s Symbol, content string) string {
	tokens, _ := lex(content)
	if len(tokens) == 0 {
		return content
	}
	last := tokens[len(tokens)-1]
	old := f.Text[s.Start:s.End]
	switch text := content[last.start:last.end]; {
	case text == "}" && strings.HasSuffix(old, ";"):
		return content[:last.end] + ";" + content[last.end:]
	case text == ";" && strings.HasSuffix(old, "}") && hasCode(s) && len(tokens) > 1 &&
		content[tokens[len(tokens)-2].start] == '}':
		return strings.TrimRight(content[:last.start], " \t\r\n") + content[last.end:]
	}
	return content
}

// goesOn returns what follows the body of a type in its statement, up to the end of the line: "v = {1};" for
// "struct s { int a; } v = {1};". It returns "" if the statement ends with the type.
func (f *File) goesOn(s Symbol) string {
	if hasCode(s) || s.Kind == "namespace" || s.BodyEnd == 0 || s.BodyEnd != s.End {
		return ""
	}
	for _, t := range f.tokens {
		if int(t.start) < s.End {
			continue
		}
		if t.kind == sign && f.Text[t.start] == '}' || t.kind == word && t.first {
			return ""
		}
		line, _, _ := strings.Cut(f.Text[t.start:], "\n")
		return short(line)
	}
	return ""
}

// endsWithType reports whether the last token of new text is the "}" of the type.
func (f *File) endsWithType(s Symbol, content string) bool {
	alone := Read(content, f.Language, f.macros)
	return len(alone.tokens) > 0 && slices.ContainsFunc(alone.Symbols, func(n Symbol) bool {
		return n.Title == s.Title && n.Kind == s.Kind && n.BodyEnd == int(alone.tokens[len(alone.tokens)-1].end)
	})
}
