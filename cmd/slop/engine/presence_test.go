package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestARoleThatNobodyRunsIsMissing(t *testing.T) {
	t.Parallel()
	a := newPresence()
	_, missing := a.roles()
	require.Empty(t, missing, "roles have a moment to show themselves")
	a.settle()
	a.changed("worker-h-1", true)
	a.changed("worker-h-2", true)
	for _, role := range OrchestratorRoles() {
		a.changed(role, true)
	}
	present, missing := a.roles()
	require.Empty(t, missing)
	require.Len(t, present, len(OrchestratorRoles())+2)
	a.changed(events.ActorApproval, false)
	a.changed("worker-h-1", false)
	_, missing = a.roles()
	require.Equal(t, []string{events.ActorApproval}, missing, "one worker is enough")
	a.changed("worker-h-2", false)
	_, missing = a.roles()
	require.Equal(t, []string{events.ActorApproval, anyWorker}, missing)
}
