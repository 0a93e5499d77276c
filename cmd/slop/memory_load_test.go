package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/bench"
)

// How long the engine is under load, how often its memory is looked at, and how
// much more than in the second third it may hold in the last one.
const (
	loadTime       = time.Minute
	loadSample     = 250 * time.Millisecond
	loadGrowth     = 1.10
	loadGrowthRoom = 16 << 20 // two of the buffers into which the log's server writes
)

// TestMemoryIsFlatUnderLoad works a real engine for a minute: reads of every
// kind, pushed entries, drains, asks that are answered, and open feeds. That is
// 3,000 reads and about 120 events a second: for each event the server keeps
// some 110 bytes for the two minutes in which it would know it again, so at
// many more of them memory grows for that long before it is flat.
func TestMemoryIsFlatUnderLoad(t *testing.T) {
	if os.Getenv("SLOP_LOAD") != "full" {
		t.Skip("it takes a minute; SLOP_LOAD=full runs it")
	}
	s := newSite(t, nil)
	engine, _ := s.serve("--script", s.script(onePlan(says("unused"))))
	ctx, cancel := context.WithTimeout(t.Context(), loadTime)
	defer cancel()
	l := s.loader()
	for i := range 10 {
		feed := s.openFeed(fmt.Sprintf("reader-%d", i))
		context.AfterFunc(ctx, func() { feed.Close() })
		l.group.Go(func() { _, _ = io.Copy(io.Discard, feed) })
	}
	for _, path := range []string{"/api/gui/mma_status", "/api/gui/diagnostics", "/api/session", "/api/asks",
		"/api/gui_health", "/api/sessions"} {
		l.every(ctx, 2*time.Millisecond, func(int) { l.must(ctx, http.MethodGet, path, "") })
	}
	l.every(ctx, 40*time.Millisecond, func(i int) {
		l.must(ctx, http.MethodPost, "/api/gui", fmt.Sprintf(`{"action":"push_event","event_type":"note","payload":{"n":%d}}`,
			i))
	})
	l.every(ctx, 100*time.Millisecond, func(int) { l.must(ctx, http.MethodGet, "/api/events?client=drain", "") })
	l.every(ctx, 250*time.Millisecond, func(i int) {
		id := fmt.Sprintf("ask-%d", i)
		l.group.Go(func() { l.must(ctx, http.MethodPost, "/api/ask", `{"request_id":"`+id+`"}`) })
		l.answer(ctx, id)
	})
	var held []int
	l.every(ctx, loadSample, func(int) { held = append(held, residentOf(t, engine.cmd.Process.Pid)) })
	l.group.Wait()
	require.Empty(t, l.failed.Load())
	third := len(held) / 3
	second, last := mean(held[third:2*third]), mean(held[2*third:])
	t.Logf("%d requests; resident memory %d MiB at first, %d MiB in the second third, %d MiB in the last",
		l.answered.Load(), held[0]>>20, second>>20, last>>20)
	require.LessOrEqual(t, float64(last), float64(second)*loadGrowth+loadGrowthRoom)
}

// TestAnIdleEngineKeepsLittleMemory holds the figure of slop bench against its
// goal.
func TestAnIdleEngineKeepsLittleMemory(t *testing.T) {
	if os.Getenv("SLOP_LOAD") != "full" {
		t.Skip("it takes some seconds of load; SLOP_LOAD=full runs it")
	}
	self, err := exec.LookPath("slop")
	require.NoError(t, err)
	results, err := bench.Run(t.Context(), "memory", self, 1, os.Stderr)
	require.NoError(t, err)
	r := results[0]
	t.Logf("%.1f MiB, of which %.1f are its own", r.Value, results[1].Value)
	require.True(t, r.Met(), "%.1f MiB are resident; the goal is %.0f", r.Value, r.Goal)
}

func mean(values []int) int {
	sum := 0
	for _, v := range values {
		sum += v
	}
	return sum / max(1, len(values))
}

// loader sends requests at a pace.
type loader struct {
	url, token string
	client     *http.Client
	group      sync.WaitGroup
	answered   atomic.Int64
	failed     atomic.Value
}

func (s *site) loader() *loader {
	s.t.Helper()
	e := s.engine()
	token, err := os.ReadFile(filepath.Join(e.Tokens, "human.token"))
	require.NoError(s.t, err)
	l := &loader{url: e.Hooks, token: strings.TrimSpace(string(token)), client: &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 64}}}
	l.failed.Store("")
	s.t.Cleanup(l.client.CloseIdleConnections)
	return l
}

// every calls do at a pace until ctx ends.
func (l *loader) every(ctx context.Context, pace time.Duration, do func(int)) {
	l.group.Go(func() {
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				do(i)
			}
		}
	})
}

// answer says yes to an ask as soon as there is one of that id.
func (l *loader) answer(ctx context.Context, id string) {
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for ctx.Err() == nil && l.send(ctx, http.MethodPost, "/api/ask/respond", `{"request_id":"`+id+
		`","response":true}`) == http.StatusNotFound {
		<-again.C
	}
}

func (l *loader) must(ctx context.Context, method, path, body string) {
	if status := l.send(ctx, method, path, body); status != http.StatusOK && ctx.Err() == nil {
		l.failed.CompareAndSwap("", fmt.Sprintf("%s %s: %d", method, path, status))
	}
}

// send returns the status; 0 where there was none.
func (l *loader) send(ctx context.Context, method, path, body string) int {
	req, err := http.NewRequestWithContext(ctx, method, l.url+path, strings.NewReader(body))
	if err != nil {
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+l.token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := l.client.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	l.answered.Add(1)
	return res.StatusCode
}
