package events

// Nesting is the greatest depth of arrays and objects in a text that may be
// JSON, in one pass and without a stack: for whoever bounds the depth of what
// comes from outside before it is decoded.
func Nesting(text []byte) int {
	deepest, now := 0, 0
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}
