package hookgw_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/projections"
)

func TestTheTimelineIsReadPageByPage(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.raise("a", events.GateStep)
	f.raise("b", events.GateTool)
	page := func(query string) (out struct {
		Rows    []projections.Row
		Through uint64
	},
	) {
		a := f.get("/api/timeline"+query, access.RightRead)
		require.Equal(t, http.StatusOK, a.status)
		require.NoError(t, json.Unmarshal(a.body, &out))
		return out
	}
	all := page("")
	require.Equal(t, "SessionOpened", all.Rows[0].Type)
	require.Equal(t, "AskRaised", all.Rows[len(all.Rows)-1].Type)
	require.NotEmpty(t, all.Rows[len(all.Rows)-1].Summary)
	first := page("?limit=2")
	require.Equal(t, all.Rows[:2], first.Rows)
	rest := page("?since=" + strconv.FormatUint(first.Through, 10))
	require.Equal(t, all.Rows[2:], rest.Rows)
	end := page("?since=" + strconv.FormatUint(rest.Through, 10))
	require.Empty(t, end.Rows)
	require.Equal(t, all.Through, end.Through)
	require.Empty(t, page("?limit=0").Rows)

	for _, query := range []string{"?limit=10001", "?limit=-1", "?limit=x", "?since=-1", "?since=x", "?since="} {
		require.Equal(t, http.StatusBadRequest, f.get("/api/timeline"+query, access.RightRead).status, query)
	}
	require.Empty(t, openEmpty(t).get("/api/timeline", access.RightRead).object(t)["rows"])
}
