// Package textsearch finds lines in texts, by a plain text or a regular expression. It returns matching lines
// with the lines around them, and shortens long lines around the match.
//
// A [Pattern] is compiled once and is safe for concurrent use. Matches are within one line; lines end at LF, CRLF
// or CR. The time of a search is proportional to the text times the size of the pattern, which is limited, and
// the context is checked every few thousand characters. In a line over 1 MiB, an expression is applied to the
// first 1 MiB only.
package textsearch
