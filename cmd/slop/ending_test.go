package main

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// threeEdits is a model whose contributor takes its time, so that a test can
// end the engine in the middle.
var threeEdits = onePlan(
	slowly(edits("a.txt", "one", "two")), slowly(calls("read_file", map[string]any{"path": "a.txt"})),
	slowly(edits("a.txt", "two", "three")), slowly(edits("b.txt", "two", "TWO")), slowly(says("DONE: done")))

// slowly lets a reply take a moment.
func slowly(reply string) string { return strings.Replace(reply, "{", `{"delay_ms":60,`, 1) }

func TestKilledRunIsResumedToTheSameEnd(t *testing.T) {
	t.Parallel()
	calm := newSite(t, twoFiles)
	calm.ok("run", "--yes", "--script", calm.script(threeEdits), "edit")
	want := endState(historyOf(t, calm.dir))
	for typ, n := range map[string]int{
		"GoalSubmitted": 1, "TicketsPlanned": 1, "ContextRequested": 3, "ModelRequested": 4, "ToolRequested": 1,
		"ToolApproved": 3, "ToolSettled": 3, "RefreshRequested": 3, "FilesUpdated": 3,
	} {
		t.Run("at "+typ, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, twoFiles)
			s.keys()
			script := s.script(threeEdits)
			r := s.start("run", "--yes", "--nats-listen", "127.0.0.1:0", "--script", script, "edit")
			r.sees("session ")
			seen(t, s.connect(), typ, n)
			r.kill()
			s.ok("run", "--resume", "--yes", "--script", script)
			log := historyOf(t, s.dir)
			require.Equal(t, want, endState(log))
			require.Equal(t, "three\n", s.read("a.txt"))
			requireVerified(t, log)
			requireNoWriteTwice(t, log)
		})
	}
}

// seen waits for the n-th event of a type.
func seen(t *testing.T, log events.Log, typ string, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, feed, err := log.Watch(ctx, events.Filter{Type: typ}, 1)
	require.NoError(t, err)
	for _, err := range feed {
		require.NoError(t, err)
		if n--; n == 0 {
			return
		}
	}
	t.Fatalf("too few of %s came", typ)
}

func TestInterruptedRunEndsCleanlyAndSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, twoFiles)
			r := s.start("run", "--script", s.script(twoEdits), "edit")
			r.sees(prompt)
			session := s.engine().Session
			require.NoError(t, r.cmd.Process.Signal(sig))
			require.Equal(t, 1, r.wait())
			r.warns("stopped; `slop run --resume --script " + s.script(twoEdits) + "` resumes session " + session)
			require.NoFileExists(t, s.data("run.json"))
			require.NotContains(t, r.err.String(), "level=ERROR")
			s.ok("run", "--resume", "--yes", "--script", s.script(twoEdits))
			require.Equal(t, "ONE\n", s.read("a.txt"))
		})
	}
}
