//go:build unix

package mcp

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Requirement 5 and 12: a grandchild that holds the output open ends with its server.
func TestGrandchildrenEndWithTheirServer(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	m, r := trusted(t, "grandchild", map[string]string{"PIDFILE": pidFile})
	require.False(t, call(t, r, "mcp__fix__say", `{"text":"x"}`).Failed)
	require.NoError(t, m.StopAll())
	text, err := os.ReadFile(pidFile)
	require.NoError(t, err)
	pid, err := strconv.Atoi(string(text))
	require.NoError(t, err)
	for syscall.Kill(pid, 0) == nil { // a killed process ends a moment later
		stat, err := os.ReadFile("/proc/" + string(text) + "/stat")
		if err == nil && strings.Contains(string(stat), ") Z ") {
			return // it waits to be reaped
		}
		runtime.Gosched()
	}
}
