package python

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Find returns the symbols with exactly this dotted path; "name#2" selects the second of several. A bare method
// name does not match a method inside a class.
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

// CutOrdinal splits "name#2" into path and ordinal. The ordinal is 0 if there is none. The path is normalised.
func CutOrdinal(name string) (path string, ordinal int) {
	path = strings.TrimSpace(name)
	if before, after, ok := strings.Cut(path, "#"); ok {
		if n, err := strconv.Atoi(after); err == nil && n > 0 {
			path, ordinal = before, n
		}
	}
	return Normalize(path), ordinal
}

// mostSuggestions limits the names that [Nearest] returns.
const mostSuggestions = 5

// Suggest returns the paths of symbols that resemble a name that was not found: first those that end in it, then
// the most similar ones. It returns at most 5.
func (f *File) Suggest(name string) []string {
	out := []string{}
	for _, near := range Nearest(name, []*File{f}, func(*Symbol) bool { return true }) {
		out = append(out, near.Path)
	}
	return out
}

// Near is a symbol whose name resembles one that was not found.
type Near struct {
	File int // its index in the list of files
	Path string

	distance, whole int // edit distance of the last part, and of the whole path
}

// Nearest is like [File.Suggest], for matching symbols of several files.
func Nearest(name string, files []*File, fits func(*Symbol) bool) []Near {
	path, _ := CutOrdinal(name)
	var out []Near
	for i, f := range files {
		seen := map[string]bool{}
		for _, s := range f.Symbols {
			if distance, ok := unlike(path, s); ok && fits(s) && !seen[s.Path] {
				seen[s.Path] = true
				out = append(out, Near{i, s.Path, distance, editDistance(path, s.Path)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Near) int { return cmp.Or(a.distance-b.distance, a.whole-b.whole) })
	return out[:min(len(out), mostSuggestions)]
}

// unlike returns how much a symbol differs from the requested name, or false if it is not worth suggesting.
func unlike(asked string, s *Symbol) (int, bool) {
	last := asked[strings.LastIndexByte(asked, '.')+1:]
	switch {
	case last == "":
		return 0, false
	case s.Path == asked:
		return 0, true
	case strings.HasSuffix(s.Path, "."+asked):
		return 1, true
	case s.Name == last:
		return 2, true
	case strings.EqualFold(s.Name, last):
		return 3, true
	}
	a, b := strings.ToLower(last), strings.ToLower(s.Name)
	distance, far := editDistance(a, b), max(1, max(len(a), len(b))/3)
	if len(a) > 2 && len(b) > 2 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		distance = min(distance, far)
	}
	return 3 + distance, distance <= far
}

// longestName limits the length of names whose edit distance is computed.
const longestName = 200

// editDistance returns the number of characters to insert, delete or replace to turn a into b; two neighbours that are
// exchanged are one.
func editDistance(a, b string) int {
	if len(a) > longestName || len(b) > longestName {
		return longestName
	}
	for i := range min(len(a), len(b)) - 1 {
		if a[i] != b[i] {
			if a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] {
				return 1
			}
			break
		}
	}
	return levenshtein.ComputeDistance(a, b)
}
