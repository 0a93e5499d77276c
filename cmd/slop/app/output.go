package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// printLine prints v as one line of JSON.
func (g *globals) printLine(v any) error {
	enc := json.NewEncoder(g.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// notice tells the person something that is no result.
func (g *globals) notice(format string, args ...any) {
	if !g.quiet {
		fmt.Fprintf(g.err, "slop: %s\n", eachVisible(fmt.Sprintf(format, args...)))
	}
}

// eachVisible makes every line of a text of ours visible.
func eachVisible(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = visible(lines[i])
	}
	return strings.Join(lines, "\n")
}

// silently ends the program with a status whose reason was printed already.
func silently(code int, reason string) error {
	return &exitError{code: code, err: errors.New(reason), silent: true}
}

// coloured tells whether colours belong into what is printed.
func (g *globals) coloured() bool {
	return !g.noColor && os.Getenv("NO_COLOR") == "" && isTerminal(g.out)
}

// Colours of a diff.
const (
	colourRemoved = "\x1b[31m"
	colourAdded   = "\x1b[32m"
	colourPlace   = "\x1b[36m"
	colourOff     = "\x1b[0m"
)

// printDiff prints a unified diff, whole, with hidden characters spelled out.
func (g *globals) printDiff(w io.Writer, diff string) {
	colours := g.coloured()
	for line := range strings.Lines(diff) {
		if line = visible(strings.TrimSuffix(line, "\n")); colours {
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

// printText prints what a tool or a model wrote and ends it with a line end. A
// terminal gets no character that it would act on.
func (g *globals) printText(text string) {
	if isTerminal(g.out) {
		text = eachVisible(text)
	}
	fmt.Fprintln(g.out, strings.TrimSuffix(text, "\n"))
}

// age is how long ago something was, in one unit.
func age(d time.Duration) string {
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

// printTable prints rows in columns; the last column is as wide as it likes.
func printTable(w io.Writer, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(cell))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-columns(cell)+2))
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// group makes a command that only holds others.
func group(cmd *cobra.Command, children ...*cobra.Command) *cobra.Command {
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(children...)
	return cmd
}
