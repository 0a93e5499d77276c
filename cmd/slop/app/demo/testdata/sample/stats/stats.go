// Package stats has small figures about small samples.
package stats

import "sort"

// Median is the middle of the values in order, or the mean of the two in the
// middle when their number is even. The median of nothing is 0. The values
// stay as they are.
func Median(values []float64) float64 {
	sort.Float64s(values)
	if len(values) == 0 {
		return 0
	}
	return values[len(values)/2]
}
