package hookgw_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw"
	"manualslop/projections/live"
	"manualslop/projections/search"
)

// searching is a gateway with an index that follows its log.
func searching(t *testing.T) *fixture {
	t.Helper()
	var x *search.Index
	f := open(t, func(c *hookgw.Config) {
		x = search.New(search.Options{Log: c.Log, Project: project, Head: c.Models.(*live.Live).Position})
		c.Search = x
	})
	ended := make(chan error, 1)
	go func() { ended <- x.Run(t.Context(), f.models) }()
	t.Cleanup(func() { require.NoError(t, <-ended) })
	return f
}

func TestASearchFindsWhatTheGatewayHasTaken(t *testing.T) {
	t.Parallel()
	f := searching(t)
	require.Equal(t, http.StatusOK, f.post("/api/goal", hookgw.RightHuman, `{"goal":"paint the zebra"}`).status)
	got := f.get("/api/search?q="+url.QueryEscape(`"the zebra" type:GoalSubmitted`), hookgw.RightRead)
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	var a search.Answer
	require.NoError(t, json.Unmarshal(got.body, &a))
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
		"q=word&limit=1001":   "limit is no number that is allowed",
		"q=word&limit=-1":     "limit is no number that is allowed",
		"q=word&offset=10001": "offset is no number that is allowed",
		"q=word&sort=random":  "sort is newest or score",
		"q=word&limit=x":      "Give 0 to 1000",
	} {
		got := f.get("/api/search?"+query, hookgw.RightRead)
		require.Equal(t, http.StatusBadRequest, got.status, query)
		require.Contains(t, string(got.body), want, query)
	}
	require.Equal(t, http.StatusServiceUnavailable, open(t).get("/api/search?q=word", hookgw.RightRead).status)
	require.Empty(t, recorded[events.SessionStarred](f))
}
