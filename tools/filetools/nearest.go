package filetools

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"manualslop/tools"
	"manualslop/tools/document"
)

// notFound explains why a text does not occur: what nearly matches, and which lines are most similar.
func notFound(path, text string, lines []document.Line, e textEdit) error {
	why := "old_string not found in " + path
	if hint := nearMiss(text, lines, e.old); hint != "" {
		why += "; " + hint
	} else if at := findExact(text, e.new); len(at) > 0 && strings.TrimSpace(e.new) != "" {
		why += "; new_string is already there, at " + lineList(startLines(lines, at))
	}
	if near := nearest(text, lines, e.old); near != "" {
		why += "; nearest lines: " + near
	}
	return tools.Refuse("%s; copy the text exactly from read_file", why)
}

// nearMiss detects the usual mistakes: copied line numbers, escapes, different blanks, look-alike characters, or
// another Unicode normal form.
func nearMiss(text string, lines []document.Line, old string) string {
	stripped := regexp.MustCompile(`(?m)^\s*\d+(?:→|\t|: ?| ?\| ?)`).ReplaceAllString(old, "")
	if stripped != old && strings.TrimSpace(stripped) != "" && strings.Contains(document.WithEnds(text, "\n"),
		document.WithEnds(stripped, "\n")) {
		return "it begins its lines with line numbers, which are not part of the file"
	}
	unescaped := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, "'", `\\`, `\`).Replace(old)
	if unescaped != old && strings.TrimSpace(unescaped) != "" && strings.Contains(document.WithEnds(text, "\n"),
		document.WithEnds(unescaped, "\n")) {
		return "it has backslashes in front of characters that the file has without them"
	}
	for _, try := range []struct {
		fold func(string) string
		what string
	}{
		{tools.FoldBlanks, "a text that differs only in blanks or indentation is"},
		{norm.NFC.String, "a text that differs only in the Unicode normal form (NFC or NFD) is"},
		{func(s string) string { return tools.FoldBlanks(foldLookalikes(norm.NFC.String(s))) },
			"a text that differs only in look-alike characters is"},
	} {
		if at := findFolded(text, lines, old, try.fold); len(at) > 0 {
			return fmt.Sprintf("%s at %s", try.what, strings.Join(at, ", "))
		}
	}
	return ""
}

// findFolded finds consecutive lines that equal those of old after folding, and returns the first places, such as
// "lines 3–5".
func findFolded(text string, lines []document.Line, old string, fold func(string) string) []string {
	old = strings.Trim(old, "\r\n")
	var wanted []string
	for _, l := range document.Lines(old) {
		wanted = append(wanted, fold(old[l.Start:l.End]))
	}
	if len(wanted) == 0 || len(lines) > tools.MaxCompared || strings.Join(wanted, "") == "" {
		return nil
	}
	folded := make([]string, len(lines))
	for i, l := range lines {
		folded[i] = fold(text[l.Start:l.End])
	}
	var at []string
	for i := 0; i+len(wanted) <= len(folded) && len(at) < tools.MaxNearMisses; i++ {
		if slices.Equal(folded[i:i+len(wanted)], wanted) {
			at = append(at, lineRange{i + 1, i + len(wanted)}.String())
		}
	}
	return at
}

// foldLookalikes replaces typographic characters with their ASCII equivalents.
func foldLookalikes(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '‘' || r == '’' || r == '‚' || r == '‛':
			return '\''
		case r == '“' || r == '”' || r == '„':
			return '"'
		case r >= '‐' && r <= '―' || r == '−':
			return '-'
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
}

// nearest shows the lines most similar to the first informative line of old.
func nearest(text string, lines []document.Line, old string) string {
	wanted := ""
	for l := range strings.Lines(document.WithEnds(old, "\n")) {
		if wanted = strings.TrimSpace(l); wanted != "" {
			break
		}
	}
	type candidate struct {
		number int
		score  float64
	}
	var best []candidate
	for i, l := range lines[:min(len(lines), tools.MaxCompared)] {
		if score := tools.Likeness(wanted, strings.TrimSpace(text[l.Start:l.End])); score > 0.4 {
			best = append(best, candidate{i + 1, score})
		}
	}
	slices.SortStableFunc(best, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	var parts []string
	for _, c := range best[:min(len(best), tools.NearestLines)] {
		l := lines[c.number-1]
		parts = append(parts, fmt.Sprintf("%d: %q", c.number, tools.OneLine(text[l.Start:l.End], 120)))
	}
	return strings.Join(parts, " | ")
}
