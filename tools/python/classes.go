package python

// class says what kind of token a byte begins.
type class uint8

const (
	classOp class = iota
	classBlank
	classWord // letters, underscore and every byte of a character beyond ASCII
	classDigit
	classDot
	classQuote
	classLineEnd
	classHash
	classOpen
	classClose
	classJoin
	classOdd // belongs nowhere
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

// classes is written once and only read.
var classes = newClasses()

func newWordBytes() *[256]bool {
	var t [256]bool
	for c, class := range classes {
		t[c] = c < 0x80 && (class == classWord || class == classDigit)
	}
	return &t
}

// wordBytes are the bytes of ASCII that go on with a name.
var wordBytes = newWordBytes()
