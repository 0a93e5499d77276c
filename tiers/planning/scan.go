package planning

import "strings"

// maxCut limits how many unclosed arrays are tried, so that reading a reply takes linear time.
const maxCut = 64

// candidate is a part of a reply that may be JSON.
type candidate struct {
	text   string
	at     int  // start position
	fenced bool // it is in a code block
	open   bool // it is never closed; text is the rest of the reply
}

// scan passes the outermost unquoted arrays and objects of a reply to take.
func scan(reply string, take func(candidate)) {
	fences, seen := 0, 0
	for i, cut := 0, 0; i < len(reply) && cut < maxCut; {
		if !opens(reply, i) {
			i++
			continue
		}
		fences += strings.Count(reply[seen:i], codeFence)
		seen = i
		n := balanced(reply[i:])
		if n == 0 {
			take(candidate{text: reply[i:], at: i, open: true})
			cut++
			i++
			continue
		}
		if !quoted(reply, i, i+n) {
			take(candidate{text: reply[i : i+n], at: i, fenced: fences%2 == 1})
		}
		i += n
		seen = i
	}
}

// codeFence starts and ends a code block.
const codeFence = "```"

// quoted reports whether a part of a reply is quoted: it is on a line that begins with >, or
// between single backquotes or quotation marks.
func quoted(reply string, from, to int) bool {
	near := reply[max(0, from-maxQuote):from]
	line := near[strings.LastIndexByte(near, '\n')+1:]
	if strings.HasPrefix(strings.TrimLeft(line, " \t"), ">") {
		return true
	}
	before, behind := reply[:from], reply[to:]
	for _, marks := range [][2]string{{"`", "`"}, {"\"", "\""}, {"“", "”"}, {"«", "»"}} {
		if strings.HasSuffix(before, marks[0]) && strings.HasPrefix(behind, marks[1]) &&
			!strings.HasSuffix(before, codeFence) {
			return true
		}
	}
	return false
}

// maxQuote limits how far back the start of a candidate's line is searched for.
const maxQuote = 200

// opens reports whether an array of objects, an empty array or an object with a member may start
// at i.
func opens(s string, i int) bool {
	if s[i] != '[' && s[i] != '{' {
		return false
	}
	rest := strings.TrimLeft(s[i+1:], " \t\r\n")
	if rest == "" {
		return false
	}
	if s[i] == '{' {
		return rest[0] == '"'
	}
	return rest[0] == '{' || rest[0] == ']'
}

// balanced returns the length of the bracketed text at the start of s, ignoring brackets inside
// JSON strings; 0 if it is never closed.
func balanced(s string) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// CallName returns the name in a JSON object that looks like a tool call, with a name and an
// object of arguments. It returns false if the text has none.
func CallName(text string) (name string, is bool) {
	scan(text, func(c candidate) {
		if c.open || is {
			return
		}
		v, wrong := read(c.text)
		if wrong != "" {
			return
		}
		if v.kind == isList && len(v.list) > 0 {
			v = v.list[0]
		}
		if inner, has := v.member("function"); has && inner.kind == isObject {
			v = inner
		}
		name, is = v.call()
	})
	return name, is
}

// call returns the name in an object that looks like a tool call.
func (v value) call() (name string, is bool) {
	for _, key := range []string{"name", "tool", "tool_name", "recipient_name"} {
		if m, has := v.member(key); has && m.kind == isText {
			name = m.text
			break
		}
	}
	for _, key := range []string{"arguments", "parameters", "args", "input"} {
		if m, has := v.member(key); has && (m.kind == isObject || m.kind == isText) {
			return name, name != ""
		}
	}
	return "", false
}
