package events

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// ManifestDigest is the SHA-256 of the manifest's canonical JSON: two prompts
// are the same to the byte exactly when their digests are.
func ManifestDigest(parts []Part) (string, error) {
	if b, ok := canonicalManifest(parts); ok {
		return Digest(b), nil
	}
	raw, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("manifest: %w", err)
	}
	return CanonicalDigest(raw)
}

// maxExact is the largest whole number that canonical JSON, whose numbers are
// doubles, writes digit by digit in any case.
const maxExact = 1 << 53

// canonicalManifest writes what [Canonical] makes of the parts' JSON, without
// the way through JSON text: replay does it for every prompt. False for
// numbers whose canonical form is not their digits.
func canonicalManifest(parts []Part) ([]byte, bool) {
	if parts == nil {
		return []byte("null"), true
	}
	size := 2
	for i := range parts {
		p := &parts[i]
		if p.Head < -maxExact || p.Head > maxExact || p.Size < -maxExact || p.Size > maxExact || p.Index < -maxExact || p.Index > maxExact {
			return nil, false
		}
		size += 256 + len(p.Text) + len(p.Prefix) + len(p.Suffix)
	}
	b := append(make([]byte, 0, size), '[')
	for i := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPart(b, &parts[i])
	}
	return append(b, ']'), true
}

// appendPart writes one part, its members in the order of their names.
func appendPart(b []byte, p *Part) []byte {
	text := func(head, s string) {
		if s != "" {
			b = appendString(append(b, head...), s)
			b = append(b, ',')
		}
	}
	number := func(head string, n int64) {
		if n != 0 {
			b = strconv.AppendInt(append(b, head...), n, 10)
			b = append(b, ',')
		}
	}
	b = append(b, '{')
	text(`"call":`, p.Call)
	if p.Failed {
		b = append(b, `"failed":true,`...)
	}
	text(`"fence":`, p.Fence)
	text(`"from":`, p.From)
	number(`"head":`, int64(p.Head))
	number(`"index":`, int64(p.Index))
	text(`"kind":`, p.Kind)
	text(`"origin":`, p.Origin)
	text(`"prefix":`, p.Prefix)
	b = appendString(append(b, `"role":`...), p.Role)
	b = append(b, ',')
	text(`"sha256":`, p.SHA256)
	number(`"size":`, p.Size)
	text(`"suffix":`, p.Suffix)
	text(`"text":`, p.Text)
	b[len(b)-1] = '}'
	return b
}

// AppendText appends a text as canonical JSON has it; see [Canonical].
func AppendText(b []byte, s string) []byte { return appendString(b, s) }

// appendString writes a string as RFC 8785 does: the two-character escapes,
// other control characters in hexadecimal, everything else as it is. A byte
// that is no UTF-8 becomes U+FFFD, as encoding/json has it.
func appendString(b []byte, s string) []byte {
	const hexadecimal = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		b = append(b, s[from:i]...)
		switch {
		case c >= utf8.RuneSelf:
			b = append(b, "\uFFFD"...)
		case c == '"', c == '\\':
			b = append(b, '\\', c)
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\f':
			b = append(b, `\f`...)
		case c == '\r':
			b = append(b, `\r`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hexadecimal[c>>4], hexadecimal[c&15])
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}
