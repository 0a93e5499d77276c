package term

import (
	"io"
	"strings"
)

// Colours of a diff.
const (
	colourRemoved = "\x1b[31m"
	colourAdded   = "\x1b[32m"
	colourPlace   = "\x1b[36m"
	colourOff     = "\x1b[0m"
)

// PrintDiff prints a unified diff, whole, with hidden characters spelled out. On a terminal, a line that is too wide
// continues on lines with a mark in the sign's column.
func (g *Terminal) PrintDiff(w io.Writer, diff string) {
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		printExact(w, "", line, "", g.diffColour(line))
	}
}

// diffColour returns the colour of a line of a unified diff.
func (g *Terminal) diffColour(line string) string {
	switch {
	case line == "", !g.coloured():
	case strings.HasPrefix(line, "@@"):
		return colourPlace
	case line[0] == '-':
		return colourRemoved
	case line[0] == '+':
		return colourAdded
	}
	return ""
}
