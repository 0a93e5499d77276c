package tiers

import "unicode/utf8"

// Tail returns at most n bytes from the end of a text, in whole characters.
func Tail(s string, n int) string {
	cut := max(0, len(s)-n)
	for cut < len(s) && !utf8.RuneStart(s[cut]) {
		cut++
	}
	return s[cut:]
}

// Clip cuts a text at n bytes, between characters, and marks the cut with an
// additional "…". Deciders use it to limit texts of others.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
