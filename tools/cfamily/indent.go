package cfamily

import (
	"slices"
	"strings"

	"manualslop/tools/document"
)

// placed indents a text for the location of the text it replaces, whose line begins with the target indentation.
// Lines that begin inside a string stay unchanged, as do directives at the margin.
func (f *File) placed(offset, end int, content string) string {
	target := f.indentation(offset)
	content = document.WithEnds(content, "\n")
	lines := strings.Split(content, "\n")
	original := slices.Clone(lines)
	base := blanks(lines[0])
	inside := insideLiterals(content)
	hanging := insideBrackets(content)
	lines[0] = strings.TrimLeft(lines[0], " \t")
	last := blanks(lines[len(lines)-1])
	absolute := base == "" && target != "" && last == target && len(lines) > 1
	from, to := f.units(f.Text[offset:end], target, base, lines, hanging)
	for i := 1; i < len(lines); i++ {
		line := lines[i]
		switch {
		case inside[i]:
		case strings.TrimSpace(line) == "":
			lines[i] = ""
		case absolute, strings.HasPrefix(line, "#"):
		default:
			rest, deeper := strings.CutPrefix(line, base)
			if !deeper && base == target {
				continue
			}
			if !deeper {
				rest = strings.TrimLeft(line, " \t")
			}
			if indent := blanks(rest); hanging[i] && from != "" && from[0] == ' ' && len(indent)%len(from) != 0 {
				outer := min(len(indent), len(blanks(strings.TrimPrefix(original[opener(hanging, i)], base))))
				lines[i] = target + converted(rest[:outer], from, to) + rest[outer:]
				continue
			}
			lines[i] = target + converted(rest, from, to)
		}
	}
	return document.WithEnds(strings.Join(lines, "\n"), document.LineEnd(f.Text, f.lines, f.line(offset)-1))
}

// indentation returns the indentation of the line that contains offset.
func (f *File) indentation(offset int) string {
	if len(f.lines) == 0 {
		return ""
	}
	l := f.lines[f.line(offset)-1]
	return blanks(f.Text[l.Start:l.End])
}

func blanks(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// insideLiterals returns the lines of a text that begin inside a string.
func insideLiterals(text string) map[int]bool {
	out := map[int]bool{}
	tokens, _ := lex(text)
	for _, t := range tokens {
		if t.kind != literal {
			continue
		}
		first := strings.Count(text[:t.start], "\n")
		for n := range strings.Count(text[t.start:t.end], "\n") {
			out[first+n+1] = true
		}
	}
	return out
}

// insideBrackets returns the lines of a text that begin inside parentheses or brackets.
func insideBrackets(text string) map[int]bool {
	out := map[int]bool{}
	tokens, _ := lex(text)
	depth, line, at := 0, 0, 0
	for _, t := range tokens {
		if n := strings.Count(text[at:t.start], "\n"); n > 0 {
			line += n
			if depth > 0 {
				out[line] = true
			}
		}
		at = int(t.start)
		if t.kind != sign {
			continue
		}
		switch text[t.start] {
		case '(', '[':
			depth++
		case ')', ']':
			depth = max(0, depth-1)
		case '{', '}': // also the end of what a forgotten bracket opened
			depth = 0
		}
	}
	return out
}

// opener returns the line that opens the bracket in which line i begins.
func opener(hanging map[int]bool, i int) int {
	for i > 0 && hanging[i] {
		i--
	}
	return i
}

// units returns the unit of indentation of the new lines and that of their location if one uses tabs and the
// other spaces. Otherwise both are empty. The location is the replaced text, or the whole file if that text is
// not indented.
func (f *File) units(old, target, base string, lines []string, hanging map[int]bool) (from, to string) {
	tabs, spaces := indents(old)
	if tabs+spaces == 0 {
		tabs, spaces = indents(f.Text)
		if tabs > spaces { // a few lines of the other kind are alignment
			spaces = 0
		} else {
			tabs = 0
		}
	}
	newTabs, newSpaces := 0, 0
	width := 0
	for i, line := range lines {
		rest, ok := strings.CutPrefix(line, base)
		indent := blanks(rest)
		switch {
		case i == 0 || hanging[i] || !ok || indent == "":
		case indent[0] == '\t':
			newTabs++
		default:
			newSpaces++
			if n := len(indent) - len(strings.TrimLeft(indent, " ")); n > 1 && (width == 0 || n < width) {
				width = n
			}
		}
	}
	switch {
	case newTabs == 0 && newSpaces > 0 && spaces == 0 && tabs > 0 && width > 0:
		return strings.Repeat(" ", width), "\t"
	case newSpaces == 0 && newTabs > 0 && tabs == 0 && spaces > 0 && !strings.Contains(target, "\t"):
		return "\t", f.spaceUnit()
	}
	return "", ""
}

// indents counts the lines after the first that begin with a tab, and those that begin with two spaces. Lines inside
// parentheses and brackets, which may be aligned, do not count.
func indents(text string) (tabs, spaces int) {
	text = document.WithEnds(text, "\n")
	hanging := insideBrackets(text)
	for i, line := range strings.Split(text, "\n") {
		switch {
		case i == 0 || hanging[i]:
		case strings.HasPrefix(line, "\t"):
			tabs++
		case strings.HasPrefix(line, "  "):
			spaces++
		}
	}
	return tabs, spaces
}

// spaceUnit returns the smallest indentation of the file between two and eight spaces, or four if there is none.
func (f *File) spaceUnit() string {
	least := 0
	for _, l := range f.lines {
		n := len(blanks(f.Text[l.Start:l.End]))
		if n >= 2 && n <= 8 && n < l.End-l.Start && (least == 0 || n < least) {
			least = n
		}
	}
	if least == 0 {
		least = 4
	}
	return strings.Repeat(" ", least)
}

// converted converts the indentation of a line from one unit to another.
func converted(line, from, to string) string {
	if from == "" {
		return line
	}
	n := 0
	for strings.HasPrefix(line, from) {
		line = line[len(from):]
		n++
	}
	return strings.Repeat(to, n) + line
}
