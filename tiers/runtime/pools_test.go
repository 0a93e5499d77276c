package runtime_test

import (
	"fmt"
	"testing"
	"time"

	"manualslop/events"
)

// TestAViewDoesNotWaitBehindScripts fills every slot of a worker with scripts
// that end only after the view is there.
func TestAViewDoesNotWaitBehindScripts(t *testing.T) {
	t.Parallel()
	const slots = 16
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(nil)
	w.runSlots(w.worker("worker-test-1"), slots)
	for i := range slots {
		call := approvedCall("run_powershell",
			fmt.Sprintf(`{"script":"echo on > on-%d; until [ -e go ]; do sleep 0.05; done"}`, i))
		call.Call = fmt.Sprintf("c-%d", i)
		w.decided(events.ActorApproval, call)
	}
	for i := range slots {
		w.awaitFile(fmt.Sprintf("on-%d", i))
	}
	asked := time.Now()
	w.say(events.ContextInjectionRequested{Path: "a.txt", View: events.ViewRaw})
	w.until(isType("ContextBuilt"))
	t.Logf("a view beside %d scripts: %s", slots, time.Since(asked))
	w.write("go", "now")
	w.untilCount(isType("ToolSettled"), slots)
}
