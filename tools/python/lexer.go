package python

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"manualslop/tools/document"
)

// lexer splits text into tokens. The parser runs it over whole files without keeping the tokens.
type lexer struct {
	text     string
	pos      int // next byte to read
	start    int // start of the last token read
	end      int
	stack    []frame // open brackets, strings and fields, innermost last
	lost     int     // number of brackets opened beyond maxFrames
	problems []Problem
	lines    []document.Line
	literal  bool // the innermost frame is literal text of an f-string
	hasCR    bool
	strict   bool // brackets stay open until they are closed, as in CPython
	trivia   bool // comments and line ends inside brackets are also tokens
}

// frame is an open bracket, f-string or replacement field of an f-string.
type frame struct {
	offset  int    // of the opening token
	owner   int32  // index of the enclosing f-string's frame, or -1
	strings uint16 // number of open f-strings, including this one
	kind    byte   // '(' '[' '{', a quote for an f-string, or field or spec
	flags   prefix
	specs   uint8 // number of format specifications that contain a field
}

const (
	field = 'F' // expression of a replacement field
	spec  = 'S' // its format specification
)

// CPython's limits on nested brackets and f-strings, and the largest stack that this lexer keeps.
const (
	maxBrackets = 200
	maxStrings  = 150
	maxFrames   = 4096
)

// endOfText is the value that next returns at the end of the text and on every later call.
const endOfText TokenKind = 0

// lexer returns a lexer for the text up to end.
func (f *File) lexer(end int) lexer {
	return lexer{text: f.Text[:end], lines: f.Lines, hasCR: f.hasCR}
}

// next reads one token and returns its kind. It returns keywords as names.
func (l *lexer) next() TokenKind {
	if l.literal {
		if kind := l.middle(); kind != endOfText {
			return kind
		}
	}
	text, i := l.text, l.pos
	for i < len(text) {
		switch classes[text[i]] {
		case classBlank:
			i++
			continue
		case classWord:
			return l.word(i)
		case classDigit:
			return l.number(i)
		case classDot:
			return l.dot(i)
		case classQuote:
			return l.quoted(i, i, 0)
		case classOpen:
			return l.open(i)
		case classClose:
			return l.close(i)
		case classOp:
			return l.operator(i)
		case classOdd:
			return l.odd(i)
		case classJoin:
			i = l.join(i)
			if l.strict && len(l.problems) > 0 {
				return l.token(endOfText, i, i)
			}
			continue
		case classHash:
			end := l.lineEnd(i)
			if l.trivia {
				return l.token(Comment, i, end)
			}
			i = end
			continue
		}
		kind, after := l.newline(i)
		if kind != endOfText {
			return kind
		}
		i = after
		if l.literal {
			return l.next()
		}
	}
	return l.finish()
}

func (l *lexer) token(kind TokenKind, start, end int) TokenKind {
	l.start, l.end, l.pos = start, end, end
	return kind
}

// finish reports constructs that are still open at the end of the text.
func (l *lexer) finish() TokenKind {
	if n := len(l.stack); n > 0 {
		l.neverClosed(l.stack[n-1], len(l.text))
		l.stack, l.literal, l.lost = l.stack[:0], false, 0
	}
	return l.token(endOfText, len(l.text), len(l.text))
}

// newline reads a line end. Inside brackets, a line end is a token only if trivia is set; otherwise newline
// returns endOfText as the kind.
func (l *lexer) newline(i int) (kind TokenKind, after int) {
	after = l.lineAfter(i)
	if len(l.stack) == 0 {
		return l.token(Newline, i, after), after
	}
	if !l.strict && l.beginsStatement(after) && l.recover(i, after) {
		return l.token(Newline, i, after), after
	}
	if l.trivia {
		return l.token(NL, i, after), after
	}
	l.pos = after
	return endOfText, after
}

