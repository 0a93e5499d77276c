package client

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/cmd/slop/exit"
)

// ExpandID returns the one id that word stands for: the id itself, or the only one that begins or ends with it,
// ignoring case. It never guesses.
func ExpandID(what, word string, ids []string) (string, error) {
	if slices.Contains(ids, word) {
		return word, nil
	}
	low := strings.ToLower(word)
	var found []string
	for _, id := range ids {
		l := strings.ToLower(id)
		if low != "" && (strings.HasPrefix(l, low) || strings.HasSuffix(l, low)) && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", exit.Errorf(exit.Failed, "no %s %q", what, word)
	}
	list := strings.Join(found[:min(len(found), 4)], ", ")
	if more := len(found) - 4; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return "", exit.Errorf(exit.Failed, "%q is ambiguous: %s", word, list)
}

// LeastShort is the minimum number of characters of a short id.
const LeastShort = 6

// ShortIDs abbreviates ids to their last characters: as few as distinguish them, but at least LeastShort. [ExpandID]
// finds each of them among the same ids.
func ShortIDs(ids []string) map[string]string {
	out := make(map[string]string, len(ids))
	for n := LeastShort; len(out) < len(ids); n++ {
		taken := map[string]int{}
		for _, id := range ids {
			taken[Tail(id, n)]++
		}
		for _, id := range ids {
			if _, done := out[id]; !done && (taken[Tail(id, n)] == 1 || n >= len(id)) {
				out[id] = Tail(id, n)
			}
		}
		if n > 256 {
			break // the same id twice
		}
	}
	return out
}

// Tail returns the last n characters of an id; ids that are not much longer are returned whole.
func Tail(id string, n int) string {
	r := []rune(id)
	if len(r) <= n+6 {
		return id
	}
	return string(r[len(r)-n:])
}
