package grammar_test

import (
	"math/rand/v2"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// spares are tokens that mutations put in.
var spares = []string{
	"(", ")", "[", "]", "{", "}", ":", ",", ";", ".", "=", "==", ":=", "*", "**", "->", "+", "-", "@", "!", "$", "'", `"`,
	"\\", "x", "1", "0x", "''", "f'{'", "f'{x!z}'", "b'é'",
	"if", "else", "elif", "for", "in", "def", "class", "return", "yield", "lambda", "not", "and", "is", "import", "from",
	"as", "with", "try:", "except", "finally:", "print", "None", "True", "await", "async", "del",
	"global", "pass", "\n", "\n    ", " ", "\t", "#", "...", "match", "case", "+=", "while", "assert", "raise",
}

// mutated damages a text in one place.
func mutated(r *rand.Rand, text string) string {
	lines := document.Lines(text)
	var toks []python.Token
	for t := range python.Parse(text).Tokens(python.Span{Start: 0, End: len(text)}) {
		toks = append(toks, t)
	}
	if len(toks) < 3 || len(lines) < 2 {
		return text + "("
	}
	i := r.IntN(len(toks) - 1)
	t, next := toks[i], toks[i+1]
	line := lines[r.IntN(len(lines))]
	switch r.IntN(14) {
	case 0, 1:
		return text[:t.Start] + text[t.End:]
	case 2:
		return text[:t.End] + " " + text[t.Start:t.End] + text[t.End:]
	case 3, 4:
		return text[:t.Start] + spares[r.IntN(len(spares))] + text[t.End:]
	case 5, 6:
		return text[:t.Start] + spares[r.IntN(len(spares))] + " " + text[t.Start:]
	case 7:
		return text[:t.Start] + text[next.Start:next.End] + " " + text[t.Start:t.End] + text[next.End:]
	case 8:
		return text[:line.Start] + text[line.Next:]
	case 9:
		return text[:line.Next] + text[line.Start:]
	case 10:
		return text[:line.Start] + " " + text[line.Start:]
	case 11:
		if strings.HasPrefix(text[line.Start:], " ") {
			return text[:line.Start] + text[line.Start+1:]
		}
		return text[:line.Start] + "\t" + text[line.Start:]
	case 12:
		at := r.IntN(len(text))
		return strings.ToValidUTF8(text[:at]+text[at+1:], "?")
	}
	other := toks[r.IntN(len(toks))]
	return text[:t.Start] + text[other.Start:other.End] + text[t.End:]
}
