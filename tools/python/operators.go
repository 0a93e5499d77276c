package python

// operator reads an operator; the brackets and the dot are read elsewhere.
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

// twoByte tells whether c followed by '=' is one operator.
func twoByte(c byte) bool {
	switch c {
	case '+', '-', '*', '/', '%', '@', '&', '|', '^', '<', '>':
		return true
	}
	return false
}

// fieldOperator reads a colon or an exclamation mark on the top level of a replacement field: the one
// begins the format specification, the other a conversion unless it is "!=".
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

// dot reads what a dot begins: a number, an ellipsis or itself.
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
