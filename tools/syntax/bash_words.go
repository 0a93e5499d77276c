package syntax

import "strings"

// shellWords reads words, strings and redirections of shell scripts.
type shellWords struct {
	scanner
	level      int       // enclosing blocks and strings
	here       []heredoc // announced on this line
	substitute func()    // reads $(…) after its opening parenthesis
}

// heredoc is a here-document, which begins on the next line.
type heredoc struct {
	word string
	tabs bool // tabs before its last line are ignored
}

// wrong records a range that does not parse.
func (w *shellWords) wrong(start, end int) {
	if len(w.damage) < maxDamage {
		w.damage = append(w.damage, Damage{Start: start, End: end})
	}
}

func (w *shellWords) starts(sign string) bool { return strings.HasPrefix(w.text[w.at:], sign) }

// blanks skips blanks and joined lines, and reports whether more text follows.
func (w *shellWords) blanks() bool {
	for w.at < len(w.text) {
		switch {
		case w.starts("\\\n"):
			w.at += 2
		case w.starts("\\\r\n"):
			w.at += 3
		case w.text[w.at] == ' ' || w.text[w.at] == '\t' || w.text[w.at] == '\f':
			w.at++
		default:
			return true
		}
	}
	return false
}

// gap skips blanks, comments and line ends.
func (w *shellWords) gap() {
	for w.blanks() {
		switch w.text[w.at] {
		case '#':
			w.endOfLine()
		case '\n', '\r':
			w.newLine()
		default:
			return
		}
	}
}

func (w *shellWords) endOfLine() {
	if end := strings.IndexAny(w.text[w.at:], "\r\n"); end >= 0 {
		w.at += end
	} else {
		w.at = len(w.text)
	}
}

// newLine skips a line end and the here-documents that were announced on the line.
func (w *shellWords) newLine() {
	w.at++
	here := w.here
	w.here = nil
	for _, doc := range here {
		start := w.at
		for closed := false; !closed; {
			if w.at >= len(w.text) {
				w.miss(start, doc.word)
				return
			}
			line, _, _ := strings.Cut(w.text[w.at:], "\n")
			w.at = min(w.at+len(line)+1, len(w.text))
			line = strings.TrimSuffix(line, "\r")
			if doc.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			closed = line == doc.word
		}
	}
}

// redirect reads a redirection, which begins at "<" or ">".
func (w *shellWords) redirect() {
	switch {
	case w.starts("<<<"):
		w.at += 3
	case w.starts("<<"):
		w.at += 2
		doc := heredoc{tabs: w.starts("-")}
		if doc.tabs {
			w.at++
		}
		w.blanks()
		if doc.word = strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(w.word()); doc.word != "" {
			w.here = append(w.here, doc)
		}
	case w.starts("<(") || w.starts(">("):
		w.at += 2
		w.substitute()
	default:
		for w.at++; w.at < len(w.text) && strings.IndexByte("<>&|", w.text[w.at]) >= 0; {
			w.at++
		}
	}
}

// word reads one word, including its strings and substitutions. It returns "" only at the end of the text.
func (w *shellWords) word() string {
	start := w.at
	for w.at < len(w.text) {
		switch c := w.text[w.at]; c {
		case ' ', '\t', '\n', '\r', ';', '&', '|', '<', '>', ')':
			w.at = max(w.at, min(start+1, len(w.text)))
			return w.text[start:w.at]
		case '(':
			if w.at == start || strings.IndexByte("=?*+@!", w.text[w.at-1]) < 0 {
				w.at = max(w.at, start+1)
				return w.text[start:w.at]
			}
			w.balanced('(', ')') // an array, or a pattern
		default:
			w.part()
		}
	}
	return w.text[start:]
}

// part reads one character, string or substitution.
func (w *shellWords) part() {
	switch c := w.text[w.at]; {
	case c == '\\':
		w.at = min(w.at+2, len(w.text))
	case c == '\'':
		w.quoted('\'', false)
	case w.starts("$'"):
		w.at++
		w.quoted('\'', true)
	case c == '`':
		w.quoted('`', true)
	case c == '"':
		w.double()
	case w.starts("$((") && w.arithmetic("$(("):
	case w.starts("$("):
		w.at += 2
		w.substitute()
	case w.starts("${"):
		w.at++
		w.balanced('{', '}')
	default:
		w.at++
	}
}

// quoted skips a string without substitutions.
func (w *shellWords) quoted(quote byte, escapes bool) {
	start := w.at
	for w.at++; w.at < len(w.text); w.at++ {
		switch c := w.text[w.at]; {
		case c == '\\' && escapes:
			w.at++
		case c == quote:
			w.at++
			return
		}
	}
	w.at = len(w.text)
	w.miss(start, string(quote))
}

// double skips a string with substitutions.
func (w *shellWords) double() {
	start := w.at
	w.level++
	for w.at++; w.at < len(w.text) && w.level <= maxShellDepth; {
		switch w.text[w.at] {
		case '"':
			w.at++
			w.level--
			return
		case '\'':
			w.at++
		default:
			w.part()
		}
	}
	w.level--
	w.at = len(w.text)
	w.miss(start, `"`)
}

// balanced skips bracketed text, including its strings and substitutions.
func (w *shellWords) balanced(open, closing byte) {
	start := w.at
	w.level++
	defer func() { w.level-- }()
	for depth := 0; w.at < len(w.text) && w.level <= maxShellDepth; {
		switch c := w.text[w.at]; {
		case c == open:
			depth++
			w.at++
		case c == closing:
			w.at++
			if depth--; depth == 0 {
				return
			}
		case c == '#' && open == '(' && (isBlank(w.text[w.at-1]) || w.text[w.at-1] == '('):
			w.endOfLine()
		default:
			w.part()
		}
	}
	w.at = len(w.text)
	w.miss(start, string(closing))
}

// arithmetic skips ((…)) or $((…)). It returns false if the text is a subshell inside a subshell.
func (w *shellWords) arithmetic(opening string) bool {
	const most = 1_000 // bytes
	if !w.starts(opening) {
		return false
	}
	depth, inner := 0, 0 // inner is where the inner parenthesis was closed
	text := w.text[:min(len(w.text), w.at+most)]
	for i := w.at + len(opening) - 2; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			switch depth--; depth {
			case 1:
				inner = i
			case 0:
				if inner == i-1 {
					w.at = i + 1
				}
				return inner == i-1
			}
		}
	}
	return false
}

// parentheses skips the () of a function, and returns false if there are none.
func (w *shellWords) parentheses() bool {
	start := w.at
	if w.blanks() && w.starts("(") {
		if w.at++; w.blanks() && w.starts(")") {
			w.at++
			return true
		}
	}
	w.at = start
	return false
}

// condition skips [[ … ]] after its opening brackets.
func (w *shellWords) condition(start int) {
	for w.blanks() {
		switch c := w.text[w.at]; {
		case c == '\n' || c == '\r':
			w.newLine()
		case w.starts("]]"):
			w.at += 2
			return
		case strings.IndexByte("()&|<>;", c) >= 0:
			w.at++
		default:
			w.word()
		}
	}
	w.miss(start, "]]")
}

// shellName reports whether a word can be the name of a function.
func shellName(word string) bool { return word != "" && !strings.ContainsAny(word, "$\"'`\\={}()<>[]") }
