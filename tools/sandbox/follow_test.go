//go:build unix

package sandbox_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/tools/sandbox"
)

// TestOutputIsFollowedWhileTheProgramRuns lets the program wait for what the
// follower does on its first line.
func TestOutputIsFollowedWhileTheProgramRuns(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "seen")
	var followed strings.Builder
	o, err := sandbox.Run(t.Context(), sandbox.Command{
		Path: "/bin/sh", Args: []string{"-c", `echo one; echo loud >&2; while [ ! -e "$0" ]; do sleep 0.01; done; echo two`,
			seen},
		Env: sandbox.Environment(sandbox.Environ{}), Timeout: time.Minute, MaxOutput: 4,
		Follow: func(b []byte) {
			followed.Write(b)
			_ = os.WriteFile(seen, nil, 0o600)
		},
	})
	require.NoError(t, err)
	require.Zero(t, o.Exit)
	require.Equal(t, "one\ntwo\n", followed.String(), "the whole of it, however little is kept")
	require.Positive(t, o.StdoutDropped)
}

// TestAProgramIsTalkedToWhileItRuns answers what the program asks, and ends it
// by closing its input.
func TestAProgramIsTalkedToWhileItRuns(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	o, err := sandbox.Run(t.Context(), sandbox.Command{
		Path: "/bin/sh", Args: []string{"-c", `echo name; read -r name; echo "hello $name"; cat`},
		Env: sandbox.Environment(sandbox.Environ{}), Timeout: time.Minute,
		Follow: func(b []byte) {
			select {
			case asked <- string(b):
			default:
			}
		},
		Talk: func(in io.WriteCloser) {
			_, _ = io.WriteString(in, strings.TrimSpace(<-asked)+"d\n")
			_ = in.Close()
		},
	})
	require.NoError(t, err)
	require.Equal(t, "name\nhello named\n", o.Stdout)
}

// TestNobodyTalksToAProgramThatHasEnded writes more than a pipe holds to a
// program that reads nothing.
func TestNobodyTalksToAProgramThatHasEnded(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := sandbox.Run(ctx, sandbox.Command{
		Path: "/bin/sleep", Args: []string{"1000"}, Env: sandbox.Environment(sandbox.Environ{}), Timeout: time.Minute,
		Talk: func(in io.WriteCloser) {
			time.AfterFunc(time.Millisecond, cancel)
			_, err := in.Write(make([]byte, 1<<20))
			failed <- err
		},
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Error(t, <-failed)
}
