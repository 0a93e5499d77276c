package syntax

import (
	"slices"
	"strings"
)

// bashReader lists the functions of shell scripts. tree-sitter's grammar loses the text after constructs that it
// does not know, such as [ "$a" "$b" ]. This reader only finds where blocks end, which is all it needs.
type bashReader struct {
	shellWords
	found  []Symbol
	around []int // indexes of the enclosing symbols in found
}

func readBash(text string) Structure {
	r := bashReader{shellWords: shellWords{scanner: scanner{text: text}}}
	r.substitute = func() { r.block(")", r.at) }
	for r.at < len(text) {
		if stop := r.commands(""); stop != "" { // a closing word without an open block
			r.wrong(r.at-len(stop), r.at)
		}
	}
	return r.structure(r.found)
}

// shellClosers are words that close a block if they are where a command can begin.
var shellClosers = []string{"}", "fi", "done", "esac"}

// shellOpeners are words after which a command can begin.
var shellOpeners = []string{"then", "do", "else", "elif", "while", "until", "!", "time"}

// commands reads up to the word that closes the block and returns the word at which it stopped: that word,
// another closing word, or "" at the end of the text.
func (r *bashReader) commands(closing string) string {
	begins := true // a command can begin here
	for r.blanks() {
		switch c := r.text[r.at]; {
		case c == '\n' || c == '\r':
			r.newLine()
			begins = true
		case c == '#':
			r.endOfLine()
		case closing == ";;" && (r.starts(";;") || r.starts(";&")):
			r.at += 2
			return closing
		case c == ';' || c == '&' || c == '|':
			r.at++
			begins = true
		case c == ')':
			r.at++
			return ")"
		case c == '(' && r.arithmetic("(("):
			begins = true
		case c == '(':
			r.at++
			r.block(")", r.at-1)
			begins = true
		case c == '<' || c == '>':
			r.redirect()
		default:
			start := r.at
			word := r.word()
			if !begins {
				continue
			}
			if word == closing || slices.Contains(shellClosers, word) {
				return word
			}
			begins = r.command(word, start)
		}
	}
	return ""
}

// command reads on after the first word of a command, and reports whether another command can begin there.
func (r *bashReader) command(word string, start int) bool {
	switch word {
	case "{":
		r.block("}", start)
	case "if":
		r.block("fi", start)
	case "do":
		r.block("done", start)
	case "case":
		r.cases(start)
	case "[[":
		r.condition(start)
	case "for", "select":
		r.blanks()
		if !r.arithmetic("((") {
			r.word()
			return r.follows("do", "{")
		}
	case "function", "@test":
		r.blanks()
		name := r.at
		if title := strings.Trim(r.word(), `"'`); title != "" {
			r.parentheses()
			r.define(title, start, name)
		}
	default:
		if shellName(word) && r.parentheses() {
			r.define(word, start, start)
			return true
		}
		return slices.Contains(shellOpeners, word)
	}
	return true
}

// follows reports whether one of the given words is next, without reading it.
func (r *bashReader) follows(some ...string) bool {
	r.blanks()
	for _, word := range some {
		rest, found := strings.CutPrefix(r.text[r.at:], word)
		if found && (rest == "" || strings.IndexByte(" \t\r\n;", rest[0]) >= 0) {
			return true
		}
	}
	return false
}

// maxShellDepth limits the nesting of blocks.
const maxShellDepth = 200

// block reads a block that began at start, up to its end.
func (r *bashReader) block(closing string, start int) {
	if r.level++; r.level > maxShellDepth {
		r.wrong(start, len(r.text))
		r.at = len(r.text)
	}
	if got := r.commands(closing); got != closing {
		r.miss(start, closing)
		r.at -= len(got) // left for the enclosing block
	}
	r.level--
}

// cases reads a case statement up to its esac.
func (r *bashReader) cases(start int) {
	r.blanks()
	r.word()
	r.gap()
	if r.word() != "in" {
		r.wrong(start, r.at)
		return
	}
	for {
		r.gap()
		if !r.pattern() {
			return
		}
		if !r.starts(")") {
			r.miss(start, "esac")
			return
		}
		r.at++
		if r.level++; r.level > maxShellDepth {
			r.at = len(r.text)
		}
		got := r.commands(";;")
		r.level--
		switch got {
		case "esac":
			return
		case ";;":
			if r.starts("&") {
				r.at++
			}
		default:
			r.miss(start, "esac")
			r.at -= len(got)
			return
		}
	}
}

// pattern reads the pattern of a case up to its parenthesis. It returns false at an esac.
func (r *bashReader) pattern() bool {
	if r.starts("(") {
		r.at++
	}
	for first := true; r.blanks() && !r.starts(")") && !r.starts("\n"); first = false {
		if r.starts("|") {
			r.at++
			r.gap()
		} else if r.word() == "esac" && first {
			return false
		}
	}
	return true
}

// define adds a function whose header was just read, and reads its body.
func (r *bashReader) define(title string, start, name int) {
	signature := r.at
	title = tidy(title)
	r.gap()
	s := Symbol{Name: title, Title: title, Kind: "function", Line: name, Start: start, SignatureEnd: signature,
		Depth: len(r.around), Doc: r.docAbove(start)}
	if len(r.around) > 0 {
		s.Name = r.found[r.around[len(r.around)-1]].Name + "." + title
	}
	place := len(r.found)
	r.found = append(r.found, s)
	r.around = append(r.around, place)
	switch body := r.at; {
	case r.starts("("):
		if !r.arithmetic("((") {
			r.at++
			r.block(")", body)
		}
	case r.follows("{", "if", "case", "[[", "while", "until", "for", "select"):
		r.command(r.word(), body)
	default:
		r.miss(start, "{")
	}
	r.around = r.around[:len(r.around)-1]
	r.found[place].End = max(r.at, signature)
}

// docAbove returns the first line of the comment that ends on the line above start.
func (r *bashReader) docAbove(start int) string {
	const most = 1_000 // bytes before a function on its line
	from := max(0, start-most)
	line := from + strings.LastIndexAny(r.text[from:start], "\r\n") + 1
	if strings.Trim(r.text[line:start], " \t") != "" {
		return ""
	}
	first := line
	for first > 0 {
		above := strings.LastIndexAny(r.text[:first-1], "\r\n") + 1
		if !strings.HasPrefix(strings.TrimLeft(r.text[above:first], " \t"), "#") {
			break
		}
		first = above
	}
	return FirstLine(r.text[first:line])
}
