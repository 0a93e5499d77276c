package textsearch

import (
	"bytes"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// literal is a text that occurs in every match, so that only lines that contain it need to be examined.
type literal struct {
	text   string
	folded []byte // text in lower-case ASCII if it matches in either case, otherwise nil
}

// index returns the first occurrence of the literal in a text, or -1.
func (l literal) index(text string) int {
	if l.folded == nil {
		return strings.Index(text, l.text)
	}
	var window [4 << 10]byte // twice the longest literal, see maxProgram
	// Windows grow, so that finding a literal on every line costs only that line and not a whole window.
	for from, size := 0, max(128, 2*len(l.folded)); from+len(l.folded) <= len(text); size *= 2 {
		part := text[from:min(from+min(size, len(window)), len(text))]
		for i := range len(part) {
			c := part[i]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			window[i] = c
		}
		if at := bytes.Index(window[:len(part)], l.folded); at >= 0 {
			return from + at
		}
		from += len(part) - len(l.folded) + 1
	}
	return -1
}

// required returns the longest literal that every match of an expression contains, or an empty one.
func required(tree *syntax.Regexp) literal {
	switch tree.Op {
	case syntax.OpLiteral:
		return longest(tree)
	case syntax.OpCapture, syntax.OpPlus:
		return required(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return required(tree.Sub[0])
		}
	case syntax.OpConcat:
		var best literal
		for _, sub := range tree.Sub {
			if one := required(sub); len(one.text) > len(best.text) {
				best = one
			}
		}
		return best
	}
	return literal{}
}

// longest returns the longest part of a literal whose bytes are known. U+FFFD also matches invalid bytes, and if
// case is ignored, K and S have a third form outside ASCII.
func longest(tree *syntax.Regexp) literal {
	folded := tree.Flags&syntax.FoldCase != 0
	var best string
	for _, part := range strings.FieldsFunc(string(tree.Rune), func(r rune) bool {
		return r == utf8.RuneError || folded && (r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r))
	}) {
		if len(part) > len(best) {
			best = part
		}
	}
	if folded {
		return literal{best, []byte(strings.ToLower(best))}
	}
	return literal{text: best}
}
