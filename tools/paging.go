package tools

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"manualslop/tools/document"
)

// page returns a long answer from its line startLine on, as far as the limits allow. It ends with a line that
// says what is missing and how to continue with the same tool:
//
//	… truncated: lines 201–950 of 950 not shown; call NAME with start_line=201
//
// Line numbers are those of the answer, from 1; startLine 0 means 1. An answer that fits is returned unchanged.
// If startLine is after the end, page returns a Refusal.
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

// PageRows joins one-line rows, from row startLine on, and appends the notes. If not all rows fit, a last line
// says which are missing and how to continue with the tool.
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

// Paged returns one page of a text, and the whole structured form.
func Paged(text string, data any, tool string, startLine int, limits Limits) (Result, error) {
	shown, err := page(text, tool, startLine, limits)
	if err != nil {
		return Result{}, err
	}
	return Result{Text: shown, Data: data}, nil
}
