package term

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Age formats how long ago something happened, in one unit.
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

// PrintTable prints rows in columns; the last column is not padded.
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

// PrintScreen replaces the content of a terminal with a table that is cut to its size.
func PrintScreen(w io.Writer, rows [][]string) {
	var table strings.Builder
	PrintTable(&table, rows)
	fmt.Fprint(w, "\x1b[H\x1b[2J")
	width, height := terminalSize(w)
	lines := strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n")
	if room := max(1, height-1); len(lines) > room { // the cursor stands below
		lines = append(lines[:room-1:room-1], fmt.Sprintf("… %d more", len(lines)-room+1))
	}
	for _, line := range lines {
		fmt.Fprintln(w, fit(line, width))
	}
}

// PrintFields prints a name and a value in each row, with hidden characters spelled out. It skips empty values.
func PrintFields(w io.Writer, rows [][]string) {
	var kept [][]string
	for _, row := range rows {
		if row[1] != "" {
			kept = append(kept, []string{row[0], Visible(row[1])})
		}
	}
	PrintTable(w, kept)
}

// Clock formats a time for people.
func Clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// OrDash returns s, or a dash if s is empty.
func OrDash(s string) string { return FirstOf(s, "-") }
