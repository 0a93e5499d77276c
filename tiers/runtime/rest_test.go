package runtime_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers/runtime"
)

func TestSessionsComeToRestWithoutAnotherEvent(t *testing.T) {
	t.Parallel()
	log := &countingLog{Log: eventstest.NewMemory()}
	o := &office{t: t, log: log, shelf: &shelf{}}
	crew := &runtime.Orchestrator{Project: project, Loaded: 1, RestAfter: 200 * time.Millisecond, Logger: logger(),
		Roles: []runtime.Role{{Start: obliging, Log: log, Snapshots: o.shelf}}}
	engineOn(t, readerOf(log), crew)
	for i := range 4 {
		session := fmt.Sprint("S", i)
		say1(t, log, session, events.SessionOpened{})
		o.works(session)
	}
	stored := func(session string) bool {
		return slices.Contains(o.shelf.keys(), "states."+project+"."+session+".conductor")
	}
	require.Eventually(t, func() bool { return stored("S0") && stored("S1") && stored("S2") }, eventstest.Patience,
		time.Millisecond,
		"a state is stored when its session comes to rest")
	require.False(t, stored("S3"), "the session used last stays")
	for i := range 4 {
		o.works(fmt.Sprint("S", i))
		o.requireOnce(fmt.Sprint("S", i))
	}
}
