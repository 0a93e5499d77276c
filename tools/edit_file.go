package tools

import (
	"context"
	_ "embed" // for the long text
	"fmt"
	"strconv"
	"strings"

	"manualslop/tools/document"
)

//go:embed edit_file.md
var editFileDoc string

type editFileArgs struct {
	Path         string `json:"path" doc:"file to change, relative to the workspace" min:"1"`
	OldString    string `json:"old_string" doc:"the exact text to replace, with its indentation; it must occur once unless replace_all is set" min:"1"`
	NewString    string `json:"new_string" doc:"the text that takes its place; empty removes it"`
	ReplaceAll   bool   `json:"replace_all,omitzero" doc:"replace every occurrence"`
	ExpectedHash string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	DryRun       bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

// editData is the structured detail of an edit by text.
type editData struct {
	Replacements int   `json:"replacements"`
	Lines        []int `json:"lines"` // where the replaced texts began, at most 100
}

// editFile plans the replacement of an exact text.
func editFile() Tool {
	return Writer(Spec{
		Name: "edit_file", Summary: "Replace an exact text in a file.", Effect: Writes, Doc: editFileDoc,
	}, planEdit)
}

func planEdit(ctx context.Context, env Env, in editFileArgs) (Plan, error) {
	doc, err := readDocument(ctx, env, in.Path)
	if err != nil {
		return Plan{}, err
	}
	if err := doc.checkHash(in.ExpectedHash); err != nil {
		return Plan{}, err
	}
	if in.OldString == in.NewString {
		return Plan{}, Refuse("old_string and new_string are the same; nothing to change in %s", doc.file.Path)
	}
	lines := document.Lines(doc.Text)
	found := occurrencesOf(doc.Text, in.OldString, in.NewString)
	switch {
	case len(found) == 0:
		return Plan{}, notFound(doc, lines, in.OldString)
	case len(found) > 1 && !in.ReplaceAll:
		return Plan{}, Refuse("old_string occurs %d times in %s, at lines %s; add text around it to make it unique, or set replace_all",
			len(found), doc.file.Path, joinNumbers(startLines(lines, found)))
	}
	change, err := doc.change(replacements(doc.Text, lines, found, in)...)
	if err != nil {
		return Plan{}, err
	}
	at := startLines(lines, found)
	return Plan{
		Changes: []Change{change}, DryRun: in.DryRun,
		Data:    editData{Replacements: len(found), Lines: at[:min(len(at), 100)]},
		Summary: fmt.Sprintf("edit_file %s: %s replaced, at line %s", doc.file.Path, occurrences(len(found)), joinNumbers(at)),
	}, nil
}

func occurrences(n int) string {
	if n == 1 {
		return "1 occurrence"
	}
	return fmt.Sprintf("%d occurrences", n)
}

// span is a piece of a text in bytes.
type span struct{ start, end int }

// occurrencesOf finds the occurrences of old, left to right, without overlaps. All line ends count as
// the same, unless old and replacement differ in nothing but line ends: then they count exactly.
func occurrencesOf(text, old, replacement string) []span {
	if document.WithEnds(old, "\n") == document.WithEnds(replacement, "\n") || !strings.Contains(text, "\r") && !strings.Contains(old, "\r") {
		return findExact(text, old)
	}
	plain, offsets := foldEnds(text)
	found := findExact(plain, document.WithEnds(old, "\n"))
	for i, s := range found {
		found[i] = span{offsets(s.start), offsets(s.end)}
	}
	return found
}

func findExact(text, old string) []span {
	var found []span
	for from := 0; ; {
		at := strings.Index(text[from:], old)
		if at < 0 {
			return found
		}
		found = append(found, span{from + at, from + at + len(old)})
		from += at + len(old)
	}
}

// foldEnds makes every line end a line feed, and gives a function from offsets in that text to
// offsets in the original. It is asked for rising offsets.
func foldEnds(text string) (string, func(int) int) {
	var b strings.Builder
	var crlf []int // offsets in the folded text just behind a line end that was two bytes long
	for i := 0; i < len(text); i++ {
		if text[i] != '\r' {
			b.WriteByte(text[i])
			continue
		}
		b.WriteByte('\n')
		if i+1 < len(text) && text[i+1] == '\n' {
			i++
			crlf = append(crlf, b.Len())
		}
	}
	passed := 0
	return b.String(), func(offset int) int {
		for passed < len(crlf) && crlf[passed] <= offset {
			passed++
		}
		return offset + passed
	}
}

// replacements are the splices of an edit. The line ends of the new text are those of the text
// around it.
func replacements(text string, lines []document.Line, found []span, in editFileArgs) []document.Splice {
	exact := document.WithEnds(in.OldString, "\n") == document.WithEnds(in.NewString, "\n")
	out := make([]document.Splice, len(found))
	for i, s := range found {
		out[i] = document.Splice{Start: s.start, End: s.end, New: in.NewString}
		if !exact {
			out[i].New = document.WithEnds(in.NewString, document.LineEnd(text, lines, document.NumberOf(lines, s.start)-1))
		}
	}
	return out
}

func startLines(lines []document.Line, found []span) []int {
	out := make([]int, len(found))
	for i, s := range found {
		out[i] = document.NumberOf(lines, s.start)
	}
	return out
}

// joinNumbers lists numbers; the 200 that fit an answer in any case are enough to see the pattern.
func joinNumbers(numbers []int) string {
	const most = 200
	var parts []string
	for _, n := range numbers[:min(len(numbers), most)] {
		parts = append(parts, strconv.Itoa(n))
	}
	if len(numbers) > most {
		parts = append(parts, fmt.Sprintf("… and %d more", len(numbers)-most))
	}
	return strings.Join(parts, ", ")
}
