package approval

import (
	"slices"
	"strings"

	"manualslop/events/policy"
)

// steers returns the first element of a path that is one of [policy.SteeringNames],
// whatever its case.
func steers(path string) (string, bool) {
	names := policy.SteeringNames()
	for element := range strings.SplitSeq(path, "/") {
		for _, name := range names {
			if fold(element) == fold(name) {
				return name, true
			}
		}
	}
	return "", false
}

// meant tells whether an allow rule's glob was written with such a path in mind:
// it spells the name out. A wide one such as ** was meant for the work.
func meant(glob, path string) bool {
	name, steering := steers(path)
	return !steering || slices.Contains(strings.Split(glob, "/"), name)
}
