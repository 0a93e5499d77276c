package runtime

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tools"
)

func TestAClaimHoldsAnOutcomeUpToItsLimitAndABlobHoldsALongerOne(t *testing.T) {
	t.Parallel()
	blobs := eventstest.NewMemory()
	name := strings.Repeat("n", 64)
	changes := []tools.PlannedChange{{Path: ""}}
	list, err := json.Marshal(changes)
	require.NoError(t, err)
	changes[0].Path = strings.Repeat("p", maxChangesInline-len(list))
	for over, inline := range map[int]bool{0: true, 1: false} {
		out := events.ToolSettled{Call: name, Tool: name, Outcome: events.ToolFailed, Text: "t", Generation: 1}
		body, err := json.Marshal(out)
		require.NoError(t, err)
		out.Text = strings.Repeat("t", 1+maxOutcomeInline-len(body)+over)
		body, err = json.Marshal(out)
		require.NoError(t, err)
		require.Len(t, body, maxOutcomeInline+over)
		l := &lease{w: &Worker{Blobs: blobs}, call: events.ToolApproved{Call: name, Tool: name},
			claim: claim{Worker: name, Process: name, Generation: 1 << 30, Tool: name, Approved: 1 << 60, Changes: changes}}
		require.NoError(t, l.ended(t.Context(), out))
		require.Equal(t, inline, l.claim.Outcome != nil)
		value, err := l.value(t.Context())
		require.NoError(t, err)
		require.LessOrEqual(t, len(value), bus.MaxClaim)
		require.Empty(t, l.claim.List, "the list is short enough")
		kept, err := blobs.Get(t.Context(), events.Digest(body))
		if inline {
			require.ErrorIs(t, err, events.ErrNoBlob)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, string(body), string(kept))
	}
}
