package tools

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"manualslop/tools/document"
)

const (
	nearestLines  = 3
	maxNearMisses = 10
	// maxCompared bounds the lines that are compared, and the characters of each.
	maxCompared     = 20_000
	maxComparedSize = 200
)

// notFound explains why a text does not occur: what nearly matches, and which lines are nearest.
func notFound(path, text string, lines []document.Line, e textEdit) error {
	why := "old_string not found in " + path
	if hint := nearMiss(text, lines, e.old); hint != "" {
		why += "; " + hint
	} else if at := findExact(text, e.new); len(at) > 0 && strings.TrimSpace(e.new) != "" {
		why += "; new_string is there already, at " + lineList(startLines(lines, at))
	}
	if near := nearest(text, lines, e.old); near != "" {
		why += "; nearest lines: " + near
	}
	return Refuse("%s; copy the text exactly from read_file", why)
}

// nearMiss finds the usual mistakes: line numbers copied along, escapes, other blanks, look-alike
// characters, another normal form.
func nearMiss(text string, lines []document.Line, old string) string {
	stripped := regexp.MustCompile(`(?m)^\s*\d+(?:→|\t|: ?| ?\| ?)`).ReplaceAllString(old, "")
	if stripped != old && strings.TrimSpace(stripped) != "" && strings.Contains(document.WithEnds(text, "\n"), document.WithEnds(stripped, "\n")) {
		return "it begins its lines with line numbers, which are not part of the file"
	}
	unescaped := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, "'", `\\`, `\`).Replace(old)
	if unescaped != old && strings.TrimSpace(unescaped) != "" && strings.Contains(document.WithEnds(text, "\n"), document.WithEnds(unescaped, "\n")) {
		return "it has backslashes in front of characters that the file has without them"
	}
	for _, try := range []struct {
		fold func(string) string
		what string
	}{
		{foldBlanks, "a text that differs only in blanks or indentation is"},
		{norm.NFC.String, "a text that differs only in the Unicode normal form (NFC or NFD) is"},
		{func(s string) string { return foldBlanks(foldLookalikes(norm.NFC.String(s))) }, "a text that differs only in look-alike characters is"},
	} {
		if at := findFolded(text, lines, old, try.fold); len(at) > 0 {
			return fmt.Sprintf("%s at %s", try.what, strings.Join(at, ", "))
		}
	}
	return ""
}

// findFolded looks for consecutive lines that equal those of old after folding, and names the first
// places, such as "lines 3–5".
func findFolded(text string, lines []document.Line, old string, fold func(string) string) []string {
	old = strings.Trim(old, "\r\n")
	var wanted []string
	for _, l := range document.Lines(old) {
		wanted = append(wanted, fold(old[l.Start:l.End]))
	}
	if len(wanted) == 0 || len(lines) > maxCompared || strings.Join(wanted, "") == "" {
		return nil
	}
	folded := make([]string, len(lines))
	for i, l := range lines {
		folded[i] = fold(text[l.Start:l.End])
	}
	var at []string
	for i := 0; i+len(wanted) <= len(folded) && len(at) < maxNearMisses; i++ {
		if slices.Equal(folded[i:i+len(wanted)], wanted) {
			at = append(at, lineRange{i + 1, i + len(wanted)}.String())
		}
	}
	return at
}

func foldBlanks(s string) string { return strings.Join(strings.Fields(s), " ") }

// foldLookalikes brings typographic characters to the ones a keyboard has.
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

// nearest shows the lines most like the first line of old that says something.
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
	for i, l := range lines[:min(len(lines), maxCompared)] {
		if score := likeness(wanted, strings.TrimSpace(text[l.Start:l.End])); score > 0.4 {
			best = append(best, candidate{i + 1, score})
		}
	}
	slices.SortStableFunc(best, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	var parts []string
	for _, c := range best[:min(len(best), nearestLines)] {
		l := lines[c.number-1]
		parts = append(parts, fmt.Sprintf("%d: %q", c.number, oneLine(text[l.Start:l.End], 120)))
	}
	return strings.Join(parts, " | ")
}

// nearestNames gives at most five dotted names that may have been meant: those that end in the name
// first, then the most alike.
func nearestNames(name string, names []string) []string {
	const most, least = 5, 0.35
	type candidate struct {
		name  string
		score float64
	}
	var best []candidate
	for _, n := range names[:min(len(names), maxCompared)] {
		score := likeness(strings.ToLower(name), strings.ToLower(n))
		if strings.HasSuffix(n, "."+name) {
			score = 2
		}
		if score >= least {
			best = append(best, candidate{n, score})
		}
	}
	slices.SortStableFunc(best, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	var near []string
	for _, c := range best[:min(len(best), most)] {
		near = append(near, c.name)
	}
	return near
}

// likeness is the share of pairs of neighbouring characters that two texts have in common.
func likeness(a, b string) float64 {
	a, b = a[:min(len(a), maxComparedSize)], b[:min(len(b), maxComparedSize)]
	if a == b {
		return 1
	}
	if len(a) < 2 || len(b) < 2 {
		return 0
	}
	pairs := map[string]int{}
	for i := range len(a) - 1 {
		pairs[a[i:i+2]]++
	}
	common := 0
	for i := range len(b) - 1 {
		if pairs[b[i:i+2]] > 0 {
			pairs[b[i:i+2]]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b)-2)
}
