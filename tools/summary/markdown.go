package summary

import (
	"regexp"
	"strings"
	"sync"

	"manualslop/tools/document"
)

var (
	atxHeading = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	})
	underline = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
	})
	fence = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^ {0,3}(`{3,}|~{3,})([^`]*)$")
	})
	notAHeading = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?: {4}|\t| {0,3}(?:[-*+>|]|\d+[.)])(?:[ \t]|$))`)
	})
)

// Markdown lists the headings of a text, nested by level. Doc is the first paragraph. Headings in code blocks and
// comments are ignored.
func Markdown(text string) Summary {
	m := markdownReader{text: text, lines: document.Lines(text)}
	m.read(m.behindFrontMatter())
	out := Summary{Format: "Markdown", Doc: strings.Join(m.doc, " ")}
	if len(m.items) > 0 {
		out.Sections = []Section{{Title: "headings", Items: m.items}}
	}
	return out
}

type markdownReader struct {
	text  string
	lines []document.Line
	items []Item
	doc   []string // lines of the first paragraph
	done  bool     // the first paragraph is complete
}

func (m *markdownReader) line(i int) string { return m.text[m.lines[i].Start:m.lines[i].End] }

// behindFrontMatter returns the first line after a front matter block between "---" lines at the top.
func (m *markdownReader) behindFrontMatter() int {
	if len(m.lines) == 0 || strings.TrimRight(m.line(0), " \t") != "---" {
		return 0
	}
	for i := 1; i < len(m.lines); i++ {
		if end := strings.TrimRight(m.line(i), " \t"); end == "---" || end == "..." {
			return i + 1
		}
	}
	return 0
}

func (m *markdownReader) read(first int) {
	fenced, comment := "", false
	paragraph := false // the previous line is text that an underline would make a heading
	for i := first; i < len(m.lines); i++ {
		line := m.line(i)
		switch {
		case fenced != "":
			if closes(line, fenced) {
				fenced = ""
			}
			continue
		case comment || strings.HasPrefix(strings.TrimSpace(line), "<!--"):
			comment = !strings.Contains(line, "-->")
			paragraph = false
			continue
		}
		if opened := fence().FindStringSubmatch(line); opened != nil {
			fenced, paragraph = opened[1], false
			m.endParagraph()
			continue
		}
		paragraph = m.plain(i, line, paragraph)
	}
}

// plain reads a line outside code and comments, and reports whether it is paragraph text.
func (m *markdownReader) plain(i int, line string, paragraph bool) bool {
	if h := atxHeading().FindStringSubmatch(line); h != nil {
		m.heading(i, len(h[1]), h[2])
		return false
	}
	if u := underline().FindStringSubmatch(line); u != nil && paragraph {
		level := 1
		if u[1][0] == '-' {
			level = 2
		}
		if n := len(m.doc); n > 0 && !m.done {
			m.doc = m.doc[:n-1]
		}
		m.heading(i-1, level, m.line(i-1))
		return false
	}
	if strings.TrimSpace(line) == "" || notAHeading().MatchString(line) {
		m.endParagraph()
		return false
	}
	if !m.done {
		m.doc = append(m.doc, strings.TrimSpace(line))
	}
	return true
}

func (m *markdownReader) heading(i, level int, title string) {
	m.endParagraph()
	m.items = append(m.items, Item{Name: strings.Repeat("#", level) + " " + strings.TrimSpace(title), Line: i + 1,
		Depth: level - 1})
}

func (m *markdownReader) endParagraph() { m.done = m.done || len(m.doc) > 0 }

// closes reports whether a line closes the code block that the fence opened began.
func closes(line, opened string) bool {
	line = strings.TrimRight(strings.TrimLeft(line, " "), " \t")
	return len(line) >= len(opened) && strings.Trim(line, opened[:1]) == ""
}
