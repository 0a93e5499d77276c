package hookgw_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/projections/live"
	"manualslop/projections/search"
)

// searching is a gateway with an index of its log.
func searching(t *testing.T, change ...func(*core.Config)) *fixture {
	t.Helper()
	var x *search.Index
	f := open(t, func(c *core.Config) {
		x = search.New(search.Options{Log: c.Log, Project: project, Head: c.Models.(*live.Live).Position})
		c.Search = x
		for _, also := range change {
			also(c)
		}
	})
	ended := make(chan error, 1)
	go func() { ended <- x.Run(t.Context()) }()
	t.Cleanup(func() { require.NoError(t, <-ended) })
	return f
}

func TestASearchFindsWhatTheGatewayHasTaken(t *testing.T) {
	t.Parallel()
	f := searching(t)
	require.Equal(t, http.StatusOK, f.post("/api/goal", access.RightHuman, `{"goal":"paint the zebra"}`).status)
	var a search.Answer
	// the index, which a slow machine may still be opening, is waited for within limits
	require.Eventually(t, func() bool {
		got := f.get("/api/search?q="+url.QueryEscape(`"the zebra" type:GoalSubmitted`), access.RightRead)
		return got.status == http.StatusOK && json.Unmarshal(got.body, &a) == nil && a.Behind == 0
	}, eventstest.Patience, time.Millisecond)
	require.Len(t, a.Hits, 1)
	require.Equal(t, "GoalSubmitted", a.Hits[0].Type)
	require.Equal(t, "paint the zebra", a.Hits[0].Snippet)
	require.Zero(t, a.Behind)
}

func TestASearchThatIsWrongIsRefusedWithItsPlace(t *testing.T) {
	t.Parallel()
	f := searching(t)
	for query, want := range map[string]string{
		"":                    "there is nothing to search for",
		"q=a+%22b":            "a quote is not closed at character 3",
		"q=ticet:T-1":         "The nearest is ticket:",
		"q=word&limit=1001":   "limit is out of range",
		"q=word&limit=-1":     "limit is out of range",
		"q=word&offset=10001": "offset is out of range",
		"q=word&sort=random":  "sort",
		"q=word&limit=x":      "Give 0 to 1000",
	} {
		got := f.get("/api/search?"+query, access.RightRead)
		require.Equal(t, http.StatusBadRequest, got.status, query)
		require.Contains(t, string(got.body), want, query)
	}
	require.Equal(t, http.StatusServiceUnavailable, open(t).get("/api/search?q=word", access.RightRead).status)
	require.Empty(t, recorded[events.SessionStarred](f))
}

// heldSearch counts searches that run, and lets them end when it is told to.
type heldSearch struct {
	running, most *atomic.Int32
	let           chan struct{}
}

// Find waits.
func (s heldSearch) Find(context.Context, search.Query, search.Page) (search.Answer, error) {
	now := s.running.Add(1)
	defer s.running.Add(-1)
	for most := s.most.Load(); now > most && !s.most.CompareAndSwap(most, now); most = s.most.Load() {
	}
	<-s.let
	return search.Answer{Hits: []search.Hit{}}, nil
}

func TestSearchesTakeTurns(t *testing.T) {
	t.Parallel()
	const atOnce, all = 8, 12
	held := heldSearch{&atomic.Int32{}, &atomic.Int32{}, make(chan struct{})}
	f := open(t, func(c *core.Config) { c.Search = held })
	var answers []<-chan answer
	for range all {
		answers = append(answers, f.background(f.request(http.MethodGet, "/api/search?q=word", access.RightRead, "")))
	}
	f.eventually(func() bool { return held.running.Load() == atOnce })
	for range all {
		held.let <- struct{}{}
	}
	for _, a := range answers {
		require.Equal(t, http.StatusOK, (<-a).status)
	}
	require.EqualValues(t, atOnce, held.most.Load())
}
