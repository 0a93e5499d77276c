package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestAWorkerBesideAnEngineHasItsOwnName(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	_, log := s.serve("--yes", "--script", s.script(onePlan(edits("a.txt", "one", "ONE"), edits("b.txt", "two", "TWO"),
		says("DONE: done"))))
	w := s.start("worker", "--json", "--nats", s.engine().NATS, "--creds", s.data("keys/worker.json"))
	w.sees(`"worker":"worker-`)
	w.sees("-2\"")
	status, _ := s.post("/api/goal", `{"goal":"edit"}`)
	require.Equal(t, 200, status)
	fact(t, log, 1, anyOf[events.GoalCompleted])
	s.ok("replay", s.engine().Session, "--verify")
}
