package cfamily

import "strings"

type tokenKind uint8

const (
	word      tokenKind = iota + 1 // identifier or keyword
	number                         // preprocessing number
	literal                        // string or character, including raw strings
	sign                           // one of the multi-character operators in signs, or one byte
	directive                      // from '#' to the end of its last line, without the line end
)

// token is a range of the text. Offsets are 32 bits wide to save memory.
type token struct {
	kind       tokenKind
	first      bool // only blanks and comments precede it on its line
	open       bool // a literal without its closing quote, or a directive with a comment that is not closed
	start, end int32
}

// comment is the range of a comment. It is open if it has no "*/" and therefore goes up to the end of the text.
type comment struct {
	start, end int
	open       bool
}

// lexer splits a text into tokens. Whatever the text is, the tokens are in order and inside it.
type lexer struct {
	text     string
	at       int
	fresh    bool // only blanks and comments so far on this line
	open     bool // the token that is read has no end
	tokens   []token
	comments []comment
}

func lex(text string) ([]token, []comment) {
	l := lexer{text: text, fresh: true, tokens: make([]token, 0, len(text)/4)}
	for l.at < len(text) {
		l.next()
	}
	return l.tokens, l.comments
}

func (l *lexer) next() {
	c := l.text[l.at]
	switch {
	case c == '\n' || c == '\r':
		l.at++
		l.fresh = true
	case c <= ' ':
		l.at++
	case c == '/' && l.peek(1) == '/':
		l.lineComment()
	case c == '/' && l.peek(1) == '*':
		l.blockComment()
	case c == '\\':
		l.at++ // joins lines, or is an error
	case c == '#' && l.fresh:
		l.emit(directive, l.endOfDirective())
	case c == '"' || c == '\'':
		l.emit(literal, l.endOfQuoted(l.at))
	case wordStart(c):
		l.word()
	case digit(c) || c == '.' && digit(l.peek(1)):
		l.emit(number, l.endOfNumber())
	default:
		l.emit(sign, l.at+l.signLength())
	}
}

func (l *lexer) emit(kind tokenKind, end int) {
	l.tokens = append(l.tokens, token{kind: kind, first: l.fresh, open: l.open, start: int32(l.at), end: int32(end)})
	l.at, l.fresh, l.open = end, false, false
}

func (l *lexer) peek(n int) byte {
	if l.at+n < len(l.text) {
		return l.text[l.at+n]
	}
	return 0
}

func (l *lexer) lineComment() {
	end := endOfLine(l.text, l.at)
	l.comments = append(l.comments, comment{start: l.at, end: end})
	l.at = end
}

func (l *lexer) blockComment() {
	end := len(l.text)
	i := strings.Index(l.text[l.at+2:], "*/")
	if i >= 0 {
		end = l.at + 2 + i + 2
	}
	l.comments = append(l.comments, comment{l.at, end, i < 0})
	l.at = end
}

// endOfLine returns the end of the logical line that contains offset: a backslash joins lines.
func endOfLine(text string, offset int) int {
	for i := offset; i < len(text); i++ {
		if text[i] != '\n' && text[i] != '\r' {
			continue
		}
		if i == offset || text[i-1] != '\\' {
			return i
		}
		if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			i++
		}
	}
	return len(text)
}

// endOfDirective returns the end of a directive, in which a block comment may span lines.
func (l *lexer) endOfDirective() int {
	end := endOfLine(l.text, l.at)
	for from := l.at; ; {
		open := strings.Index(l.text[from:end], "/*")
		line := strings.Index(l.text[from:end], "//")
		if open < 0 || line >= 0 && line < open {
			return end
		}
		if quoted(l.text[from : from+open]) {
			from += open + 2
			continue
		}
		length := strings.Index(l.text[from+open+2:], "*/")
		if length < 0 {
			l.open = true
			return len(l.text)
		}
		from += open + 2 + length + 2
		if from > end {
			end = endOfLine(l.text, from)
		}
	}
}

// quoted reports whether a text ends inside a string.
func quoted(text string) bool { return strings.Count(text, `"`)%2 == 1 }

// endOfQuoted returns the end of the string or character that begins at open. An unclosed one ends with its line.
func (l *lexer) endOfQuoted(open int) int {
	quote := l.text[open]
	for i := open + 1; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == quote:
			return i + 1
		case c == '\\' && i+2 < len(l.text) && l.text[i+1] == '\r' && l.text[i+2] == '\n':
			i += 2
		case c == '\\':
			i++
		case c == '\n' || c == '\r':
			l.open = true
			return i
		}
	}
	l.open = true
	return len(l.text)
}

// word reads an identifier, or the literal that it is a prefix of.
func (l *lexer) word() {
	end := l.at + 1
	for end < len(l.text) && wordPart(l.text[end]) {
		end++
	}
	if end < len(l.text) && (l.text[end] == '"' || l.text[end] == '\'') {
		switch l.text[l.at:end] {
		case "R", "LR", "uR", "UR", "u8R":
			if l.text[end] == '"' {
				l.emit(literal, l.endOfRaw(end))
				return
			}
		case "L", "u", "U", "u8":
			l.emit(literal, l.endOfQuoted(end))
			return
		}
	}
	l.emit(word, end)
}

// endOfRaw returns the end of the raw string whose quote is at open.
func (l *lexer) endOfRaw(open int) int {
	const most = 16 // characters of a delimiter
	paren := strings.IndexByte(l.text[open+1:min(len(l.text), open+2+most)], '(')
	if paren < 0 {
		return l.endOfQuoted(open)
	}
	closing := ")" + l.text[open+1:open+1+paren] + `"`
	if i := strings.Index(l.text[open+2+paren:], closing); i >= 0 {
		return open + 2 + paren + i + len(closing)
	}
	l.open = true
	return len(l.text)
}

func (l *lexer) endOfNumber() int {
	i := l.at + 1
	for i < len(l.text) {
		c := l.text[i]
		exponent := (c == '+' || c == '-') && strings.IndexByte("eEpP", l.text[i-1]) >= 0
		separator := c == '\'' && i+1 < len(l.text) && wordPart(l.text[i+1])
		if !wordPart(c) && c != '.' && !exponent && !separator {
			break
		}
		i++
	}
	return i
}

// signLength returns the length of a sign. It keeps angle brackets separate, because ">>" may close two of them.
func (l *lexer) signLength() int {
	switch l.text[l.at] {
	case ':', '&', '|':
		if l.peek(1) == l.text[l.at] {
			return 2
		}
	case '-':
		if l.peek(1) == '>' {
			return 2
		}
	case '.':
		if l.peek(1) == '.' && l.peek(2) == '.' {
			return 3
		}
	}
	if strings.IndexByte("=!<+-*/%^&|", l.text[l.at]) >= 0 && l.peek(1) == '=' {
		return 2
	}
	return 1
}

func wordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}
func digit(c byte) bool    { return c >= '0' && c <= '9' }
func wordPart(c byte) bool { return wordStart(c) || digit(c) }
