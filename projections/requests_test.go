package projections_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestAPreviewWaitsForAnOutcomeUntilItIsBuilt(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-001")
	s.by(events.ActorApproval, events.PreviewRequested{Call: "c1", Tool: "edit_file", Args: json.RawMessage(`{}`)})
	require.Len(t, s.set.Waiting(), 1)
	s.by("worker-h-1", events.PreviewBuilt{Call: "c1"})
	require.Empty(t, s.set.Waiting())
}
