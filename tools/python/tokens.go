package python

import "iter"

// TokenKind classifies a token.
type TokenKind uint8

// Kinds of tokens. An f-string (or t-string) is one FStringStart with its prefix and quotes, then FStringMiddle
// for literal text and ordinary tokens for replacement fields, then one FStringEnd.
const (
	Name    TokenKind = iota + 1 // includes soft keywords
	Keyword                      // hard keywords, including None, True and False
	Number
	String
	FStringStart
	FStringMiddle
	FStringEnd
	Op
	Comment
	Newline // the end of a logical line
	NL      // a line end that does not end a logical line: after a blank or comment line, or inside brackets
)

// Token is one token. Offsets refer to the whole text.
type Token struct {
	Kind TokenKind
	Span
}

// Tokens returns the tokens of a span. Strings and brackets that begin before the span are not taken into account.
// Comments are included; indentation is not.
func (f *File) Tokens(span Span) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		l := f.lexer(span.End)
		l.pos, l.trivia = span.Start, true
		fresh := true // no token of the logical line has been read
		for {
			kind := l.next()
			switch kind {
			case endOfText:
				return
			case Name:
				if IsKeyword(l.text[l.start:l.end]) {
					kind = Keyword
				}
			case Newline:
				if fresh {
					kind = NL
				}
			}
			if kind != Comment && kind != NL {
				fresh = kind == Newline
			}
			if !yield(Token{kind, Span{l.start, l.end}}) {
				return
			}
		}
	}
}
