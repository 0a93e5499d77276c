package python

import "iter"

// TokenKind says what a token is.
type TokenKind uint8

// Kinds of tokens. An f-string (and a t-string) is one FStringStart with its prefix and quotes, then
// FStringMiddle for literal text and ordinary tokens for replacement fields, then one FStringEnd.
const (
	Name    TokenKind = iota + 1 // soft keywords too
	Keyword                      // hard keywords, also None, True and False
	Number
	String
	FStringStart
	FStringMiddle
	FStringEnd
	Op
	Comment
	Newline // the end of a logical line
	NL      // a line end that ends no logical line: after a blank or comment line, or inside brackets
)

// Token is one token. Offsets are those of the whole text.
type Token struct {
	Kind TokenKind
	Span
}

// Tokens returns the tokens of a piece of the text, which must begin outside
// strings and brackets, or at least where they are not to be known. Comments
// are included; indentation is not.
func (f *File) Tokens(span Span) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		l := f.lexer(span.End)
		l.pos, l.trivia = span.Start, true
		fresh := true // no token of the logical line was seen
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
