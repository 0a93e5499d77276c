package term_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/term"
)

func TestWhatWasTypedBeforeADropIsNeverReadAfterIt(t *testing.T) {
	t.Parallel()
	keys, shown := pseudoTerminal(t)
	read, drop := term.TypedLines(shown)
	types := func(s string) {
		_, err := keys.WriteString(s)
		require.NoError(t, err)
	}
	type line struct {
		text string
		err  error
	}
	returned, lines := make(chan struct{}), make(chan line)
	go func() {
		for range 7 {
			text, err := read()
			returned <- struct{}{}
			lines <- line{text, err}
		}
	}()
	next := func() line {
		<-returned
		return <-lines
	}
	types("first\n")
	require.Equal(t, line{"first\n", nil}, next())
	types("half")
	drop()
	require.Equal(t, line{"", term.ErrDropped}, next())
	types("whole\n")
	require.Equal(t, line{"whole\n", nil}, next())

	// A line that was read, but not received yet, comes before the drop.
	types("early\n")
	<-returned
	drop()
	drop()
	require.Equal(t, line{"early\n", nil}, <-lines)
	require.Equal(t, line{"", term.ErrDropped}, next())
	require.Equal(t, line{"", term.ErrDropped}, next())
	types("late\n")
	require.Equal(t, line{"late\n", nil}, next())
}

func TestInputThatIsNoTerminalIsReadWhole(t *testing.T) {
	t.Parallel()
	read, drop := term.TypedLines(strings.NewReader("one\ntwo"))
	require.Nil(t, drop)
	text, err := read()
	require.NoError(t, err)
	require.Equal(t, "one\n", text)
	path := filepath.Join(t.TempDir(), "answers")
	require.NoError(t, os.WriteFile(path, []byte("y\n"), 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	_, drop = term.TypedLines(file)
	require.Nil(t, drop)
}
