package project

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"manualslop/tools/python"
)

// tokens returns the tokens of a span without comments and line ends.
func (u *Unit) tokens(span python.Span) []python.Token {
	var out []python.Token
	for t := range u.Python().Tokens(span) {
		switch t.Kind {
		case python.Comment, python.Newline, python.NL:
			continue
		}
		out = append(out, t)
	}
	return out
}

// word returns the source of a token.
func (u *Unit) word(t python.Token) string { return u.Text()[t.Start:t.End] }

// is reports whether token i is the given operator or name.
func (u *Unit) is(tokens []python.Token, i int, word string) bool {
	return i >= 0 && i < len(tokens) && tokens[i].Kind != python.String && u.word(tokens[i]) == word
}

// isName reports whether token i is an identifier or keyword.
func isName(tokens []python.Token, i int) bool {
	return i >= 0 && i < len(tokens) && tokens[i].Kind == python.Name
}

// closing returns the index of the bracket that closes the one at i, or len(tokens) if it is missing.
func (u *Unit) closing(tokens []python.Token, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		depth += u.step(tokens[i])
		if depth == 0 {
			return i
		}
	}
	return len(tokens)
}

// step returns 1 for an opening bracket, -1 for a closing one and 0 for any other token.
func (u *Unit) step(t python.Token) int {
	if t.Kind != python.Op || t.End-t.Start != 1 {
		return 0
	}
	switch u.Text()[t.Start] {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	}
	return 0
}

// splitAt splits tokens at any of the given operators or words outside brackets.
func (u *Unit) splitAt(tokens []python.Token, words ...string) [][]python.Token {
	var out [][]python.Token
	depth, from := 0, 0
	for i, t := range tokens {
		depth += u.step(t)
		if depth != 0 || u.step(t) != 0 {
			continue
		}
		for _, word := range words {
			if u.is(tokens, i, word) {
				out = append(out, tokens[from:i])
				from = i + 1
				break
			}
		}
	}
	return append(out, tokens[from:])
}

// spanOf returns the span that tokens cover.
func spanOf(tokens []python.Token) python.Span {
	if len(tokens) == 0 {
		return python.Span{}
	}
	return python.Span{Start: tokens[0].Start, End: tokens[len(tokens)-1].End}
}

// header returns the parts of a definition's header: the arguments in the parentheses after its name, split at
// commas, and the tokens after "->".
func (u *Unit) header(s *python.Symbol) (arguments [][]python.Token, result []python.Token) {
	tokens := u.tokens(s.Statement.Header)
	i := 0
	for i < len(tokens) && !u.is(tokens, i, "(") && !u.is(tokens, i, ":") {
		if u.is(tokens, i, "[") {
			i = u.closing(tokens, i)
		}
		i++
	}
	if !u.is(tokens, i, "(") {
		return nil, nil
	}
	end := u.closing(tokens, i)
	for _, part := range u.splitAt(tokens[i+1:min(end, len(tokens))], ",") {
		if len(part) > 0 {
			arguments = append(arguments, part)
		}
	}
	if u.is(tokens, end+1, "->") {
		result = tokens[end+2:]
		if n := len(result); n > 0 && u.is(result, n-1, ":") {
			result = result[:n-1]
		}
	}
	return arguments, result
}

// cachedTokens is like tokens, but caches the last span for repeated calls.
func (u *Unit) cachedTokens(span python.Span) []python.Token {
	u.lastTokens.Lock()
	defer u.lastTokens.Unlock()
	if u.lastTokens.span != span || u.lastTokens.tokens == nil {
		u.lastTokens.span, u.lastTokens.tokens = span, u.tokens(span)
	}
	return u.lastTokens.tokens
}

// lastTokens caches the tokens of the last span.
type lastTokens struct {
	sync.Mutex
	span   python.Span
	tokens []python.Token
}

// isIdentifier reports whether a text is a valid Python identifier: letters, digits and underscores of any
// script, not starting with a digit. It does not exclude keywords.
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

// lastPart returns the text after the last dot.
func lastPart(dotted string) string { return dotted[strings.LastIndexByte(dotted, '.')+1:] }

// symbolPath returns the dotted path of a symbol, or "" for the module.
func symbolPath(s *python.Symbol) string {
	if s == nil {
		return ""
	}
	return s.Path
}

// words returns where a name occurs in a text as a whole word.
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
