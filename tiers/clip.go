package tiers

import "unicode/utf8"

// Tail returns at most the last n bytes of a text without splitting a character.
func Tail(s string, n int) string {
	cut := max(0, len(s)-n)
	for cut < len(s) && !utf8.RuneStart(s[cut]) {
		cut++
	}
	return s[cut:]
}

// Clip cuts a text after at most n bytes, between characters, and appends "…" to mark the cut.
// Deciders use it to limit texts from others.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
