package grammar

import (
	"strconv"
	"strings"
)

// Version is a minor version of Python 3: 11 is Python 3.11.
type Version int

// The oldest and newest versions that Check supports.
const (
	OldestVersion Version = 8
	NewestVersion Version = 14
)

// ParseVersion reads "3.11" or "3.11.7". It returns false if the text is not a version that Check supports.
func ParseVersion(text string) (Version, bool) {
	rest, ok := strings.CutPrefix(text, "3.")
	if !ok {
		return 0, false
	}
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(minor)
	if v := Version(n); err == nil && v >= OldestVersion && v <= NewestVersion {
		return v, true
	}
	return 0, false
}

// String returns the version in the form "3.11".
func (v Version) String() string { return "3." + strconv.Itoa(int(v)) }
