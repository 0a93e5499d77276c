package document

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// SourceError reports why CPython would not decode a Python file, in CPython's wording if it is known.
type SourceError struct {
	Line int    // 1-based line of the error
	Text string // one line
}

// Error returns the text, which is one line.
func (e *SourceError) Error() string { return e.Text }

// DecodePython decodes Python source as CPython does: by its byte order mark, by the encoding that one of its
// first two lines declares (PEP 263), or else as UTF-8. The data must not be changed afterwards.
//
// The error is a *SourceError if CPython rejects the file or if the encoding is not supported here. The document
// is then the result of Decode, so that the file can still be read and repaired. For binary data it is the zero
// Document.
func DecodePython(data []byte) (Document, error) {
	doc, err := decodePython(data)
	if err != nil {
		doc, _ = Decode(data)
	}
	return doc, err
}

// IsPython reports whether a file is Python source: by its extension (.py, .pyw, .pyi in lower case), or, without
// an extension, by a first line that runs Python.
func IsPython(name string, data []byte) bool {
	switch path.Ext(name) {
	case ".py", ".pyw", ".pyi":
		return true
	case "":
		first, _ := cutLine(data[:min(len(data), 256)])
		return bytes.HasPrefix(first, []byte("#!")) && bytes.Contains(first, []byte("python"))
	}
	return false
}

func decodePython(data []byte) (Document, error) {
	if at := bytes.IndexByte(data, 0); at >= 0 {
		return Document{}, &SourceError{lineAt(data, at), "source code string cannot contain null bytes"}
	}
	source := bytes.TrimPrefix(data, []byte{0xEF, 0xBB, 0xBF})
	declared, line := cookie(source)
	if len(source) < len(data) {
		if declared != "" && declared != UTF8 {
			return Document{}, &SourceError{line, fmt.Sprintf("encoding problem: %s with BOM", declared)}
		}
		if err := checkUTF8(source, declared); err != nil {
			return Document{}, err
		}
		return Document{Text: asText(source), Encoding: UTF8BOM, data: data}, nil
	}
	name, known := UTF8, true
	if declared != "" {
		name, known = codecName(declared)
	}
	if known && name == UTF8 {
		if err := checkUTF8(data, declared); err != nil {
			return Document{}, err
		}
		return Document{Text: asText(data), Encoding: UTF8, data: data}, nil
	}
	return decodeDeclared(data, declared, line)
}

// decodeDeclared decodes with a declared encoding other than UTF-8.
func decodeDeclared(data []byte, declared string, line int) (Document, error) {
	name, known := codecName(declared)
	switch {
	case !known:
		return Document{}, &SourceError{line, "unknown encoding: " + declared}
	case strings.Contains(" "+notText+" ", " "+name+" "):
		return Document{}, &SourceError{line, fmt.Sprintf("'%s' is not a text encoding; use codecs.decode() to handle "+
			"arbitrary codecs", declared)}
	}
	page, ok := codePage(name)
	if !ok {
		return Document{}, &SourceError{line, fmt.Sprintf("the encoding %s is valid in Python but not supported here",
			declared)}
	}
	text, at := page.decode(data)
	if at >= 0 {
		return Document{}, &SourceError{lineAt(data, at), page.complaint(data[at], at)}
	}
	return Document{Text: text, Encoding: name, data: data, page: page}, nil
}

// checkUTF8 rejects invalid UTF-8 as CPython does.
func checkUTF8(data []byte, declared string) error {
	if utf8.Valid(data) {
		return nil
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	line := lineAt(data, at)
	if declared != "" {
		return &SourceError{line, fmt.Sprintf("(unicode error) 'utf-8' codec can't decode byte 0x%02x in position %d: %s",
			data[at], at, badUTF8(data[at:]))}
	}
	return &SourceError{line, fmt.Sprintf("Non-UTF-8 code starting with '\\x%02x' on line %d, but no encoding declared; "+
		"see https://peps.python.org/pep-0263/ for details", data[at], line)}
}

// badUTF8 describes what is wrong with the first character of data.
func badUTF8(data []byte) string {
	need := 0
	switch lead := data[0]; {
	case lead >= 0xC2 && lead < 0xE0:
		need = 1
	case lead >= 0xE0 && lead < 0xF0:
		need = 2
	case lead >= 0xF0 && lead < 0xF5:
		need = 3
	default:
		return "invalid start byte"
	}
	if len(data) <= need && !bytes.ContainsFunc(data[1:], func(r rune) bool { return r < 0x80 }) {
		return "unexpected end of data"
	}
	return "invalid continuation byte"
}

// lineAt returns the 1-based number of the line that contains the byte at offset.
func lineAt(data []byte, offset int) int {
	head := data[:offset]
	pairs := bytes.Count(head, []byte("\r\n"))
	return 1 + bytes.Count(head, []byte("\n")) + bytes.Count(head, []byte("\r")) - pairs
}
