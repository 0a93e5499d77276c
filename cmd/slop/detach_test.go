package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	place "manualslop/cmd/slop/site"
	"manualslop/events/eventstest"
)

func TestDetachStartsOneProcessInEverySpelling(t *testing.T) {
	t.Parallel()
	for _, spelling := range []string{"--detach", "--detach=1", "--detach=T"} {
		t.Run(spelling, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, twoFiles)
			script := s.script(onePlan(edits("a.txt", "one", "ONE"), says("DONE: done")))
			require.Contains(t, s.ok("run", spelling, "--yes", "--script", script, "--", "edit"), "the background")
			require.Eventually(t, func() bool {
				release, err := place.HoldFolder(s.data(""))
				if err == nil {
					release()
				}
				return err == nil
			}, eventstest.Patience, 10*time.Millisecond, "the process in the background ends with its goal")
			require.Equal(t, "ONE\n", s.read("a.txt"))
			require.NotContains(t, s.read(".slop/run.log"), "background")
		})
	}
}
