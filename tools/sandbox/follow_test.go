//go:build unix

package sandbox_test

import (
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
		Path: "/bin/sh", Args: []string{"-c", `echo one; echo loud >&2; while [ ! -e "$0" ]; do sleep 0.01; done; echo two`, seen},
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
