package tools

import (
	"cmp"
	"slices"
	"strings"
)

const (
	NearestLines  = 3
	MaxNearMisses = 10
	// MaxCompared limits the lines that are compared, and the characters of each.
	MaxCompared     = 20_000
	MaxComparedSize = 200
)

// NearestNames returns at most five dotted names that resemble name: first those that end in it, then the most
// similar ones.
func NearestNames(name string, names []string) []string {
	const most, least = 5, 0.35
	type candidate struct {
		name  string
		score float64
	}
	var best []candidate
	for _, n := range names[:min(len(names), MaxCompared)] {
		score := max(Likeness(strings.ToLower(name), strings.ToLower(n)), mistyped(strings.ToLower(name), strings.ToLower(n)))
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

// mistyped returns 0.9 if name, or its last part, differs from meant in one typing error: two neighbouring
// characters exchanged, or one character added, missing or wrong. Otherwise it returns 0.
func mistyped(name, meant string) float64 {
	if at := strings.LastIndexByte(meant, '.'); at >= 0 && !strings.Contains(name, ".") {
		meant = meant[at+1:]
	}
	head := 0
	for head < min(len(name), len(meant)) && name[head] == meant[head] {
		head++
	}
	a, b := name[head:], meant[head:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	if len(name) > 1 && (swapped || len(a) <= 1 && len(b) <= 1) {
		return 0.9
	}
	return 0
}

// Likeness returns the share of pairs of neighbouring characters that two texts have in common.
func Likeness(a, b string) float64 {
	a, b = a[:min(len(a), MaxComparedSize)], b[:min(len(b), MaxComparedSize)]
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

func FoldBlanks(s string) string { return strings.Join(strings.Fields(s), " ") }
