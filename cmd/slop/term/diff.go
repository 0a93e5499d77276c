package term

import (
	"fmt"
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

// PrintDiff prints a unified diff, whole, with hidden characters spelled out.
func (g *Terminal) PrintDiff(w io.Writer, diff string) {
	colours := g.coloured()
	for line := range strings.Lines(diff) {
		if line = Visible(strings.TrimSuffix(line, "\n")); colours {
			line = diffColoured(line)
		}
		fmt.Fprintln(w, line)
	}
}

// diffColoured returns a line of a unified diff in its colour.
func diffColoured(line string) string {
	colour := ""
	switch {
	case line == "":
	case strings.HasPrefix(line, "@@"):
		colour = colourPlace
	case line[0] == '-':
		colour = colourRemoved
	case line[0] == '+':
		colour = colourAdded
	}
	if colour == "" {
		return line
	}
	return colour + line + colourOff
}
