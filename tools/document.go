package tools

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"manualslop/tools/sandbox"
)

// Encodings that a document can have.
const (
	encodingUTF8    = "utf-8"
	encodingBOM     = "utf-8-bom"
	encodingDamaged = "utf-8 with invalid bytes"
	encodingUTF16LE = "utf-16le"
	encodingUTF16BE = "utf-16be"
	encodingLatin1  = "latin-1"
)

// document is a text file: what it says, and what is needed to write it back without touching a
// byte that was not meant. Text of the damaged encoding is not valid UTF-8.
type document struct {
	file     sandbox.File
	encoding string
	text     string // without byte order mark
}

// readDocument reads a text file. Binary files are refused.
func readDocument(ctx context.Context, env Env, path string) (document, error) {
	file, err := env.ReadFile(ctx, path)
	if err != nil {
		return document{}, err
	}
	encoding, text, ok := decodeText(file.Data)
	if !ok {
		return document{}, Refuse("%s is a binary file of %d bytes (NUL byte at offset %d), which this tool does not handle",
			file.Path, len(file.Data), bytes.IndexByte(file.Data, 0))
	}
	return document{file: file, encoding: encoding, text: text}, nil
}

// decodeText finds the encoding of data. It answers false for binary data.
func decodeText(data []byte) (encoding, text string, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		if text, ok := decodeUTF16(data[2:], binary.LittleEndian); ok {
			return encodingUTF16LE, text, true
		}
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		if text, ok := decodeUTF16(data[2:], binary.BigEndian); ok {
			return encodingUTF16BE, text, true
		}
	}
	switch {
	case bytes.IndexByte(data, 0) >= 0:
		return "", "", false
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}) && utf8.Valid(data):
		return encodingBOM, string(data[3:]), true
	case utf8.Valid(data):
		return encodingUTF8, string(data), true
	case mostlyUTF8(data):
		return encodingDamaged, string(data), true
	}
	runes := make([]rune, len(data))
	for i, c := range data {
		runes[i] = rune(c)
	}
	return encodingLatin1, string(runes), true
}

// mostlyUTF8 tells whether data has more well-formed long characters than stray bytes.
func mostlyUTF8(data []byte) bool {
	long, stray := 0, 0
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			stray++
		case size > 1:
			long++
		}
		data = data[size:]
	}
	return long > stray
}

// decodeUTF16 answers false for text that would not come back the same.
func decodeUTF16(data []byte, order binary.ByteOrder) (string, bool) {
	if len(data)%2 != 0 {
		return "", false
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	text := string(utf16.Decode(units))
	back := encodeUTF16(text, order)
	return text, bytes.Equal(back, data) && !strings.ContainsRune(text, 0)
}

func encodeUTF16(text string, order binary.ByteOrder) []byte {
	units := utf16.Encode([]rune(text))
	out := make([]byte, 2*len(units))
	for i, unit := range units {
		order.PutUint16(out[2*i:], unit)
	}
	return out
}

// with gives the bytes of the file with another text, or refuses a text that the encoding cannot
// hold.
func (d document) with(text string) ([]byte, error) {
	switch d.encoding {
	case encodingBOM:
		return append([]byte{0xEF, 0xBB, 0xBF}, text...), nil
	case encodingUTF16LE:
		return append([]byte{0xFF, 0xFE}, encodeUTF16(text, binary.LittleEndian)...), nil
	case encodingUTF16BE:
		return append([]byte{0xFE, 0xFF}, encodeUTF16(text, binary.BigEndian)...), nil
	case encodingLatin1:
		return encodeLatin1(d.file.Path, text)
	}
	return []byte(text), nil
}

func encodeLatin1(path, text string) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xFF {
			return nil, Refuse("%s is not UTF-8 (taken for latin-1), and its encoding cannot hold %q; use other characters", path, r)
		}
		out = append(out, byte(r))
	}
	return out, nil
}

// checkHash refuses a file that is not the expected one. An expected hash is SHA-256 in hex, whole
// or at least its first eight digits; empty expects nothing.
func (d document) checkHash(expected string) error {
	return checkHash(d.file.Path, d.file.SHA256, expected)
}

func checkHash(path, now, expected string) error {
	expected = strings.ToLower(strings.TrimSpace(expected))
	switch {
	case expected == "":
		return nil
	case len(expected) < 8:
		return Refuse("expected_hash needs at least 8 hex digits of the SHA-256 of %s", path)
	case now == "":
		return Refuse("%s does not exist, but expected_hash was given", path)
	case !strings.HasPrefix(now, expected):
		return Refuse("%s is not the expected file: its SHA-256 is %s; read it again", path, now)
	}
	return nil
}

// shown is file content as a person or a model sees it: valid UTF-8.
func shown(data []byte) string {
	encoding, text, ok := decodeText(data)
	switch {
	case !ok:
		return "(binary)\n"
	case encoding == encodingDamaged:
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return text
}