// lineEnd returns the offset where the line that contains i ends.
func (l *lexer) lineEnd(i int) int {
	if !l.hasCR {
		if n := strings.IndexByte(l.text[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(l.text)
	}
	for i < len(l.text) && l.text[i] != '\n' && l.text[i] != '\r' {
		i++
	}
	return i
}

// lineAfter returns the start of the line after the line end at i.
func (l *lexer) lineAfter(i int) int {
	if l.text[i] == '\r' && i+1 < len(l.text) && l.text[i+1] == '\n' {
		return i + 2
	}
	return i + 1
}

// join reads a backslash and returns where to continue.
func (l *lexer) join(i int) int {
	next := i + 1
	if next == len(l.text) {
		l.problem(next, stopped, "unexpected EOF while parsing")
		return next
	}
	if classes[l.text[next]] != classLineEnd {
		l.problem(next, stopped, "unexpected character after line continuation character")
		return next
	}
	after := l.lineAfter(next)
	if after == len(l.text) {
		l.problem(next, stopped, "unexpected EOF while parsing")
	}
	return after
}

// odd reads a character that cannot begin a token.
func (l *lexer) odd(i int) TokenKind {
	switch c := l.text[i]; {
	case c == 0: // reported once for the whole text
	case l.strict && c > ' ' && c < 0x7F: // not an error for CPython's tokenizer
	case c < ' ' || c == 0x7F:
		l.problem(i, raised, fmt.Sprintf("invalid non-printable character U+%04X", c))
	default:
		l.problem(i, parsed, "invalid syntax")
	}
	return l.token(Op, i, i+1)
}

func (l *lexer) problem(offset int, stage stage, text string) {
	if stage == raised && l.innermost() >= 0 {
		stage = inside
	}
	l.report(Problem{offset, text, SyntaxError, stage, offset})
}

func (l *lexer) report(p Problem) {
	if len(l.problems) < mostProblems {
		l.problems = append(l.problems, p)
	}
}

// full reports whether no further problem is kept, so that its text need not be built.
func (l *lexer) full() bool { return len(l.problems) == mostProblems }

// lineOf returns the 1-based number of the line that contains offset. The end of the text belongs to its last line.
func (l *lexer) lineOf(offset int) int {
	return document.NumberOf(l.lines, offset)
}

// class is the kind of token that a byte begins.
type class uint8

const (
	classOp class = iota
	classBlank
	classWord // letters, underscore and all bytes outside ASCII
	classDigit
	classDot
	classQuote
	classLineEnd
	classHash
	classOpen
	classClose
	classJoin
	classOdd // begins no token
)

func newClasses() *[256]class {
	var t [256]class
	for c := range t {
		switch {
		case c == ' ' || c == '\t' || c == '\f':
			t[c] = classBlank
		case c >= 0x80 || c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			t[c] = classWord
		case c >= '0' && c <= '9':
			t[c] = classDigit
		case c == '\n' || c == '\r':
			t[c] = classLineEnd
		case c < ' ' || c == 0x7F || c == '$' || c == '?' || c == '`':
			t[c] = classOdd
		}
	}
	t['.'], t['#'], t['\\'] = classDot, classHash, classJoin
	t['"'], t['\''] = classQuote, classQuote
	t['('], t['['], t['{'] = classOpen, classOpen, classOpen
	t[')'], t[']'], t['}'] = classClose, classClose, classClose
	return &t
}

// classes is read-only after initialisation.
var classes = newClasses()

func newWordBytes() *[256]bool {
	var t [256]bool
	for c, class := range classes {
		t[c] = c < 0x80 && (class == classWord || class == classDigit)
	}
	return &t
}

// wordBytes are the ASCII bytes that may continue a name.
var wordBytes = newWordBytes()

// operator reads an operator. Brackets and dots are read elsewhere.
func (l *lexer) operator(i int) TokenKind {
	c, d := l.text[i], byte(0)
	if i+1 < len(l.text) {
		d = l.text[i+1]
	}
	if (c == ':' || c == '!') && len(l.stack) > 0 && l.stack[len(l.stack)-1].kind == field {
		return l.fieldOperator(i, c, d)
	}
	size := 1
	switch {
	case d == '=':
		if twoByte(c) || c == ':' || c == '!' || c == '=' {
			size = 2
		}
	case c == d && (c == '*' || c == '/' || c == '<' || c == '>'):
		size = 2
		if i+2 < len(l.text) && l.text[i+2] == '=' {
			size = 3
		}
	case c == '-' && d == '>', c == '<' && d == '>':
		size = 2
	}
	return l.token(Op, i, i+size)
}

// twoByte reports whether c followed by '=' is a single operator.
func twoByte(c byte) bool {
	switch c {
	case '+', '-', '*', '/', '%', '@', '&', '|', '^', '<', '>':
		return true
	}
	return false
}

// fieldOperator reads a colon or an exclamation mark at the top level of a replacement field. A colon begins the
// format specification; an exclamation mark begins a conversion unless it is part of "!=".
func (l *lexer) fieldOperator(i int, c, d byte) TokenKind {
	if c == ':' {
		l.stack[len(l.stack)-1].kind = spec
		l.literal = true
		return l.token(Op, i, i+1)
	}
	if d == '=' {
		return l.token(Op, i, i+2)
	}
	return l.token(Op, i, i+1)
}

// dot reads a number, an ellipsis or a single dot.
func (l *lexer) dot(i int) TokenKind {
	rest := l.text[i+1:]
	switch {
	case rest != "" && classes[rest[0]] == classDigit:
		return l.fraction(i, i+1)
	case len(rest) >= 2 && rest[:2] == "..":
		return l.token(Op, i, i+3)
	}
	return l.token(Op, i, i+1)
}

// Normalize returns a name in NFKC, the form in which Python compares names.
func Normalize(name string) string {
	if ascii(name) {
		return name
	}
	return norm.NFKC.String(name)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// word reads a name, or the string that the name is a prefix of.
func (l *lexer) word(i int) TokenKind {
	text, end := l.text, i
	for end < len(text) && wordBytes[text[end]] {
		end++
	}
	if end < len(text) {
		c := text[end]
		if c >= utf8.RuneSelf {
			return l.wideWord(i, end)
		}
		if classes[c] == classQuote && end-i <= 2 {
			if p, ok := prefixOf(text[i:end]); ok {
				return l.quoted(i, end, p)
			}
		}
	}
	return l.token(Name, i, end)
}

// wideWord continues a name at its first byte outside ASCII. A character that cannot be in a name is reported if
// it begins a token.
func (l *lexer) wideWord(start, end int) TokenKind {
	for end < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[end:])
		if !inName(r, end == start) || r == utf8.RuneError && size == 1 {
			break
		}
		end += size
	}
	if end > start {
		return l.token(Name, start, end)
	}
	r, size := utf8.DecodeRuneInString(l.text[start:])
	l.invalid(start, r)
	return l.token(Op, start, start+size)
}

func (l *lexer) invalid(at int, r rune) {
	switch {
	case l.full():
	case unicode.IsPrint(r):
		l.problem(at, raised, fmt.Sprintf("invalid character '%c' (U+%04X)", r, r))
	default:
		l.problem(at, raised, fmt.Sprintf("invalid non-printable character U+%04X", r))
	}
}

// inName reports whether r may begin or continue a name, by XID_Start and XID_Continue. Both also require the
// same of the compatibility decomposition.
func inName(r rune, first bool) bool {
	if r < utf8.RuneSelf {
		return wordBytes[r] && !(first && r >= '0' && r <= '9')
	}
	if !idContinue(r) || first && !idStart(r) {
		return false
	}
	for i, d := range norm.NFKC.String(string(r)) {
		if !idContinue(d) || first && i == 0 && !idStart(d) {
			return false
		}
	}
	return true
}

func idStart(r rune) bool {
	return r == '_' || unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) &&
		!unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

func idContinue(r rune) bool {
	return idStart(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}
