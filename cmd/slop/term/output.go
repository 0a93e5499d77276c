package term

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
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

// leastLast is the minimum width to which the last column of a table is narrowed.
const leastLast = 20

// PrintTable prints rows in columns; the last column is not padded. A terminal that is too narrow gets its last column
// in several lines. If that is not enough, each row is printed as a block with a line for each cell; the first row
// names the cells if it has no small letters.
func PrintTable(w io.Writer, rows [][]string) {
	widths := widthsOf(rows)
	all, before := 0, 0 // columns of the table, and of all but its last column
	for i, n := range widths {
		if all += n; i < len(widths)-1 {
			all += columnGap
			before = all
		}
	}
	width := lineWidth(w)
	if all > width && width-before < leastLast && width > 0 {
		printBlocks(w, rows)
		return
	}
	cells := wrapper{width: width, hang: strings.Repeat(" ", before), deepest: before}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-Columns(cell)+columnGap))
			}
		}
		fmt.Fprintln(w, strings.Join(cells.lines(strings.TrimRight(b.String(), " ")), "\n"))
	}
}

// columnGap is the distance between two columns.
const columnGap = 2

// widthsOf returns how wide the columns of a table are.
func widthsOf(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	return widths
}

// printBlocks prints each row of a table as a block, with the names of the first row.
func printBlocks(w io.Writer, rows [][]string) {
	if strings.ContainsFunc(strings.Join(rows[0], ""), unicode.IsLower) {
		for _, row := range rows {
			PrintLines(w, strings.Join(row, "  ")+"\n")
		}
		return
	}
	names := 0
	for _, name := range rows[0] {
		names = max(names, Columns(name))
	}
	for i, row := range rows[1:] {
		var fields [][]string
		for k, cell := range row {
			fields = append(fields, []string{rows[0][k] + strings.Repeat(" ", names-Columns(rows[0][k])), cell})
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		PrintFields(w, fields)
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

// PrintFields prints a name and a value in each row, with hidden characters spelled out. It skips empty values. On a
// terminal, a value that does not fit behind its name gets a line of its own if it fits there.
func PrintFields(w io.Writer, rows [][]string) {
	kept := slices.DeleteFunc(slices.Clone(rows), func(row []string) bool { return row[1] == "" })
	names := 0
	for _, row := range kept {
		names = max(names, Columns(row[0]))
	}
	width := lineWidth(w)
	for _, row := range kept {
		value := Visible(row[1])
		line := row[0] + strings.Repeat(" ", names-Columns(row[0])+columnGap) + value
		if own := columnGap + Columns(value); width > 0 && Columns(line) > width && own <= width {
			if name := strings.TrimRight(row[0], " "); name != "" {
				fmt.Fprintln(w, name)
			}
			line = strings.Repeat(" ", columnGap) + value
		}
		fields := wrapper{width: width, hang: strings.Repeat(" ", names+columnGap)}
		fmt.Fprintln(w, strings.Join(fields.lines(line), "\n"))
	}
}

// Clock formats a time for people.
func Clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// OrDash returns s, or a dash if s is empty.
func OrDash(s string) string { return FirstOf(s, "-") }
