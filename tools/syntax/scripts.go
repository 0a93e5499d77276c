package syntax

import (
	"bytes"
	"context"
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
)

// script is a piece of JavaScript in a page.
type script struct {
	symbol     int // index of its element in the page's symbols
	start, end int // byte offsets of its text
}

// script notes the text of a script element that contains JavaScript; others hold data or templates.
func (w *walker) script(node *sitter.Node) {
	text := childOf(node, "raw_text")
	kind := strings.ToLower(attribute(node, "type", w.src))
	if text != nil && (kind == "" || kind == "module" || strings.HasSuffix(kind, "javascript")) {
		w.scripts = append(w.scripts, script{len(w.found) - 1, int(text.StartByte()), int(text.EndByte())})
	}
}

// withScripts adds the definitions in scripts to those of the page, below their elements, and their damage. The scripts
// are parsed as one program in which the rest of the page is blank, so that all offsets are those of the page.
func withScripts(ctx context.Context, page Structure, scripts []script, src []byte) (Structure, error) {
	program := make([]byte, len(src))
	for i, c := range src {
		if program[i] = ' '; c == '\n' || c == '\r' {
			program[i] = c
		}
	}
	for _, s := range scripts {
		copy(program[s.start:], src[s.start:s.end])
		if s.end < len(src) {
			program[s.end] = ';' // so that no statement continues in the next script
		}
	}
	javascript, _ := ByName("javascript")
	read, err := Outline(ctx, javascript, program)
	if err != nil {
		return Structure{}, err
	}
	lines := newLines(src)
	symbols := make([]Symbol, 0, len(page.Symbols)+len(read.Symbols))
	for i, element := range page.Symbols {
		symbols = append(symbols, element)
		for len(scripts) > 0 && scripts[0].symbol == i {
			for len(read.Symbols) > 0 && read.Symbols[0].Start < scripts[0].end {
				inside := read.Symbols[0]
				inside.Name = element.Name + "." + inside.Name
				inside.Depth += element.Depth + 1
				inside.End = min(inside.End, ends(src, scripts[0]))
				inside.EndLine = lines.number(inside.End - 1)
				inside.SignatureEnd = min(inside.SignatureEnd, inside.End)
				symbols = append(symbols, inside)
				read.Symbols = read.Symbols[1:]
			}
			scripts = scripts[1:]
		}
	}
	Number(symbols)
	damage := slices.Concat(page.Damage, read.Damage)
	slices.SortStableFunc(damage, func(a, b Damage) int { return a.Start - b.Start })
	return Structure{symbols, damage[:min(len(damage), maxDamage)]}, nil
}

// ends returns the offset at which the text of a script ends, without blanks.
func ends(src []byte, s script) int {
	return s.start + len(bytes.TrimRight(src[s.start:s.end], " \t\r\n\f"))
}
