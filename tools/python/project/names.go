package project

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"manualslop/tools/python"
)

// isIdentifier tells whether a text can be a name of Python: letters, digits and underscores of any
// script, no digit first. Keywords can.
func isIdentifier(name string) bool {
	if name == "" || !utf8.ValidString(name) {
		return false
	}
	for i, r := range norm.NFKC.String(name) {
		letter := r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_ID_Start, r)
		if !letter && (i == 0 || !unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue)) {
			return false
		}
	}
	return true
}

// lastPart is what stands behind the last dot.
func lastPart(dotted string) string { return dotted[strings.LastIndexByte(dotted, '.')+1:] }

// symbolPath is the dotted path of a symbol, empty for the module.
func symbolPath(s *python.Symbol) string {
	if s == nil {
		return ""
	}
	return s.Path
}

// words finds a name in a text where it is not part of a longer name.
func words(text, name string) []int {
	var out []int
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			break
		}
		at := from + i
		if !wordBefore(text, at) && !wordAfter(text, at+len(name)) {
			out = append(out, at)
		}
		from = at + len(name)
	}
	return out
}

func wordBefore(text string, at int) bool { return at > 0 && isWordByte(text[at-1]) }

func wordAfter(text string, at int) bool { return at < len(text) && isWordByte(text[at]) }

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
