package summary

import (
	"fmt"
	"strings"

	"manualslop/tools/document"
)

// maxKeys bounds the keys that are named for one table.
const maxKeys = 40

// TOML lists the tables of a TOML file with their keys. Keys in front of the first table stand under
// "(top level)".
func TOML(text string) Summary {
	r := tableReader{text: text, lines: document.Lines(text), quotes: true}
	r.read()
	return Summary{Format: "TOML", Sections: r.sections("tables"), Warnings: r.warnings}
}

// INI lists the sections of an INI file with their keys.
func INI(text string) Summary {
	r := tableReader{text: text, lines: document.Lines(text)}
	r.read()
	return Summary{Format: "INI", Sections: r.sections("sections"), Warnings: r.warnings}
}

// tableReader reads tables line by line. quotes means TOML: values may go over several lines in
// brackets and triple quotes; otherwise indented lines continue a value.
type tableReader struct {
	text     string
	lines    []document.Line
	quotes   bool
	tables   []table
	warnings []string
}

type table struct {
	name string
	line int
	keys []string
}

func (r *tableReader) read() {
	for i := 0; i < len(r.lines); i++ {
		raw := r.text[r.lines[i].Start:r.lines[i].End]
		line := strings.TrimSpace(raw)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';' && !r.quotes:
		case line[0] == '[':
			r.tables = append(r.tables, table{name: tableName(line), line: i + 1})
		case !r.quotes && raw[0] <= ' ':
		default:
			i = r.key(i, line)
		}
	}
}

// key notes the key of line i and gives the last line of its value.
func (r *tableReader) key(i int, line string) int {
	at := strings.IndexAny(line, "=:")
	if r.quotes {
		at = indexUnquoted(line, "=")
	}
	if at <= 0 {
		if r.quotes {
			r.warn(i+1, "neither a table nor a key")
		}
		return i
	}
	if len(r.tables) == 0 {
		r.tables = append(r.tables, table{name: "(top level)", line: i + 1})
	}
	last := &r.tables[len(r.tables)-1]
	last.keys = append(last.keys, strings.TrimSpace(line[:at]))
	if !r.quotes {
		return i
	}
	start := r.lines[i].Start + strings.Index(r.text[r.lines[i].Start:], line) + at + 1
	end, ok := valueEnd(r.text, start)
	if !ok {
		r.warn(i+1, "the value does not end")
	}
	return max(i, document.NumberOf(r.lines, end)-1)
}

func (r *tableReader) warn(line int, text string) {
	if len(r.warnings) < 3 {
		r.warnings = append(r.warnings, fmt.Sprintf("line %d: %s", line, text))
	}
}

func (r *tableReader) sections(title string) []Section {
	if len(r.tables) == 0 {
		return nil
	}
	section := Section{Title: title}
	for _, t := range r.tables {
		keys := t.keys[:min(len(t.keys), maxKeys)]
		text := strings.Join(keys, ", ")
		if more := len(t.keys) - len(keys); more > 0 {
			text += fmt.Sprintf(", … %d more", more)
		}
		section.Items = append(section.Items, Item{Name: t.name, Line: t.line, Text: text})
	}
	return []Section{section}
}

// tableName is the header without a comment behind it: "[a.b]", "[[x]]".
func tableName(line string) string {
	if at := indexUnquoted(line, "#"); at > 0 {
		line = strings.TrimSpace(line[:at])
	}
	if at := strings.LastIndexByte(line, ']'); at > 0 {
		line = line[:at+1]
	}
	return line
}

// indexUnquoted finds the first of some ASCII characters outside of quotes, or -1.
func indexUnquoted(line, chars string) int {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '"' && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case strings.IndexByte(chars, c) >= 0:
			return i
		}
	}
	return -1
}

// valueEnd gives the offset behind the value that begins at start: the end of its line unless a
// bracket or a triple quote is open there. False: the text ends first.
func valueEnd(text string, start int) (int, bool) {
	depth := 0
	for i := start; i < len(text); {
		switch c := text[i]; c {
		case '"', '\'':
			end, ok := stringEnd(text, i)
			if !ok {
				return end, false
			}
			i = end
			continue
		case '#':
			for i < len(text) && text[i] != '\n' && text[i] != '\r' {
				i++
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '\n', '\r':
			if depth <= 0 {
				return i, true
			}
		}
		i++
	}
	return len(text), depth <= 0
}

// stringEnd gives the offset behind the string that begins at start. A string of one line that does
// not end there ends with the line.
func stringEnd(text string, start int) (int, bool) {
	quote := text[start : start+1]
	long := strings.Repeat(quote, 3)
	if !strings.HasPrefix(text[start:], long) {
		for i := start + 1; i < len(text); i++ {
			switch c := text[i]; {
			case c == '\\' && quote == `"`:
				i++
			case c == '\n' || c == '\r':
				return i, true
			case text[i:i+1] == quote:
				return i + 1, true
			}
		}
		return len(text), false
	}
	for i := start + 3; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == `"`:
			i++
		case strings.HasPrefix(text[i:], long):
			for i += 3; i < len(text) && text[i:i+1] == quote; i++ { // quotes of the content
			}
			return i, true
		}
	}
	return len(text), false
}
