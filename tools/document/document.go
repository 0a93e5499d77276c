package document

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// Encodings that Decode detects. DecodePython adds the names of code pages.
const (
	UTF8    = "utf-8"
	UTF8BOM = "utf-8-bom"
	Damaged = "utf-8 with invalid bytes" // Text is then not valid UTF-8
	UTF16LE = "utf-16le"
	UTF16BE = "utf-16be"
	Latin1  = "latin-1" // guessed: neither UTF-8 nor binary
)

// Document is a text file: its text, and the information needed to write it back.
type Document struct {
	Text     string // decoded, without a byte order mark, line ends as in the file
	Encoding string
	data     []byte
	page     paged // for declared encodings of Python source; its page is nil otherwise
}

// EncodingError means that a file's encoding cannot represent a character of new text.
type EncodingError struct {
	Encoding string
	Rune     rune
}

// Error returns the error in one line.
func (e *EncodingError) Error() string {
	return fmt.Sprintf("its encoding (%s) cannot represent %q; use other characters", e.Encoding, e.Rune)
}

// asText returns bytes as a string without copying, which would take most of the time for large files. The bytes
// of a file are never changed after it was read.
func asText(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// Decode detects the encoding of data, which must not be changed afterwards. It returns false for binary data.
func Decode(data []byte) (Document, bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		if text, ok := decodeUTF16(data[2:], binary.LittleEndian); ok {
			return Document{Text: text, Encoding: UTF16LE, data: data}, true
		}
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		if text, ok := decodeUTF16(data[2:], binary.BigEndian); ok {
			return Document{Text: text, Encoding: UTF16BE, data: data}, true
		}
	}
	switch {
	case bytes.IndexByte(data, 0) >= 0:
		return Document{}, false
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}) && utf8.Valid(data):
		return Document{Text: asText(data[3:]), Encoding: UTF8BOM, data: data}, true
	case utf8.Valid(data):
		return Document{Text: asText(data), Encoding: UTF8, data: data}, true
	case mostlyUTF8(data):
		return Document{Text: asText(data), Encoding: Damaged, data: data}, true
	}
	runes := make([]rune, len(data))
	for i, c := range data {
		runes[i] = rune(c)
	}
	return Document{Text: string(runes), Encoding: Latin1, data: data}, true
}

// mostlyUTF8 reports whether data has at least as many well-formed multi-byte characters as runs of stray bytes.
// In Latin-1 text such characters are rare.
func mostlyUTF8(data []byte) bool {
	long, stray, astray := 0, 0, false
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			if !astray {
				stray++
			}
		case size > 1:
			long++
		}
		astray = r == utf8.RuneError && size == 1
		data = data[size:]
	}
	return long >= stray
}

// decodeUTF16 returns false for text that would not round-trip.
func decodeUTF16(data []byte, order binary.ByteOrder) (string, bool) {
	if len(data)%2 != 0 {
		return "", false
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	text := string(utf16.Decode(units))
	return text, bytes.Equal(encodeUTF16(text, order), data) && !strings.ContainsRune(text, 0)
}

func encodeUTF16(text string, order binary.ByteOrder) []byte {
	units := utf16.Encode([]rune(text))
	out := make([]byte, 2*len(units))
	for i, unit := range units {
		order.PutUint16(out[2*i:], unit)
	}
	return out
}

// Edit returns the document with the splices applied, in the same encoding. Errors are those of Splice.
func (d Document) Edit(splices []Splice) (Document, error) {
	data, err := d.Splice(splices)
	if err != nil {
		return Document{}, err
	}
	d.data = data
	d.Text, err = Apply(d.Text, splices)
	return d, err
}

// Bytes returns the bytes of the file. The caller must not change them.
func (d Document) Bytes() []byte { return d.data }

// Splice returns the bytes of the file with the splices applied. All other bytes are copied unchanged. The error
// is an *EncodingError if the encoding cannot represent the new text.
func (d Document) Splice(splices []Splice) ([]byte, error) {
	ordered, err := order(len(d.Text), splices)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(d.data))
	at := d.offsets()
	last := 0
	for _, s := range ordered {
		if d.converted() && !(border(d.Text, s.Start) && border(d.Text, s.End)) {
			return nil, errSplices
		}
		start, end := at(s.Start), at(s.End)
		encoded, err := d.encode(s.New)
		if err != nil {
			return nil, err
		}
		out = append(append(out, d.data[last:start]...), encoded...)
		last = end
	}
	return append(out, d.data[last:]...), nil
}

// converted reports whether the bytes of the file differ from Text.
func (d Document) converted() bool {
	return d.page.page != nil || d.Encoding == UTF16LE || d.Encoding == UTF16BE || d.Encoding == Latin1
}

// offsets returns a function from offsets in Text to offsets in the file. It must be called with increasing offsets.
func (d Document) offsets() func(int) int {
	if d.page.page != nil {
		return d.page.offsets(d.data)
	}
	switch d.Encoding {
	case UTF8BOM:
		return func(offset int) int { return offset + 3 }
	case UTF16LE, UTF16BE:
		return d.counted(2, func(r rune) int { return 2 * utf16.RuneLen(r) })
	case Latin1:
		return d.counted(0, func(rune) int { return 1 })
	}
	return func(offset int) int { return offset }
}

// counted sums the sizes of characters in the file, starting after head bytes.
func (d Document) counted(head int, size func(rune) int) func(int) int {
	passed := 0
	return func(offset int) int {
		for _, r := range d.Text[passed:offset] {
			head += size(r)
		}
		passed = offset
		return head
	}
}

func (d Document) encode(text string) ([]byte, error) {
	if d.page.page != nil {
		return d.page.encode(text, d.Encoding)
	}
	switch d.Encoding {
	case UTF16LE:
		return encodeUTF16(text, binary.LittleEndian), nil
	case UTF16BE:
		return encodeUTF16(text, binary.BigEndian), nil
	case Latin1:
		return encodeLatin1(text)
	}
	return []byte(text), nil
}

func encodeLatin1(text string) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xFF {
			return nil, &EncodingError{Latin1, r}
		}
		out = append(out, byte(r))
	}
	return out, nil
}
