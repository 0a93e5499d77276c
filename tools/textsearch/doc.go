// Package textsearch finds lines in texts: by a plain text or a regular expression, with the lines
// around them, and long lines cut around what was found.
//
// A [Pattern] is compiled once and may be used by many goroutines. Matches lie within one line; lines
// end at LF, CRLF or CR. The time of a search grows with the text times the size of the pattern, which
// is bounded, and the context is looked at every few thousand characters. Of a line over 1 MiB an
// expression sees the first 1 MiB.
package textsearch
