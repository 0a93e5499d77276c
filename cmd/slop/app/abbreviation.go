package app

import (
	"fmt"
	"slices"
	"strings"
)

// expandID finds the one id that word means: the id itself, or the only one
// that begins or ends with it, without regard to case. Nothing is guessed.
func expandID(what, word string, ids []string) (string, error) {
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
		return "", failed(exitFailed, "there is no %s %q", what, word)
	}
	list := strings.Join(found[:min(len(found), 4)], ", ")
	if more := len(found) - 4; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return "", failed(exitFailed, "%q could be several: %s", word, list)
}

// leastShort is the least number of characters of a short id.
const leastShort = 6

// shortIDs abbreviates ids to their last characters, as few as tell them apart
// and leastShort at least. [expandID] finds each of them among the same ids.
func shortIDs(ids []string) map[string]string {
	out := make(map[string]string, len(ids))
	for n := leastShort; len(out) < len(ids); n++ {
		taken := map[string]int{}
		for _, id := range ids {
			taken[tail(id, n)]++
		}
		for _, id := range ids {
			if _, done := out[id]; !done && (taken[tail(id, n)] == 1 || n >= len(id)) {
				out[id] = tail(id, n)
			}
		}
		if n > 256 {
			break // the same id twice
		}
	}
	return out
}

// tail is the last n characters of an id; ids that are not much longer stay whole.
func tail(id string, n int) string {
	r := []rune(id)
	if len(r) <= n+6 {
		return id
	}
	return string(r[len(r)-n:])
}
