package codetools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"manualslop/tools/cfamily"
	"manualslop/tools/summary"
	"manualslop/tools/syntax"
)

// SummariseCode outlines a file in a language that has a grammar, exported names first. For any other file it
// shows the first lines.
func SummariseCode(ctx context.Context, name, text string) summary.Summary {
	language, known := syntax.ByPath(name)
	if !known {
		return summary.Plain(text)
	}
	found, err := structureOf(ctx, name, language, text)
	if err != nil { // too large, or the parser gave up
		out := summary.Plain(text)
		out.Warnings = append(out.Warnings, strings.TrimPrefix(err.Error(), "syntax: "))
		return out
	}
	out := summary.Summary{Format: language.Name(), Doc: summary.HeadComment(text)}
	if len(found.Damage) > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("line %d: cannot be parsed; the rest may be incomplete",
			found.Damage[0].Line))
	}
	if len(found.Symbols) == 0 {
		out.Sections = summary.Plain(text).Sections
		return out
	}
	title := "definitions"
	if note := language.Note(); note != "" {
		title = note
	}
	items := keyItems(found.Symbols)
	if name := language.Name(); name != "toml" && name != "yaml" {
		items = codeItems(name, text, found.Symbols)
	}
	out.Sections = []summary.Section{{Title: title, Items: items}}
	return out
}

// structureOf lists the definitions of a text. C and C++ have their own reader;
// their namespaces are replaced by their contents.
func structureOf(ctx context.Context, name string, language syntax.Language, text string) (syntax.Structure, error) {
	if of := language.Name(); of != "c" && of != "cpp" || len(text) > syntax.MaxSize {
		return syntax.Outline(ctx, language, []byte(text))
	}
	file := cfamily.Read(text, cfamily.LanguageOf(name, text, cfamily.C), cfamily.Macros{})
	out := syntax.Structure{Symbols: []syntax.Symbol{}}
	var spaces []int // ends of the enclosing namespaces
	for _, s := range file.Symbols {
		for len(spaces) > 0 && spaces[len(spaces)-1] <= s.Start {
			spaces = spaces[:len(spaces)-1]
		}
		if s.Kind == "namespace" {
			spaces = append(spaces, s.End)
		} else if !s.Minor {
			s.Depth = max(0, s.Depth-len(spaces))
			out.Symbols = append(out.Symbols, s.Symbol)
		}
	}
	for _, p := range file.Problems() {
		out.Damage = append(out.Damage, syntax.Damage{Line: p.Line})
	}
	return out, ctx.Err()
}

// maxCodeDepth limits the levels below the top that a summary shows.
const maxCodeDepth = 1

// codeItems lists exported symbols first, each with its members.
func codeItems(language, text string, symbols []syntax.Symbol) []summary.Item {
	var exported, others []summary.Item
	var group *[]summary.Item
	for _, s := range symbols {
		if s.Depth > maxCodeDepth {
			continue
		}
		if s.Depth == 0 || group == nil {
			if group = &others; isExported(language, text[s.Start:s.SignatureEnd], s.Title) {
				group = &exported
			}
		}
		kind := strings.ReplaceAll(s.Kind, "_", " ") + " "
		*group = append(*group, summary.Item{
			Name: kind + strings.TrimPrefix(s.Title, kind), Line: s.StartLine, End: s.EndLine, Depth: s.Depth, Text: s.Doc,
		})
	}
	return append(exported, others...)
}

// maxKeys limits the keys listed for one table or key.
const maxKeys = 40

// keyItems lists the outermost tables and keys, each with the names of the keys below it.
func keyItems(symbols []syntax.Symbol) []summary.Item {
	var items []summary.Item
	var below []string
	for _, s := range symbols {
		if s.Depth == 0 || len(items) == 0 {
			name := strings.TrimPrefix(s.Kind+" "+s.Title, "key ")
			items, below = append(items, summary.Item{Name: name, Line: s.StartLine, End: s.EndLine}), nil
			continue
		}
		if s.Depth > maxCodeDepth {
			continue
		}
		last := &items[len(items)-1]
		if below = append(below, s.Title); len(below) <= maxKeys {
			last.Text = strings.Join(below, ", ")
		} else {
			last.Text = fmt.Sprintf("%s, … %d more", strings.Join(below[:maxKeys], ", "), len(below)-maxKeys)
		}
	}
	return items
}

// isExported reports whether a symbol is visible to other files, according to
// its header.
func isExported(language, head, name string) bool {
	words := strings.FieldsFunc(head, func(r rune) bool { return !unicode.IsLetter(r) })
	words = words[:min(len(words), 8)]
	switch language {
	case "go":
		first, _ := utf8.DecodeRuneInString(name)
		return unicode.IsUpper(first)
	case "rust":
		return slices.Contains(words, "pub")
	case "java", "csharp":
		return slices.Contains(words, "public")
	case "javascript", "typescript", "tsx":
		return slices.Contains(words, "export")
	case "php":
		return !slices.Contains(words, "private")
	case "c", "cpp":
		return !slices.Contains(words, "static")
	}
	return !strings.HasPrefix(name, "_")
}
