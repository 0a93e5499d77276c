package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestAPreviewSaysThatNoToolMayTouchAPath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	w.open(nil)
	w.start(oneCall("edit_file", `{"path":"../a.txt","old_string":"one","new_string":"two"}`))
	w.say(events.GoalSubmitted{Goal: "g"})
	log := w.until(isType("PreviewBuilt"))
	p, is := log[len(log)-1].Payload.(events.PreviewBuilt)
	require.True(t, is)
	require.True(t, p.Denied)
	require.Contains(t, p.Error, "ACCESS DENIED: ../a.txt")
}
