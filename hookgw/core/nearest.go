package core

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxNearest is how many known names an error suggests.
const maxNearest = 3

// maxComparedName limits the cost of a hostile name, in bytes.
const maxComparedName = 128

// Nearest returns the known names most similar to name, best first; none if nothing is similar.
func Nearest(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	if len(name) > maxComparedName {
		return []string{}
	}
	name = strings.ToLower(name)
	near := make([]candidate, 0, len(known))
	for _, k := range known {
		d := levenshtein.ComputeDistance(name, strings.ToLower(k))
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
