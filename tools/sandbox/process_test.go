//go:build linux

package sandbox_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/tools/sandbox"
)

func bash(script string) sandbox.Command {
	return sandbox.Command{
		Path: "/bin/bash", Args: []string{"-c", script}, Dir: "/", Env: sandbox.Environment(sandbox.Environ{}),
		Timeout: 20 * time.Second,
	}
}

func TestRunGivesOutputAndExitCode(t *testing.T) {
	t.Parallel()
	o, err := sandbox.Run(t.Context(), bash("echo out; echo err >&2; pwd; tty; cat; exit 7"))
	require.NoError(t, err)
	require.Equal(t, "out\n/\nnot a tty\n", o.Stdout)
	require.Equal(t, "err\n", o.Stderr)
	require.Equal(t, 7, o.Exit)
	require.False(t, o.TimedOut)
	o, err = sandbox.Run(t.Context(), bash("kill -9 $$"))
	require.NoError(t, err)
	require.Equal(t, 137, o.Exit)
}

func TestRunHandsOverInput(t *testing.T) {
	t.Parallel()
	c := bash("cat")
	c.Input = []byte("in\x00put")
	o, err := sandbox.Run(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, "in\x00put", o.Stdout)
	for _, script := range []string{"exit 3", "sleep 100 & exit 3", "exec <&-; exit 3"} {
		c = bash(script)
		c.Input = make([]byte, 4<<20) // more than a pipe holds
		o, err = sandbox.Run(t.Context(), c)
		require.NoError(t, err)
		require.Equal(t, 3, o.Exit, "a program that does not read it ends all the same")
	}
}

func TestRunReportsAProgramThatCannotStart(t *testing.T) {
	t.Parallel()
	_, err := sandbox.Run(t.Context(), sandbox.Command{Path: "/none/program"})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// escapes are ways to outlive a script; each writes the number of its process to the file "pid".
func escapes() map[string]string {
	return map[string]string{
		"foreground":               `echo $$ >pid; sleep 1000`,
		"background":               `sleep 1000 & echo $! >pid`,
		"background with own pipe": `sleep 1000 >/dev/null 2>&1 & echo $! >pid`,
		"setsid":                   `setsid sh -c 'echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 &`,
		"setsid holding the pipe":  `setsid sh -c 'echo $$ >pid; exec sleep 1000' &`,
		"setsid, empty environment, holding the pipe": `env -i setsid sh -c 'echo $$ >pid; exec sleep 1000' &`,
		"double fork":     `setsid sh -c '(setsid sh -c "echo \$\$ >pid; exec sleep 1000" &)' >/dev/null 2>&1 &`,
		"ignores signals": `setsid sh -c 'trap "" TERM HUP INT; echo $$ >pid; while :; do sleep 1000; done' &`,
	}
}

func TestNothingIsLeftRunning(t *testing.T) {
	t.Parallel()
	for name, script := range escapes() {
		for _, end := range []string{"exit", "limit", "cancel"} {
			t.Run(name+" until "+end, func(t *testing.T) {
				t.Parallel()
				nothingLeft(t, script, end)
			})
		}
	}
}

func nothingLeft(t *testing.T, script, end string) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := bash(script + "\nwhile [ ! -s pid ]; do sleep 0.01; done; cat pid >ready")
	c.Dir = dir
	foreground := strings.HasSuffix(script, "; sleep 1000")
	switch {
	case foreground && end == "exit":
		return // it does not end by itself
	case foreground:
		c.Args[1] = strings.Replace(script, "sleep", "cp pid ready; sleep", 1)
	case end != "exit":
		c.Args[1] += "\nsleep 1000"
	}
	if end == "limit" {
		c.Timeout = time.Second
	}
	if end == "cancel" {
		go cancelWhenWritten(ctx, cancel, dir)
	}
	o, err := sandbox.Run(ctx, c)
	if end == "cancel" {
		require.ErrorIs(t, err, context.Canceled)
	} else {
		require.NoError(t, err)
	}
	require.Equal(t, end == "limit", o.TimedOut)
	pid, err := strconv.Atoi(strings.TrimSpace(tryRead(dir, "pid")))
	require.NoError(t, err, "the script did not get as far as it should")
	require.False(t, alive(pid), "process %d still runs", pid)
}

