package document

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// page is a code page in which bytes below 0x80 are ASCII and the bytes of a character do not depend on the context.
type page interface {
	// next decodes the first character of data, which must not be empty and must begin with a byte of at least
	// 0x80. It returns zero if there is none.
	next(data []byte) (r rune, size int)
	// bytes encodes a character of at least U+0080. It returns nil if the page does not have it.
	bytes(r rune) []byte
	// complaint returns the error for a byte at offset with which no character begins.
	complaint(c byte, offset int) string
}

// paged implements the common part of all pages.
type paged struct{ page }

// decode returns the text of data, and the offset of the first byte that is not a character, or -1.
func (p paged) decode(data []byte) (string, int) {
	var b strings.Builder
	b.Grow(len(data) + len(data)/8)
	for at := 0; at < len(data); {
		if data[at] < utf8.RuneSelf {
			b.WriteByte(data[at])
			at++
			continue
		}
		r, size := p.next(data[at:])
		if size == 0 {
			return "", at
		}
		b.WriteRune(r)
		at += size
	}
	return b.String(), -1
}

// offsets returns a function from offsets in the text to offsets in data. It must be called with increasing offsets.
func (p paged) offsets(data []byte) func(int) int {
	at, passed := 0, 0
	return func(offset int) int {
		for passed < offset {
			r, size := rune(data[at]), 1
			if r >= utf8.RuneSelf {
				r, size = p.next(data[at:])
			}
			at += size
			passed += utf8.RuneLen(r)
		}
		return at
	}
}

func (p paged) encode(text, name string) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r < utf8.RuneSelf {
			out = append(out, byte(r))
			continue
		}
		piece := p.bytes(r)
		if piece == nil {
			return nil, &EncodingError{name, r}
		}
		out = append(out, piece...)
	}
	return out, nil
}

// ascii is the page with only ASCII characters.
type ascii struct{}

func (ascii) next([]byte) (rune, int) { return 0, 0 }
func (ascii) bytes(rune) []byte       { return nil }
func (ascii) complaint(c byte, offset int) string {
	return fmt.Sprintf("'ascii' codec can't decode byte 0x%02x in position %d: ordinal not in range(128)", c, offset)
}

// single is a page of one byte per character.
type single struct {
	table    *charmap.Charmap
	controls bool          // 0x80 to 0x9F are control characters with the same numbers
	other    map[byte]rune // differences in Python; zero means that Python has no such character
}

func (p single) next(data []byte) (rune, int) {
	c := data[0]
	r, differs := p.other[c]
	switch {
	case differs:
	case p.controls && c < 0xA0:
		r = rune(c)
	default:
		r = p.table.DecodeByte(c)
	}
	if r == 0 || r == utf8.RuneError {
		return 0, 0
	}
	return r, 1
}

func (p single) bytes(r rune) []byte {
	for c, own := range p.other {
		if own == r {
			return []byte{c}
		}
	}
	if p.controls && r < 0xA0 {
		return []byte{byte(r)}
	}
	c, ok := p.table.EncodeRune(r)
	if back, _ := p.next([]byte{c}); !ok || c < utf8.RuneSelf || back != r {
		return nil
	}
	return []byte{c}
}

func (single) complaint(c byte, offset int) string {
	return fmt.Sprintf("'charmap' codec can't decode byte 0x%02x in position %d: character maps to <undefined>", c, offset)
}

// multi is a page of several bytes per character.
type multi struct {
	name  string
	table encoding.Encoding
	units transform.Transformer       // the decoder of table, which is stateless
	size  func(data []byte) int       // size of the first character; may exceed the data
	has   func(lead, trail byte) bool // false for characters that Python lacks; nil if it has all of table
	other map[string]rune             // characters for which Python differs
}

func (p multi) next(data []byte) (rune, int) {
	size := p.size(data)
	if size > len(data) || size > 1 && p.has != nil && !p.has(data[0], data[1]) {
		return 0, 0
	}
	if r, differs := p.other[string(data[:size])]; differs {
		return r, size
	}
	var buffer [8]byte
	n, read, err := p.units.Transform(buffer[:], data[:size], true)
	r, length := utf8.DecodeRune(buffer[:n])
	if err != nil || read != size || length != n || r == utf8.RuneError {
		return 0, 0
	}
	return r, size
}

func (p multi) bytes(r rune) []byte {
	for piece, own := range p.other {
		if own == r {
			return []byte(piece)
		}
	}
	piece, err := p.table.NewEncoder().Bytes([]byte(string(r)))
	if err != nil || len(piece) == 0 || piece[0] < utf8.RuneSelf {
		return nil
	}
	if back, size := p.next(piece); size != len(piece) || back != r {
		return nil
	}
	return piece
}

func (p multi) complaint(c byte, offset int) string {
	return fmt.Sprintf("'%s' codec can't decode byte 0x%02x in position %d: illegal multibyte sequence", p.name, c, offset)
}
