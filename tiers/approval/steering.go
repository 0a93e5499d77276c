package approval

import (
	"slices"
	"strings"

	"manualslop/events/policy"
)

// steers returns the first element of a path that is one of [policy.SteeringNames], ignoring case.
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

// meant reports whether an allow rule's glob may match a path: if the path steers programs, the
// glob must name that element explicitly. A wide glob such as ** does not.
func meant(glob, path string) bool {
	name, steering := steers(path)
	return !steering || slices.Contains(strings.Split(glob, "/"), name)
}
