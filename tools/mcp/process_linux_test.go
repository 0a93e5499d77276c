//go:build linux

package mcp

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A grandchild that holds the output open ends with its server, also one that left its group.
func TestRequirement05GrandchildrenEndWithTheirServer(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"grandchild", "escaping-grandchild"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			pidFile := filepath.Join(t.TempDir(), "pid")
			m, r := trusted(t, how, map[string]string{"PIDFILE": pidFile})
			require.False(t, call(t, r, "mcp__fix__say", `{"text":"x"}`).Failed)
			require.NoError(t, m.StopAll())
			text, err := os.ReadFile(pidFile)
			require.NoError(t, err)
			pid, err := strconv.Atoi(string(text))
			require.NoError(t, err)
			for startOf(pid) != "" { // a killed process ends a moment later
				runtime.Gosched()
			}
		})
	}
}

// A server that neither the end of its input nor SIGTERM ends is killed.
func TestRequirement05AStubbornServerIsKilled(t *testing.T) {
	t.Parallel()
	user, project := configured(t, "stubborn", nil)
	m, err := Open(user, project, nil, Surroundings{})
	require.NoError(t, err)
	s, _ := m.Find("fix")
	_, err = m.See(t.Context(), s) // waits until the process ended
	require.NoError(t, err)
}

// The servers of an engine that was killed do not outlive the next start.
func TestRequirement05OrphansOfAKilledEngineAreKilled(t *testing.T) {
	t.Parallel()
	pidFile := filepath.Join(t.TempDir(), "pid")
	user, project := configured(t, "escaping-grandchild", map[string]string{"PIDFILE": pidFile})
	m, err := Open(user, project, nil, Surroundings{})
	require.NoError(t, err)
	s, _ := m.Find("fix")
	s, err = m.See(t.Context(), s)
	require.NoError(t, err)
	require.NoError(t, m.Trust(s))

	program, err := os.Executable()
	require.NoError(t, err)
	engine := exec.Command(program)
	engine.Env = append(os.Environ(), misbehave+"=owner", "OWNED_USER="+user, "OWNED_PROJECT="+project)
	out, err := engine.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, engine.Start())
	said, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "x\n", said)
	text, err := os.ReadFile(pidFile)
	require.NoError(t, err)
	pid, err := strconv.Atoi(string(text))
	require.NoError(t, err)
	KillOrphans()
	require.NotEmpty(t, startOf(pid), "its engine lives")
	require.NoError(t, engine.Process.Kill())
	_ = engine.Wait()
	KillOrphans()
	for startOf(pid) != "" { // a killed process ends a moment later
		runtime.Gosched()
	}
}
