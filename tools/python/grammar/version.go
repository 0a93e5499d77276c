package grammar

import (
	"strconv"
	"strings"

	"manualslop/tools/python"
)

// Version is a minor version of Python 3, whose words and rules are followed: 11 is Python 3.11.
type Version int

// Versions that Check knows.
const (
	OldestVersion  Version = 8
	DefaultVersion Version = 13
	NewestVersion  Version = 14
)

// ParseVersion reads "3.11" or "3.11.7". It answers false for what is no version that Check knows.
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

// String is like "3.11".
func (v Version) String() string { return "3." + strconv.Itoa(int(v)) }

// wording is the text of a lexical problem, which has not always been the same.
func (v Version) wording(p python.Problem, text string) string {
	const escaped = "; perhaps you escaped the end quote?"
	said := strings.TrimSuffix(p.Text, escaped)
	if v < 13 || !strings.HasPrefix(said, "unterminated string literal") || p.Offset >= len(text) {
		return said
	}
	quote := strings.IndexAny(text[p.Offset:], "\"'")
	if quote < 0 {
		return said
	}
	rest := text[p.Offset+quote+1:]
	if end := strings.IndexAny(rest, "\r\n"); end >= 0 {
		rest = rest[:end]
	}
	for i := 0; i+1 < len(rest); i++ {
		if rest[i] == '\\' {
			if i++; rest[i] == text[p.Offset+quote] {
				return said + escaped
			}
		}
	}
	return said
}