// TestAProcessThatIsNotFoundHoldsNoRun lets the one kind of process that is not
// found keep the standard input, of which nobody reads more than a pipe holds.
func TestAProcessThatIsNotFoundHoldsNoRun(t *testing.T) {
	t.Parallel()
	c := bash(`mkfifo hold; exec 3<&0
(env -i setsid sh -c 'echo >ready; exec cat hold' <&3 3<&- >/dev/null 2>&1 &)
while [ ! -s ready ]; do sleep 0.01; done; echo done`)
	c.Dir, c.Input = t.TempDir(), make([]byte, 1<<20)
	o, err := sandbox.Run(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, "done\n", o.Stdout)
	hold, err := os.OpenFile(filepath.Join(c.Dir, "hold"), os.O_WRONLY, 0)
	require.NoError(t, err)
	require.NoError(t, hold.Close(), "which lets it end")
}

// cancelWhenWritten waits for the file "ready", the only sign that the other process can give.
func cancelWhenWritten(ctx context.Context, cancel context.CancelFunc, dir string) {
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for tryRead(dir, "ready") == "" {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func tryRead(dir, name string) string {
	data, _ := os.ReadFile(filepath.Join(dir, name))
	return string(data)
}

// alive tells whether a process runs; one that ended and was not waited for does not.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	return fields[0] != "Z" && fields[0] != "X"
}

func TestTheTimeLimitAndCancellationEndARunSoon(t *testing.T) {
	t.Parallel()
	c := bash("sleep 1000")
	c.Timeout = 50 * time.Millisecond
	o, err := sandbox.Run(t.Context(), c)
	require.NoError(t, err)
	require.True(t, o.TimedOut)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = sandbox.Run(ctx, bash("sleep 1000"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestAFloodOfOutputIsCutInTheMiddleAndStaysText(t *testing.T) {
	t.Parallel()
	c := bash(`printf 'begin\n'; head -c 3000000 /dev/zero | tr '\0' '\377'; printf '\nend\n'`)
	o, err := sandbox.Run(t.Context(), c)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(o.Stdout, "begin\n"))
	require.True(t, strings.HasSuffix(o.Stdout, "\nend\n"))
	require.Contains(t, o.Stdout, "bytes of output not shown")
	require.Equal(t, strings.ToValidUTF8(o.Stdout, "?"), o.Stdout)
	require.Positive(t, o.StdoutDropped)
	c.MaxOutput = 16
	o, err = sandbox.Run(t.Context(), c)
	require.NoError(t, err)
	require.Less(t, len(o.Stdout), 120)
}

// TestHelperThatRuns is the other process of the next test.
func TestHelperThatRuns(t *testing.T) {
	dir := os.Getenv("SLOP_TEST_RUN_IN")
	if dir == "" {
		t.Skip("this is the other process of the next test; it does nothing by itself")
	}
	c := bash("echo $$ >pid; exec sleep 1000")
	c.Dir = dir
	_, _ = sandbox.Run(t.Context(), c)
}

func TestAProgramDiesWithTheEngine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	engine := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelperThatRuns$")
	engine.Env = append(os.Environ(), "SLOP_TEST_RUN_IN="+dir)
	require.NoError(t, engine.Start())
	var pid int
	require.Eventually(t, func() bool {
		pid, _ = strconv.Atoi(strings.TrimSpace(tryRead(dir, "pid")))
		return pid > 0
	}, 10*time.Second, time.Millisecond)
	require.NoError(t, engine.Process.Signal(syscall.SIGKILL))
	_ = engine.Wait()
	require.Eventually(t, func() bool { return !alive(pid) }, 10*time.Second, time.Millisecond)
}
