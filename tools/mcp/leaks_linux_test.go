//go:build linux

package mcp

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events/eventstest"
)

// goroutines returns the stacks of those that run or wait in this package or in the
// library of the protocol, without the tests themselves.
func goroutines() (left []string) {
	buf := make([]byte, 1<<20)
	for {
		if n := runtime.Stack(buf, true); n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		ours := strings.Contains(stack, "manualslop/tools/mcp.") || strings.Contains(stack, "modelcontextprotocol/go-sdk/")
		test := strings.Contains(stack, "testing.tRunner(") || strings.Contains(stack, "mcp.goroutines(")
		if ours && !test {
			left = append(left, stack)
		}
	}
	return left
}

// ownServer tells whether a process is a server of this process, or descends from one.
func ownServer(mark string) bool {
	return strings.HasPrefix(mark, strings.Join(strings.SplitN(newMark(), ":", 4)[:3], ":")+":")
}

// No server of any kind leaves a process or a goroutine behind. It runs before the
// parallel tests of the package; TestMain looks again when all have run.
func TestRequirement12NothingIsLeftOfAServer(t *testing.T) {
	t.Run("servers", func(t *testing.T) {
		for _, how := range []string{"good", "junk", "raw", "silent-probe", "stubborn", "grandchild", "escaping-grandchild",
			"dies-on-server/discover", "dies-on-tools/call", "half-written", "exits"} {
			t.Run(how, func(t *testing.T) {
				t.Parallel()
				live(t, how)
			})
		}
	})
	n, stacks := left()
	require.Zero(t, n)
	require.Empty(t, stacks)
}

// live starts a server, calls it and stops it.
func live(t *testing.T, how string) {
	t.Helper()
	user, project := configured(t, how, map[string]string{"PIDFILE": filepath.Join(t.TempDir(), "pid")})
	m, err := Open(user, project, nil, Surroundings{})
	require.NoError(t, err)
	s, _ := m.Find("fix")
	s, err = m.See(t.Context(), s)
	if how == "half-written" || how == "exits" {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	require.NoError(t, m.Trust(s))
	m, err = Open(user, project, nil, Surroundings{})
	require.NoError(t, err)
	r, err := m.Tools()
	require.NoError(t, err)
	call(t, r, r.All()[0].Spec().Name, `{}`)
	if how != "dies-on-tools/call" {
		require.NotEmpty(t, marked(ownServer))
		require.NotEmpty(t, goroutines())
	}
	require.NoError(t, m.StopAll())
}

// left returns what tests left behind. A killed process and its readers end a moment later.
func left() (processes int, stacks []string) {
	deadline := time.NewTimer(eventstest.Patience)
	defer deadline.Stop()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for {
		n, stacks := len(marked(ownServer)), goroutines()
		if n == 0 && len(stacks) == 0 {
			return 0, nil
		}
		select {
		case <-deadline.C:
			return n, stacks
		case <-look.C:
		}
	}
}

// leaks ends what the tests left behind, and returns what it was; empty if nothing was.
func leaks() string {
	n, stacks := left()
	if n == 0 && len(stacks) == 0 {
		return ""
	}
	killMarked(ownServer)
	return fmt.Sprintf("%d processes and these goroutines:\n%s", n, strings.Join(stacks, "\n\n"))
}
