package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
)

// slowCall is a call whose first run writes the process that makes it into the
// file pid, and then waits for the file go. Its text stands in the outcome.
type slowCall struct {
	name  string
	reads bool // it may run twice
	stops bool // the worker is stopped, not killed
	load  bool // only in make load: the others show each kind of call and of loss
}

// TestTheCallOfALostWorkerIsTakenOver has worker processes beside the engine's
// others, and ends or stops the one that is in the middle of a call.
func TestTheCallOfALostWorkerIsTakenOver(t *testing.T) {
	t.Parallel()
	for _, c := range []slowCall{
		{name: "a read of a killed worker", reads: true},
		{name: "a script of a stopped worker", stops: true},
		{name: "a read of a stopped worker", reads: true, stops: true, load: true},
		{name: "a script of a killed worker", load: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.load && load(0, 1) == 0 {
				t.Skip("the other cases show each kind of call and of loss; SLOP_LOAD=full runs every pair")
			}
			t.Parallel()
			c.takeOver(t)
		})
	}
}

func (c slowCall) takeOver(t *testing.T) {
	f := newFleet(t)
	gate := slowGit(t, f)
	call := calls("get_git_diff", map[string]any{"path": "."})
	if !c.reads {
		call = calls("run_powershell", map[string]any{"script": waitsIn(gate)})
	}
	require.NoError(t, os.WriteFile(f.file, []byte(onePlan(call, calls("read_file", map[string]any{"path": "go.mod"}),
		says("DONE: done"))), 0o600))
	f.start()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	log, run := f.person(ctx), f.run(ctx)
	var said lockedBuffer
	run.Stdout, run.Stderr = &said, &said
	require.NoError(t, run.Start())
	lost, other := f.workersOf(pidIn(t, ctx, gate))
	began := time.Now()
	if c.stops {
		require.NoError(t, lost.cmd.Process.Signal(syscall.SIGSTOP))
	} else {
		lost.kill()
	}
	isSlow := func(_ events.Event, p events.ToolSettled) bool { return p.Tool != "read_file" }
	_, settled := fact(t, log, 1, isSlow)
	t.Logf("%s is settled by another one after %s; the lease is %s", c.name, time.Since(began).Round(time.Millisecond),
		bus.Lease)
	want := events.ToolInterrupted
	if c.reads {
		want = events.ToolDone
	}
	require.Equal(t, want, settled.Outcome, settled.Text)
	if c.stops { // what it comes to now is late
		require.NoError(t, os.WriteFile(filepath.Join(gate, "go"), nil, 0o600))
		require.NoError(t, lost.cmd.Process.Signal(syscall.SIGCONT))
		if c.reads {
			_, late := fact(t, log, 2, isSlow)
			require.Equal(t, settled.Call, late.Call)
		} else {
			require.Eventually(t, func() bool { return strings.Contains(lost.said.String(), "the call was taken over") },
				patience, time.Millisecond)
		}
		other.kill() // who was stopped goes on alone
	}
	if !c.reads {
		e, p := fact(t, log, 1, func(_ events.Event, p events.AskRaised) bool { return p.Gate == events.GateInterrupted })
		answer, err := events.New(events.Origin{ID: "answer", Time: time.Now(), Project: e.Project, Session: e.Session,
			Actor: person},
			events.AskAnswered{Ask: p.Ask, Decision: events.No})
		require.NoError(t, err)
		_, err = log.Append(ctx, answer, nil)
		require.NoError(t, err)
	}
	require.NoError(t, run.Wait(), said.String())
	c.check(t, gate, history(t, log, filepath.Base(f.dir)))
}

// check holds the record against what the call left outside.
func (c slowCall) check(t *testing.T, gate string, log []events.Event) {
	requireVerified(t, log)
	var outcomes []string
	for _, p := range only[events.ToolSettled](log) {
		if p.Tool != "read_file" {
			outcomes = append(outcomes, p.Outcome)
		}
	}
	switch {
	case c.reads && c.stops:
		require.Equal(t, []string{events.ToolDone, events.ToolDone}, outcomes, "the second one has no effect")
		require.Len(t, only[events.ModelReplied](log), 5)
	case c.reads:
		require.Equal(t, []string{events.ToolDone}, outcomes)
	default:
		require.Equal(t, []string{events.ToolInterrupted}, outcomes)
		begun, err := os.ReadFile(filepath.Join(gate, "begun"))
		require.NoError(t, err)
		require.Equal(t, 1, bytes.Count(begun, []byte("\n")), "it ran once")
	}
}

// waitsIn is a script that leaves its traces in a folder and waits there.
func waitsIn(gate string) string {
	return fmt.Sprintf(`cd '%s'; echo $PPID >> begun; echo $PPID > pid.new; mv pid.new pid; while [ ! -e go ]; do sleep 0.05; done`, gate)
}

// slowGit puts a git into the path of a fleet whose first diff waits in a
// folder, and makes the fleet's project a repository. It returns the folder.
func slowGit(t *testing.T, f *fleet) string {
	t.Helper()
	real, err := exec.LookPath("git")
	require.NoError(t, err)
	gate, bin := t.TempDir(), t.TempDir()
	t.Cleanup(func() { _ = os.WriteFile(filepath.Join(gate, "go"), nil, 0o600) })
	script := fmt.Sprintf("#!/bin/sh\ncase \" $* \" in *' diff '*) if mkdir '%s/first' 2>/dev/null; then (%s); fi;; "+
		"esac\nexec '%s' \"$@\"\n", gate, waitsIn(gate), real)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755))
	f.env = append(f.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@example.org",
		"commit", "-qm", "x"}} {
		out, err := exec.Command(real, append([]string{"-C", f.dir}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return gate
}

// pidIn waits for the process that makes a slow call.
func pidIn(t *testing.T, ctx context.Context, gate string) int {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if raw, err := os.ReadFile(filepath.Join(gate, "pid")); err == nil {
			pid, err := strconv.Atoi(string(bytes.TrimSpace(raw)))
			require.NoError(t, err)
			return pid
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.FailNow(t, "the call does not begin")
		}
	}
}

// workersOf are the worker with a process id, and the other one.
func (f *fleet) workersOf(pid int) (that, other *member) {
	f.t.Helper()
	one, two := f.members[len(f.members)-2], f.members[len(f.members)-1]
	switch pid {
	case one.cmd.Process.Pid:
		return one, two
	case two.cmd.Process.Pid:
		return two, one
	}
	require.FailNow(f.t, "no worker", "process %d", pid)
	return nil, nil
}
