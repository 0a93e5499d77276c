package term_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"manualslop/cmd/slop/term"
	"manualslop/events"
)

func TestAScreenHasNoMoreLinesThanTheTerminal(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"WHO", "WAITS FOR"}}
	for i := range 14 {
		rows = append(rows, []string{fmt.Sprintf("T-%02d", i+1), "you"})
	}
	require.Equal(t, []string{"WHO   WAITS FOR", "T-01  you", "T-02  you", "T-03  you", "… 11 more", ""},
		screen(t, 6, rows))
	require.Equal(t, []string{"WHO   WAITS FOR", "T-01  you", "T-02  you", ""}, screen(t, 4, rows[:3]))
	require.Equal(t, []string{"… 15 more", ""}, screen(t, 1, rows))
}

func TestATableThatIsTooWideNarrowsItsLastColumnOrBecomesBlocks(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"ID", "STATE", "GOAL"}, {"7QK2M4", "done", "mend the parser of dates in a.go"},
		{"7QK2M5", "", "漢字漢字漢字漢字漢字漢字漢字漢字"}}
	table := func(columns uint16) []string {
		return printed(t, 24, columns, func(w io.Writer) { term.PrintTable(w, rows) })
	}
	require.Equal(t, []string{"ID      STATE  GOAL", "7QK2M4  done   mend the parser of dates in a.go",
		"7QK2M5         漢字漢字漢字漢字漢字漢字漢字漢字", ""}, table(47))
	require.Equal(t, []string{"ID      STATE  GOAL", "7QK2M4  done   mend the parser of",
		"               dates in a.go", "7QK2M5         漢字漢字漢字漢字漢字", "               漢字漢字漢字", ""}, table(35))
	require.Equal(t, []string{"ID     7QK2M4", "STATE  done", "GOAL", "  mend the parser of dates in a.go", "",
		"ID     7QK2M5", "GOAL", "  漢字漢字漢字漢字漢字漢字漢字漢字", ""}, table(34))
	require.Equal(t, []string{"ID     7QK2M4", "STATE  done", "GOAL   mend the parser of", "       dates in a.go", "",
		"ID     7QK2M5", "GOAL   漢字漢字漢字漢字漢字", "       漢字漢字漢字", ""}, table(28))
	require.Equal(t, []string{"a  b", "  cc", ""}, printed(t, 24, 5, func(w io.Writer) {
		term.PrintTable(w, [][]string{{"a", "b", "cc"}})
	}))
}

func TestAQuestionKeepsItsMarginOnANarrowTerminal(t *testing.T) {
	t.Parallel()
	ask := events.AskRaised{Ask: "a-1", Gate: events.GateTool, Title: "edit_file src/main.go", Ticket: "T-001",
		Effect: "writes", Args: []byte(`{"path":"src/main.go","new_string":"x"}`),
		Diff: "--- a/src/main.go\n+++ b/src/main.go\n@@ -1 +1 @@\n-one\n+two  and three + four - five\n"}
	require.Equal(t, []string{"", "── tool · edit_file ", " ↳ src/main.go · ", " ↳ T-001", "   a-1 · writes",
		"   new_string: x", "   path: src/main.go", "   --- a/src/main.go", "   +++ b/src/main.go", "   @@ -1 +1 @@",
		"   -one",
		"   +two  and three +", " ↳   four - five", ""}, printed(t, 24, 20, func(w io.Writer) {
		require.False(t, (&term.Terminal{NoColor: true}).PrintAsk(w, ask, false))
	}))
	diff := printed(t, 24, 20, func(w io.Writer) { (&term.Terminal{NoColor: true}).PrintDiff(w, ask.Diff) })
	require.Equal(t, []string{"+two  and three + ", "↳four - five", ""}, diff[4:])
}

// screen returns the lines that PrintScreen writes to a terminal with so many lines.
func screen(t *testing.T, lines uint16, rows [][]string) []string {
	t.Helper()
	shown := printed(t, lines, 50, func(w io.Writer) { term.PrintScreen(w, rows) })
	shown[0] = strings.TrimPrefix(shown[0], "\x1b[H\x1b[2J")
	return shown
}

// printed returns the lines that print writes to a terminal of this size.
func printed(t *testing.T, lines, columns uint16, print func(io.Writer)) []string {
	t.Helper()
	shown, program := pseudoTerminal(t)
	require.NoError(t, unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: lines, Col: columns}))
	print(program)
	require.NoError(t, program.Close())
	text, _ := io.ReadAll(shown) // a terminal that no program has open ends with an error
	return strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
}

// pseudoTerminal opens a terminal: the user's end, which is closed at the end of the test, and that of the program.
func pseudoTerminal(t *testing.T) (user, program *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { user.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(user.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return user, program
}
