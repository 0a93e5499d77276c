package syntax

import (
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
)

// lead holds the siblings that precede the next symbol: comments and attributes.
type lead struct {
	end      int      // where the last other sibling ends
	comments []int    // alternating starts and ends of a block of comments
	at       int      // where the first attribute begins
	texts    []string // texts of the attributes
}

// comment adds a comment. After a blank line, or after code on the comment's first line, it begins a new block.
func (l *lead) comment(w *walker, node *sitter.Node) {
	start, end := w.trimmed(node)
	if len(l.comments) > 0 && w.lines.number(start)-w.lines.number(l.comments[len(l.comments)-1]) > 1 {
		l.comments = nil
	}
	if l.end > 0 && w.lines.number(l.end-1) == w.lines.number(start) && !isBlank(w.src[l.end-1]) {
		return
	}
	l.comments = append(l.comments, start, end-1)
}

func (l *lead) attribute(w *walker, node *sitter.Node) {
	start, end := w.trimmed(node)
	if len(l.texts) == 0 {
		l.at = start
	}
	l.texts = append(l.texts, strings.TrimPrefix(string(w.src[start:end]), "@"))
}

// start extends a symbol's range to its attributes.
func (l *lead) start(start, end int) (int, int) {
	if len(l.texts) > 0 {
		return l.at, end
	}
	return start, end
}

// doc returns the first non-empty line of a comment that ends on the line above start.
func (l *lead) doc(w *walker, start int) string {
	if len(l.comments) == 0 {
		return ""
	}
	if len(l.texts) > 0 {
		start = l.at
	}
	last := l.comments[len(l.comments)-1]
	if w.lines.number(start)-w.lines.number(last) > 1 {
		return ""
	}
	return FirstLine(string(w.src[l.comments[0] : last+1]))
}

// FirstLine returns the first non-empty line of a comment, without comment markers.
func FirstLine(comment string) string {
	for line := range strings.Lines(strings.ReplaceAll(comment, "\r", "\n")) {
		if strings.HasPrefix(line, "#!") {
			continue
		}
		line = strings.TrimSpace(line)
		line = strings.TrimSuffix(strings.TrimSuffix(line, "*/"), "-->")
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimPrefix(line, "<!--"), "/*!<#-;({|@ \t"))
		line = strings.TrimSpace(strings.TrimPrefix(line, "brief "))
		if xml, ok := strings.CutPrefix(line, "summary>"); ok {
			line = strings.TrimSpace(strings.TrimSuffix(xml, "</summary>"))
		}
		if strings.Trim(line, "-=*/#~+ ") != "" {
			return line
		}
	}
	return ""
}
