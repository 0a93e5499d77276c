package python

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Find gives the symbols with exactly this dotted path; "name#2" picks the second of several. A bare
// method name does not reach into a class.
func (f *File) Find(name string) []*Symbol {
	path, ordinal := CutOrdinal(name)
	out := []*Symbol{}
	for _, s := range f.Symbols {
		if s.Path == path && (ordinal == 0 || s.Ordinal == ordinal) {
			out = append(out, s)
		}
	}
	return out
}

// CutOrdinal takes "name#2" apart; the ordinal is 0 where there is none. The path is normalised.
func CutOrdinal(name string) (path string, ordinal int) {
	path = strings.TrimSpace(name)
	if before, after, ok := strings.Cut(path, "#"); ok {
		if n, err := strconv.Atoi(after); err == nil && n > 0 {
			path, ordinal = before, n
		}
	}
	return Normalize(path), ordinal
}

// mostSuggestions is how many names Suggest gives at most.
const mostSuggestions = 5

// Suggest gives the paths of symbols that may have been meant by a name that is not found: those that
// end in it first, then the most alike. There are at most 5.
func (f *File) Suggest(name string) []string {
	path, _ := CutOrdinal(name)
	seen := map[string]bool{}
	var candidates []candidate
	for _, s := range f.Symbols {
		if seen[s.Path] {
			continue
		}
		seen[s.Path] = true
		if distance, ok := unlike(path, s); ok {
			candidates = append(candidates, candidate{s.Path, distance})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	out := []string{}
	for _, c := range candidates[:min(len(candidates), mostSuggestions)] {
		out = append(out, c.path)
	}
	return out
}

type candidate struct {
	path     string
	distance int
}

// unlike says how unlike a symbol is to what was asked for; false if it is not worth naming.
func unlike(asked string, s *Symbol) (int, bool) {
	switch last := asked[strings.LastIndexByte(asked, '.')+1:]; {
	case s.Path == asked:
		return 0, true
	case strings.HasSuffix(s.Path, "."+asked):
		return 1, true
	case s.Name == last:
		return 2, true
	case strings.EqualFold(s.Name, last):
		return 3, true
	default:
		far := max(len(last), len(s.Name))
		near := editDistance(strings.ToLower(last), strings.ToLower(s.Name))
		if strings.Contains(strings.ToLower(s.Name), strings.ToLower(last)) && len(last) > 2 {
			near = min(near, 2)
		}
		return 3 + near, near <= max(1, far/3)
	}
}

// longestName bounds the names that are compared letter by letter.
const longestName = 200

// editDistance counts the letters to insert, delete or replace to make b of a.
func editDistance(a, b string) int {
	if len(a) > longestName || len(b) > longestName {
		return longestName
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
