package hookgw

import (
	"cmp"
	"slices"
	"strings"
)

// maxNearest is how many known names an error offers.
const maxNearest = 3

// nearest are the known names that are most like name, best first; none where
// nothing is near.
func nearest(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	name = strings.ToLower(name)
	near := make([]candidate, 0, len(known))
	for _, k := range known {
		d := distance(name, strings.ToLower(k))
		if within := len(name) >= 3 && strings.Contains(strings.ToLower(k), name); within || d <= max(2, len(k)/3) {
			near = append(near, candidate{k, d})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	out := make([]string, 0, maxNearest)
	for _, c := range near[:min(len(near), maxNearest)] {
		out = append(out, c.name)
	}
	return out
}

// distance is the number of bytes to insert, delete or replace between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			up := row[j+1]
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			row[j+1], diagonal = min(change, up+1, row[j]+1), up
		}
	}
	return row[len(b)]
}
