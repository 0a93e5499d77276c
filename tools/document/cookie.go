package document

import (
	"bytes"
	"strings"
)

// cookie returns the encoding that Python source declares and the line that declares it: the first line, or the
// second if the first is blank or a comment. CPython's aliases of UTF-8 and Latin-1 are normalized as in CPython;
// all others are returned as written.
func cookie(source []byte) (name string, line int) {
	for line = 1; line <= 2; line++ {
		text, rest := cutLine(source)
		if name := cookieOf(text); name != "" {
			return normalCookie(name), line
		}
		if !blankOrComment(text) {
			return "", 0
		}
		source = rest
	}
	return "", 0
}

// cutLine splits the first line off, without its end.
func cutLine(source []byte) (line, rest []byte) {
	end := bytes.IndexAny(source, "\r\n")
	if end < 0 {
		return source, nil
	}
	next := end + 1
	if source[end] == '\r' && next < len(source) && source[next] == '\n' {
		next++
	}
	return source[:end], source[next:]
}

func blankOrComment(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\f")
	return len(line) == 0 || line[0] == '#'
}

// cookieOf reads a declaration from one line: a comment that contains "coding", ":" or "=", blanks and a name.
func cookieOf(line []byte) string {
	if !blankOrComment(line) {
		return ""
	}
	for {
		at := bytes.Index(line, []byte("coding"))
		if at < 0 {
			return ""
		}
		line = line[at+len("coding"):]
		if len(line) == 0 || line[0] != ':' && line[0] != '=' {
			continue
		}
		value := bytes.TrimLeft(line[1:], " \t")
		end := 0
		for end < len(value) && inName(value[end]) {
			end++
		}
		if end > 0 {
			return string(value[:end])
		}
	}
}

func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
}

// normalCookie returns CPython's own name for any variant of UTF-8 or Latin-1, such as "utf-8-unix". Only the
// first twelve characters are compared.
func normalCookie(name string) string {
	head := []byte(name[:min(len(name), 12)])
	for i, c := range head {
		switch {
		case c == '_':
			head[i] = '-'
		case c >= 'A' && c <= 'Z':
			head[i] = c + 'a' - 'A'
		}
	}
	is := func(normal string) bool {
		return string(head) == normal || bytes.HasPrefix(head, []byte(normal+"-"))
	}
	switch {
	case is("utf-8"):
		return "utf-8"
	case is("latin-1") || is("iso-8859-1") || is("iso-latin-1"):
		return "iso-8859-1"
	}
	return name
}

// codecName returns the codec for a name, in Python's spelling. As in Python, dots count as underscores in
// aliases and are ignored in module names.
func codecName(name string) (string, bool) {
	normal := normalCodec(name)
	undotted := strings.ReplaceAll(normal, ".", "_")
	for _, entry := range codecs {
		if entry.module == normal {
			return entry.name, true
		}
		for alias := range strings.FieldsSeq(entry.aliases) {
			if alias == normal || alias == undotted {
				return entry.name, true
			}
		}
	}
	return "", false
}

// normalCodec returns a name in lower case with one underscore for each run of other characters.
func normalCodec(name string) string {
	var out []byte
	gap := false
	for i := range len(name) {
		c := name[i]
		if c == '-' || c == '_' {
			gap = len(out) > 0
			continue
		}
		if gap {
			out = append(out, '_')
		}
		gap = false
		out = append(out, c)
	}
	return strings.ToLower(string(out))
}
