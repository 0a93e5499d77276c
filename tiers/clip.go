package tiers

import "unicode/utf8"

// Tail is at most n bytes from the end of a text, whole characters only.
func Tail(s string, n int) string {
	cut := max(0, len(s)-n)
	for cut < len(s) && !utf8.RuneStart(s[cut]) {
		cut++
	}
	return s[cut:]
}

// Clip cuts a text at n bytes, on a character's border, and marks the cut with
// "…", which comes on top. Deciders bound by it what others said.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
