// Package term prints to a terminal or a program: lines, tables, diffs, asks and
// the progress of a session. It makes hidden characters visible and masks secrets.
package term

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"
)

// Terminal holds the streams from which a command reads and to which it prints, and how much it prints.
type Terminal struct {
	In      io.Reader
	Out     io.Writer
	Err     io.Writer
	JSON    bool
	NoColor bool
	Quiet   bool
	Verbose bool
}

// Printf prints results; see [PrintLines].
func (g *Terminal) Printf(format string, args ...any) {
	if !g.Quiet {
		PrintLines(g.Out, fmt.Sprintf(format, args...))
	}
}

// Logger writes the operator's log to standard error.
func (g *Terminal) Logger() *slog.Logger {
	level := slog.LevelWarn
	switch {
	case g.Verbose:
		level = slog.LevelDebug
	case g.Quiet:
		level = slog.LevelError
	}
	return slog.New(slog.NewTextHandler(&repeats{out: g.Err, clock: time.Now}, &slog.HandlerOptions{Level: level}))
}

// PrintLine prints v as one line of JSON.
func (g *Terminal) PrintLine(v any) error {
	enc := json.NewEncoder(g.Out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// Notice prints a message that is not a result, on standard error.
func (g *Terminal) Notice(format string, args ...any) {
	if !g.Quiet {
		PrintLines(g.Err, "slop: "+EachVisible(fmt.Sprintf(format, args...))+"\n")
	}
}

// EachVisible makes every line of a text visible; see [Visible].
func EachVisible(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = Visible(lines[i])
	}
	return strings.Join(lines, "\n")
}

// coloured reports whether to print colours.
func (g *Terminal) coloured() bool {
	return !g.NoColor && os.Getenv("NO_COLOR") == "" && Draws(g.Out)
}

// PrintText prints the text of a tool or a model, ending with a line end. It sends no control characters to a
// terminal.
func (g *Terminal) PrintText(text string) {
	if IsTerminal(g.Out) {
		text = EachVisible(text)
	}
	fmt.Fprintln(g.Out, strings.TrimSuffix(text, "\n"))
}
