package web

import (
	"bytes"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// sniffed is the number of bytes from which the kind of a response is determined.
const sniffed = 4 << 10

// kind is the kind of a response body. Zero is invalid.
type kind uint8

const (
	kindHTML   kind = iota + 1 // an HTML page
	kindText                   // any other text, returned unchanged
	kindBinary                 // not text
)

// mediaType returns the type that the server names, or else the type detected from the bytes.
func (r *response) mediaType() string {
	if t, _, err := mime.ParseMediaType(r.header.Get("Content-Type")); err == nil && strings.Contains(t, "/") {
		return t
	}
	t, _, _ := strings.Cut(http.DetectContentType(r.body), ";")
	return t
}

// kind trusts the server's type unless the bytes cannot be text.
func (r *response) kind() kind {
	t := r.mediaType()
	_, declared := charsetOf(r.header.Get("Content-Type"))
	wide := declared || bytes.HasPrefix(r.body, []byte("\xff\xfe")) || bytes.HasPrefix(r.body, []byte("\xfe\xff"))
	switch {
	case bytes.HasPrefix(r.body, []byte("%PDF-")), bytes.IndexByte(r.body[:min(len(r.body), sniffed)], 0) >= 0 && !wide:
		return kindBinary
	case t == "text/html" || t == "application/xhtml+xml":
		return kindHTML
	case isText(t):
		return kindText
	case t == "application/octet-stream" && utf8.Valid(cutRune(r.body)) && len(r.body) > 0:
		return kindText
	}
	return kindBinary
}

func isText(t string) bool {
	if strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "+json") || strings.HasSuffix(t, "+xml") ||
		strings.HasSuffix(t, "+yaml") {
		return true
	}
	switch t {
	case "application/json", "application/xml", "application/javascript", "application/ecmascript",
		"application/x-javascript",
		"application/x-ndjson", "application/jsonl", "application/json-seq", "application/yaml", "application/x-yaml",
		"application/toml",
		"application/x-sh", "application/sql", "application/graphql", "application/x-httpd-php", "application/x-tex",
		"application/x-www-form-urlencoded", "application/x-subrip", "message/rfc822":
		return true
	}
	return false
}

// cutRune drops an incomplete character at the end of b.
func cutRune(b []byte) []byte {
	for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
		if utf8.RuneStart(b[len(b)-back]) {
			if !utf8.FullRune(b[len(b)-back:]) {
				return b[:len(b)-back]
			}
			break
		}
	}
	return b
}

func charsetOf(contentType string) (string, bool) {
	_, params, err := mime.ParseMediaType(contentType)
	return params["charset"], err == nil && params["charset"] != ""
}

// decode converts the body to UTF-8 by byte order mark, Content-Type and, in HTML pages, meta elements. A text
// that declares no encoding is decoded as UTF-8 if valid, otherwise as Windows-1252.
func (r *response) decode(k kind) string {
	contentType := r.header.Get("Content-Type")
	body := r.body
	if r.cut {
		body = cutRune(body)
	}
	head := body[:min(len(body), sniffed)]
	if k != kindHTML {
		head = body[:min(len(body), 3)] // ignore meta elements in other texts
	}
	encoding, _, certain := charset.DetermineEncoding(head, contentType)
	if !certain && utf8.Valid(body) && !namesEncoding(head) {
		return string(body)
	}
	decoded, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		decoded = body
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(decoded), "\uFFFD"), "\uFEFF")
}

// namesEncoding reports whether the head of a page may declare an encoding.
func namesEncoding(head []byte) bool {
	return bytes.Contains(bytes.ToLower(head[:min(len(head), 1024)]), []byte("charset"))
}
