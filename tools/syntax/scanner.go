package syntax

import (
	"strings"

	"manualslop/tools/document"
)

// scanner is the common part of the readers written in Go: a position in a text, and the damage found.
type scanner struct {
	text   string
	at     int
	damage []Damage
}

// miss records that something is missing.
func (s *scanner) miss(at int, what string) {
	if len(s.damage) < maxDamage {
		s.damage = append(s.damage, Damage{Start: at, End: at, Missing: what})
	}
}

// unread records that the sign at an offset, or the line that begins there, does not fit.
func (s *scanner) unread(at int) {
	if len(s.damage) < maxDamage {
		s.damage = append(s.damage, Damage{Start: at, End: at + 1})
	}
}

// token reads the next word, string or sign of a language with C-style comments. It returns the token's start and
// the first line of the comment directly above it. At the end of the text the token is empty.
func (s *scanner) token() (start int, doc string) {
	comment, end := -1, 0
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		length := 1
		switch {
		case isBlank(rest[0]):
			s.at++
			continue
		case strings.HasPrefix(rest, "//"):
			if length = strings.IndexAny(rest, "\r\n"); length < 0 {
				length = len(rest)
			}
		case strings.HasPrefix(rest, "/*"):
			if closed := strings.Index(rest[2:], "*/"); closed >= 0 {
				length = closed + 4
			} else {
				s.miss(s.at, "*/")
				length = len(rest)
			}
		default:
			if comment >= 0 && lineEnds(s.text[end:s.at]) == 1 {
				doc = FirstLine(s.text[comment:end])
			}
			start = s.at
			s.at += tokenLength(rest)
			return start, doc
		}
		if comment < 0 || lineEnds(s.text[end:s.at]) > 1 {
			comment = s.at
		}
		s.at += length
		end = s.at
	}
	return s.at, ""
}

// tokenLength returns the length of the word, string or sign at the start of a text.
func tokenLength(text string) int {
	n := 0
	for n < len(text) && inWord(text[n]) {
		n++
	}
	if n > 0 {
		return n
	}
	if quote := text[0]; quote == '"' || quote == '\'' {
		for n = 1; n < len(text) && text[n] != '\n' && text[n] != '\r'; n++ {
			switch text[n] {
			case '\\':
				n++
			case quote:
				return n + 1
			}
		}
		return min(n, len(text))
	}
	return 1
}

func inWord(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func lineEnds(text string) int { return strings.Count(strings.ReplaceAll(text, "\r\n", "\n"), "\n") }

// structure sets lines and ordinals. Until then, Line of a symbol holds the offset of its name.
func (s *scanner) structure(found []Symbol) Structure {
	at := lines(document.Lines(s.text))
	out := Structure{Symbols: append([]Symbol{}, found...), Damage: append([]Damage{}, s.damage...)}
	for i := range out.Symbols {
		f := &out.Symbols[i]
		f.Line, f.StartLine, f.EndLine = at.number(f.Line), at.number(f.Start), at.number(max(f.End-1, f.Start))
	}
	for i := range out.Damage {
		out.Damage[i].Line = at.number(out.Damage[i].Start)
	}
	Number(out.Symbols)
	return out
}
