package tools

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"manualslop/tools/document"
)

// page shows a long answer from its line startLine on, as far as the limits
// allow, and ends with what is missing and how the same tool continues:
//
//	… truncated: lines 201–950 of 950 not shown; call NAME with start_line=201
//
// Lines are those of the answer, counted from 1; startLine 0 means 1. An answer
// that fits is returned unchanged. A first line after the end is a Refusal.
func page(text, tool string, startLine int, limits Limits) (string, error) {
	startLine = max(startLine, 1)
	text = strings.ToValidUTF8(text, "\uFFFD")
	if startLine == 1 && Fits(text, limits) {
		return text, nil
	}
	lines := document.Lines(text)
	if startLine > max(len(lines), 1) {
		return "", Refuse("start_line %d is out of range: the answer has %d lines", startLine, len(lines))
	}
	if len(lines) == 0 {
		return "", nil
	}
	rest := text[lines[startLine-1].Start:]
	if Fits(rest, limits) {
		return rest, nil
	}
	kept, count := TakeLines(rest, document.Lines(rest), limits)
	last := startLine + count - 1
	if last >= len(lines) {
		return kept + Marker(last+1, last, len(lines), ""), nil
	}
	return kept + Marker(last+1, len(lines), len(lines), fmt.Sprintf("; call %s with start_line=%d", tool, last+1)), nil
}

// PageRows joins rows of one line each, from row startLine on, and puts notes
// after them. Where not all rows fit, a last line says which are missing and
// how the tool continues.
func PageRows(rows, notes []string, tool string, startLine int, limits Limits) (string, error) {
	from := max(startLine, 1)
	if from > max(len(rows), 1) {
		return "", Refuse("start_line %d is out of range: the answer has %s", from, LineCount(len(rows)))
	}
	room := limits.MaxChars - MarkerChars
	for _, note := range notes {
		room -= utf8.RuneCountInString(note) + 1
	}
	last := from - 1
	for last < len(rows) && last-from+1 < limits.MaxLines-len(notes)-1 {
		if room -= utf8.RuneCountInString(rows[last]) + 1; room < 0 && last >= from {
			break
		}
		last++
	}
	out := append(slices.Clone(rows[from-1:last]), notes...)
	if last < len(rows) {
		out = append(out, Marker(last+1, len(rows), len(rows), fmt.Sprintf("; call %s with start_line=%d", tool, last+1)))
	}
	return strings.Join(out, "\n"), nil
}

// Paged returns one page of a text and the whole structured form.
func Paged(text string, data any, tool string, startLine int, limits Limits) (Result, error) {
	shown, err := page(text, tool, startLine, limits)
	if err != nil {
		return Result{}, err
	}
	return Result{Text: shown, Data: data}, nil
}
