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

// screen returns the lines that PrintScreen writes to a terminal with so many lines.
func screen(t *testing.T, lines uint16, rows [][]string) []string {
	t.Helper()
	shown, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	defer shown.Close()
	require.NoError(t, unix.IoctlSetPointerInt(int(shown.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(shown.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	program, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: lines, Col: 50}))
	term.PrintScreen(program, rows)
	require.NoError(t, program.Close())
	text, _ := io.ReadAll(shown) // a terminal that no program has open ends with an error
	return strings.Split(strings.TrimPrefix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\x1b[H\x1b[2J"), "\n")
}
