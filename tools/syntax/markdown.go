package syntax

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	goldmark "github.com/yuin/goldmark/text"
)

// readMarkdown lists the headings of a document. Each section ends at the next heading of its level or above.
func readMarkdown(document string) Structure {
	r := scanner{text: document}
	var found []Symbol
	var around []int // open sections, places in found
	var levels []int // levels of the headings in found
	source := []byte(document)
	blankFront(source)
	blankDeepMarks(source)
	// Only blocks are parsed. Links would take time, and definitions of links the square of their number.
	root := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...)).Parse(goldmark.NewReader(source))
	for node := root.FirstChild(); node != nil; node = node.NextSibling() {
		heading, ok := node.(*ast.Heading)
		if !ok || heading.Lines().Len() == 0 {
			continue
		}
		first, last := heading.Lines().At(0), heading.Lines().At(heading.Lines().Len()-1)
		head := strings.TrimRight(document[:last.Stop], " \t\r\n")
		start := strings.LastIndexByte(document[:first.Start], '\n') + 1
		for len(around) > 0 && levels[around[len(around)-1]] >= heading.Level {
			found[around[len(around)-1]].End = start
			around = around[:len(around)-1]
		}
		s := Symbol{Title: tidy(head[first.Start:]), Kind: "section", Start: start, End: len(document),
			SignatureEnd: len(head), Line: first.Start, Depth: len(around)}
		if s.Name = s.Title; len(around) > 0 {
			s.Name = found[around[len(around)-1]].Name + "." + s.Title
		}
		around = append(around, len(found))
		found, levels = append(found, s), append(levels, heading.Level)
	}
	for i := range found {
		s := &found[i]
		s.End = len(strings.TrimRight(document[:s.End], " \t\r\n\f"))
		s.SignatureEnd = min(s.SignatureEnd, s.End)
	}
	return r.structure(found)
}

// blankFront overwrites YAML or TOML front matter with blanks.
func blankFront(document []byte) {
	var fence []byte
	for at := 0; at < len(document); {
		line, _, _ := bytes.Cut(document[at:], []byte("\n"))
		trimmed := bytes.TrimRight(line, " \t\r")
		if at == 0 && string(trimmed) != "---" && string(trimmed) != "+++" {
			return
		}
		ends := at > 0 && bytes.Equal(trimmed, fence)
		if at == 0 {
			fence = bytes.Clone(trimmed)
		}
		if at += len(line) + 1; !ends {
			continue
		}
		for i := range min(at, len(document)) {
			if document[i] != '\n' {
				document[i] = ' '
			}
		}
		return
	}
}

// maxMarks limits the marks of quotations and lists at the start of a line. The parser's time grows with the square of
// their number.
const maxMarks = 100

// blankDeepMarks overwrites the marks beyond maxMarks with blanks.
func blankDeepMarks(document []byte) {
	marks, front := 0, true
	for i, c := range document {
		switch {
		case c == '\n':
			marks, front = 0, true
		case !front || c == ' ' || c == '\t':
		case strings.IndexByte(">-+*.)0123456789", c) < 0:
			front = false
		default:
			if marks++; marks > maxMarks {
				document[i] = ' '
			}
		}
	}
}
