package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"manualslop/bus"
	"manualslop/events"
)

// smallData gives the site's data folder a file system of so many MiB.
func (s *site) smallData(mebibytes int) {
	s.t.Helper()
	dir := s.data("")
	require.NoError(s.t, os.MkdirAll(dir, 0o700))
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0700", mebibytes)); err != nil {
		s.t.Skipf("a file system of its own cannot be mounted here: %v", err)
	}
	s.t.Cleanup(func() { require.NoError(s.t, unix.Unmount(dir, unix.MNT_DETACH)) })
}

// fillData takes all room of the data folder's disk but so many bytes.
func (s *site) fillData(left int64) (release func()) {
	s.t.Helper()
	path := s.data("filler")
	var st unix.Statfs_t
	require.NoError(s.t, unix.Statfs(s.data(""), &st))
	f, err := os.Create(path)
	require.NoError(s.t, err)
	require.NoError(s.t, unix.Fallocate(int(f.Fd()), 0, 0, max(int64(st.Bavail)*st.Bsize-left, 1)))
	require.NoError(s.t, f.Close())
	return func() { require.NoError(s.t, os.Remove(path)) }
}

// TestEngineOnAFullDiskRefusesAndGoesOnByItself fills the disk under a real
// engine while a call of its session waits for a yes.
func TestEngineOnAFullDiskRefusesAndGoesOnByItself(t *testing.T) {
	t.Parallel()
	for _, durability := range []string{bus.Sync, bus.Relaxed} {
		t.Run(durability, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, twoFiles)
			s.configure(strings.Replace(scriptConfig, `"relaxed"`, `"`+durability+`"`, 1))
			s.smallData(48)
			s.keys()
			r, log := s.serve("--script", s.script(onePlan(edits("a.txt", "one", "ONE"), says("DONE: done"))))
			status, _ := s.post("/api/goal", `{"goal":"edit"}`)
			require.Equal(t, http.StatusOK, status)
			ask := raised(t, log, 1)
			s.untilHealth("")

			release := s.fillData(0)
			s.untilHealth("the disk is full")
			status, said := s.post("/api/goal", `{"goal":"another"}`)
			require.Equal(t, http.StatusInsufficientStorage, status, "%v", said)
			require.Contains(t, said["error"], "the disk is full")
			require.Contains(t, said["hint"], "Free space")
			answer := fmt.Sprintf(`{"request_id":%q,"response":true}`, ask.Corr)
			status, said = s.post("/api/ask/respond", answer)
			require.Equal(t, http.StatusInsufficientStorage, status, "%v", said)
			before := history(t, log, "project")

			release()
			s.untilHealth("")
			status, said = s.post("/api/ask/respond", answer)
			require.Equal(t, http.StatusOK, status, "%v", said)
			fact(t, log, 1, anyOf[events.GoalCompleted])
			require.Equal(t, "ONE\n", s.read("a.txt"))

			release = s.fillData(2 << 20) // of the 3 MiB that are kept
			s.untilHealth("the disk is full")
			session := s.engine().Session
			s.ok("sessions", "close", session)
			s.ok("hook", "shutdown")
			require.Zero(t, r.wait(), "it was never started again")
			release()
			after := historyOf(t, s.dir)
			require.Equal(t, marshal(t, before), marshal(t, after[:len(before)]), "nothing acknowledged is lost")
			requireVerified(t, after)

			release = s.fillData(0)
			require.Contains(t, s.fails(1, "sessions", "rm", session, "--yes"), "no space left on device")
			release()
			require.Equal(t, marshal(t, after), marshal(t, historyOf(t, s.dir)), "nothing was changed")
			s.ok("sessions", "rm", session, "--yes")
		})
	}
}
