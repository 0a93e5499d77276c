package transport

import (
	"bytes"
	"io"
)

// eventLines reads an event stream and removes what not every SDK accepts: comments, empty lines
// that end no event, a byte order mark, and carriage returns. See
// https://html.spec.whatwg.org/multipage/server-sent-events.html.
type eventLines struct {
	from    io.Reader
	in, out []byte
	err     error

	begun   bool // the byte order mark was checked
	atStart bool // at the start of a line
	comment bool // inside a comment
	cr      bool // the last byte was a carriage return
	open    bool // the current event has a line
}

// inBuffer is the number of bytes to read at a time.
const inBuffer = 16 << 10

// byteOrderMark may precede an event stream.
const byteOrderMark = "\xEF\xBB\xBF"

func (l *eventLines) Read(p []byte) (int, error) {
	for len(l.out) == 0 && l.err == nil {
		l.fill()
	}
	if len(l.out) > 0 {
		n := copy(p, l.out)
		l.out = l.out[n:]
		return n, nil
	}
	return 0, l.err
}

func (l *eventLines) fill() {
	if l.in == nil {
		l.in = make([]byte, inBuffer)
	}
	n := 0
	if !l.begun {
		n, l.err = l.beginning()
	} else {
		n, l.err = l.from.Read(l.in)
	}
	l.out = l.out[:0]
	for in := l.in[:n]; len(in) > 0; {
		in = in[l.take(in):]
	}
}

// beginning reads until it is clear whether the stream starts with a byte order mark.
func (l *eventLines) beginning() (n int, err error) {
	l.begun = true
	for n < len(byteOrderMark) && err == nil {
		var more int
		more, err = l.from.Read(l.in[n:])
		n += more
		if at := min(n, len(byteOrderMark)); string(l.in[:at]) != byteOrderMark[:at] {
			return n, err
		}
	}
	if n >= len(byteOrderMark) {
		n = copy(l.in, l.in[len(byteOrderMark):n])
	}
	return n, err
}

// take consumes the rest of a line, or one byte of its end, and returns the number of bytes.
func (l *eventLines) take(in []byte) int {
	c, after := in[0], l.cr
	l.cr = c == '\r'
	switch {
	case c == '\n' && after: // second byte of a CRLF line end
		return 1
	case c == '\n', c == '\r':
		l.endLine()
		return 1
	case l.atStart && c == ':':
		l.comment = true
	}
	n := bytes.IndexAny(in, "\r\n")
	if n < 0 {
		n = len(in)
	}
	if !l.comment {
		l.atStart, l.open = false, true
		l.out = append(l.out, in[:n]...)
	}
	return n
}

func (l *eventLines) endLine() {
	switch {
	case l.comment:
		l.comment = false
	case !l.atStart:
		l.atStart = true
		l.out = append(l.out, '\n')
	case l.open:
		l.open = false
		l.out = append(l.out, '\n')
	}
}
