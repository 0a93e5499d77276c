package term

import (
	"fmt"
	"io"
	"strings"
	"time"
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

// diffColoured is a line of a unified diff in its colour.
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

// Age is how long ago something was, in one unit.
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours())/24)
}

// PrintTable prints rows in columns; the last column is as wide as it likes.
func PrintTable(w io.Writer, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-Columns(cell)+2))
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// Clock prints a time as people read it.
func Clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// OrDash is s, or a dash for nothing.
func OrDash(s string) string { return FirstOf(s, "-") }
