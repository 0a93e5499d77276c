package bench

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// closedSessions says how many sessions are opened, worked in and closed before
// what is alive is looked at first, and how many then.
func closedSessions() (first, then int) {
	if os.Getenv("SLOP_LOAD") == "full" {
		return 100, 400
	}
	return 17, 7
}

// What a closed session may leave alive of what our code allocated: a line in
// each list of sessions. What comes and goes may differ by this much.
const (
	leftOfSession = 4 << 10
	comesAndGoes  = 512 << 10
)

// TestClosedSessionsLeaveNothingBehind works in session after session of one
// engine: a goal is reached, something is asked and answered, somebody looks,
// and the session is closed. What the log's server keeps of each event and each
// subject is not counted.
func TestClosedSessionsLeaveNothingBehind(t *testing.T) {
	countAllocations(t)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	m := newWorkers(t, reading(t, 1), nil)
	first, then := closedSessions()
	for i := range first {
		m.lifeOf(t, i)
	}
	http.DefaultClient.CloseIdleConnections()
	heap, goroutines := ownHeap(), runtime.NumGoroutine()
	for i := range then {
		m.lifeOf(t, first+i)
	}
	http.DefaultClient.CloseIdleConnections()
	require.Eventually(t, func() bool { return runtime.NumGoroutine() < goroutines+then }, eventstest.Patience,
		10*time.Millisecond, "not one for each session")
	after := heapBelow(t, heap+comesAndGoes+then*leftOfSession)
	t.Logf("our own heap: %d KiB after %d sessions and %d KiB after %d more; %d goroutines", heap>>10, first, after>>10,
		then, goroutines)
}

// lifeOf is the life of one session.
func (m *Workers) lifeOf(t *testing.T, n int) {
	t.Helper()
	if n > 0 {
		v, err := engine.OpenSession(m.Ctx, m.log, m.Place, m.Mask, "", true)
		require.NoError(t, err)
		m.writer = v
		_, _, err = v.Publish(m.Ctx, events.RuleAdded{Rule: site.YesRule()})
		require.NoError(t, err)
	}
	all := m.reach(t, "read")
	require.NoError(t, m.Live.WaitFor(m.Ctx, all[len(all)-1].Seq))
	m.askAndAnswer(t, fmt.Sprintf("ask-%d", n))
	for _, path := range []string{"/api/session", "/api/gui/mma_status", "/api/gui/diagnostics"} {
		require.Equal(t, http.StatusOK, m.call(t, http.MethodGet, path+"?session="+m.writer.Session, ""), path)
	}
	seq, _, err := m.writer.Publish(m.Ctx, events.SessionClosed{Reason: "done"})
	require.NoError(t, err)
	require.NoError(t, m.Live.WaitFor(m.Ctx, seq))
}

// askAndAnswer has a program wait for the person's word, and gives it.
func (m *Workers) askAndAnswer(t *testing.T, id string) {
	t.Helper()
	answered := make(chan int)
	go func() { answered <- m.call(t, http.MethodPost, "/api/ask", `{"request_id":"`+id+`"}`) }()
	require.Eventually(t, func() bool {
		return m.call(t, http.MethodPost, "/api/ask/respond", `{"request_id":"`+id+`","response":true}`) == http.StatusOK
	}, eventstest.Patience, 5*time.Millisecond)
	require.Equal(t, http.StatusOK, <-answered)
}

// call makes a request as the person and returns the status, 0 for none.
func (m *Workers) call(t *testing.T, method, path, body string) int {
	t.Helper()
	token, err := os.ReadFile(filepath.Join(m.Tokens(), "human.token"))
	if err != nil {
		return 0
	}
	req, err := http.NewRequestWithContext(m.Ctx, method, m.Hooks.URL()+path, strings.NewReader(body))
	if err != nil {
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// countAllocations has every few allocations counted until the test ends.
func countAllocations(t *testing.T) {
	before := runtime.MemProfileRate
	runtime.MemProfileRate = 4096
	t.Cleanup(func() { runtime.MemProfileRate = before })
}

// ownHeap is how many bytes are alive that were allocated by functions of ours
// or by what they called, as estimated from the samples of [countAllocations].
// The search is not counted: its index keeps what is new in memory for a while.
func ownHeap() int {
	runtime.GC()
	runtime.GC() // a profile is as of the collection before the last
	records := make([]runtime.MemProfileRecord, 1<<16)
	n, _ := runtime.MemProfile(records, false)
	sum := 0.0
	for _, r := range records[:n] {
		if r.InUseObjects() > 0 && isOurs(r.Stack()) {
			size := float64(r.InUseBytes()) / float64(r.InUseObjects())
			sum += float64(r.InUseBytes()) / (1 - math.Exp(-size/float64(runtime.MemProfileRate)))
		}
	}
	return int(sum)
}

// heapBelow waits until no more than so much of our own is alive, because what
// is under way behind the last answer holds memory for a moment, and says how much is.
func heapBelow(t *testing.T, limit int) (heap int) {
	t.Helper()
	require.Eventually(t, func() bool { heap = ownHeap(); return heap <= limit }, eventstest.Patience,
		100*time.Millisecond, "our own heap stays above %d KiB", limit>>10)
	return heap
}

func isOurs(stack []uintptr) bool {
	frames, ours := runtime.CallersFrames(stack), false
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "manualslop/projections/search.") {
			return false
		}
		ours = ours || strings.HasPrefix(f.Function, "manualslop/")
		if !more {
			return ours
		}
	}
}
