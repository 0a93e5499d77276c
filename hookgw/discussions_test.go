package hookgw_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/projections"
)

type discussions struct {
	Active      string
	Roles       []string
	Discussions []projections.DiscussionInfo
}

func talkOf(f *fixture, name string) (ids, contents []string) {
	f.t.Helper()
	list := read[struct {
		Entries []struct {
			ID    string
			Entry struct{ Content string }
		}
	}](f, "/api/discussions/entries?name="+name)
	for _, n := range list.Entries {
		ids, contents = append(ids, n.ID), append(contents, n.Entry.Content)
	}
	return ids, contents
}

func TestDiscussionsAreBranchedSwitchedPromotedAndDeleted(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.says("/api/discussions/entries/add", `{"content":"one"}`, http.StatusOK)
	f.says("/api/discussions/entries/add", `{"role":"AI","content":"two"}`, http.StatusOK)
	ids, _ := talkOf(f, "")
	a := f.says("/api/discussions/branch", `{"entry":"`+ids[0]+`"}`, http.StatusOK)
	require.JSONEq(t, `{"status":"ok","name":"main_take_1"}`, string(a.body))
	f.says("/api/discussions/switch", `{"name":"main_take_1"}`, http.StatusOK)
	require.Equal(t, "main_take_1", read[discussions](f, "/api/discussions").Active)
	f.put(person, events.GoalSubmitted{Goal: "in the take"})
	_, contents := talkOf(f, "")
	require.Equal(t, []string{"one", "in the take"}, contents)
	f.says("/api/discussions/entries/edit", `{"entry":"`+ids[0]+`","content":"uno","collapsed":true}`, http.StatusOK)
	_, contents = talkOf(f, "main")
	require.Equal(t, []string{"one", "two"}, contents)
	f.says("/api/discussions/entries/delete", `{"discussion":"main","entry":"`+ids[1]+`"}`, http.StatusOK)
	require.JSONEq(t, `{"status":"ok","name":"main_2"}`,
		string(f.says("/api/discussions/promote", `{"name":"main_take_1"}`, http.StatusOK).body))
	f.says("/api/discussions/rename", `{"name":"main","to":"first"}`, http.StatusOK)
	f.says("/api/discussions/create", `{"name":"third"}`, http.StatusOK)
	f.says("/api/discussions/delete", `{"name":"main_2"}`, http.StatusOK)
	got := read[discussions](f, "/api/discussions")
	require.Equal(t, "first", got.Active)
	require.Len(t, got.Discussions, 2)
	f.says("/api/discussions/roles", `{"roles":["User","Critic"]}`, http.StatusOK)
	require.Equal(t, []string{"User", "Critic"}, read[discussions](f, "/api/discussions").Roles)
}

func TestWhatCannotBeDoneToADiscussionIsRefused(t *testing.T) {
	t.Parallel()
	f := open(t)
	long := strings.Repeat("x", projections.MaxDiscussionName+1)
	for _, c := range []struct {
		path, body string
		status     int
	}{
		{"/branch", `{"name":"gone"}`, 404}, {"/branch", `{"entry":"gone"}`, 409}, {"/switch", `{"name":"gone"}`, 404},
		{"/switch", `{}`, 404}, {"/delete", `{"name":"gone"}`, 404},
		{"/delete", `{"name":"main"}`, 409}, {"/promote", `{"name":"main"}`, 409}, {"/rename", `{"name":"main","to":""}`,
			400}, {"/rename", `{"name":"main","to":"main"}`, 409},
		{"/create", `{"name":"main"}`, 409}, {"/create", `{"name":"` + long + `"}`, 400}, {"/create", `{"name":"a\u0000"}`,
			400}, {"/create", `{"name":"\u202e"}`, 400},
		{"/create", `{"name":7}`, 400}, {"/create", `{"name":"x","y":1}`, 400}, {"/roles", `{"roles":[]}`, 400},
		{"/roles", `{"roles":"User"}`, 400},
		{"/entries/add", `{"role":"Nobody","content":"x"}`, 409}, {"/entries/add", `{"content":7}`, 400},
		{"/entries/add", `{"discussion":"gone","content":""}`, 404},
		{"/entries/edit", `{"entry":"gone","content":""}`, 404}, {"/entries/delete", `{"entry":"gone"}`, 404},
	} {
		requireProblem(t, f.says("/api/discussions"+c.path, c.body, c.status), "")
	}
	require.Equal(t, http.StatusNotFound, f.get("/api/discussions/entries?name=gone", access.RightRead).status)
	f.says("/api/discussions/entries/add", `{"content":"`+strings.Repeat("x", 256<<10)+`"}`, http.StatusOK)
	f.says("/api/discussions/entries/add", `{"content":"`+strings.Repeat("x", 256<<10+1)+`"}`,
		http.StatusRequestEntityTooLarge)
	ids, _ := talkOf(f, "")
	require.Len(t, ids, 1)
	f.says("/api/discussions/entries/edit", `{"entry":"`+ids[0]+`"}`, http.StatusBadRequest)
}

func TestConcurrentBranchesGetNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	f := open(t)
	var mu sync.Mutex
	names := map[string]bool{}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			a := f.post("/api/discussions/branch", access.RightHuman, `{}`)
			var got struct{ Name string }
			if json.Unmarshal(a.body, &got) != nil || a.status != http.StatusOK {
				t.Errorf("%d %s", a.status, a.body)
			}
			mu.Lock()
			defer mu.Unlock()
			names[got.Name] = true
		})
	}
	wg.Wait()
	require.Len(t, names, 20)
	require.True(t, names["main_take_20"])
}

// session is the answer of GET /api/session, as text.
func (f *fixture) session() string {
	f.t.Helper()
	return strings.TrimSpace(string(f.get("/api/session", access.RightRead).body))
}

// sessionBytes is a body of POST /api/session of exactly n bytes.
func sessionBytes(n int) string {
	head, entry, tail := `{"session":{"entries":[`, `{"role":"User","content":"`+strings.Repeat("é ", 1000)+`"},`, `"`
	var b strings.Builder
	b.WriteString(head)
	for b.Len()+len(entry)+10 < n {
		b.WriteString(entry)
	}
	b.WriteString(`"` + strings.Repeat("x", n-b.Len()-len(`""]}}`)) + tail + `]}}`)
	return b.String()
}

func TestALargeSessionIsUploadedWholeAndReadBackAsItCame(t *testing.T) {
	t.Parallel()
	size := 2 << 20
	if os.Getenv("SLOP_LOAD") == "full" {
		size = 10 << 20
	}
	f := open(t, func(c *core.Config) { c.Limits.SessionBody = int64(size) })
	body := sessionBytes(size)
	require.Len(t, body, size)
	a := f.says("/api/session", body, http.StatusOK)
	require.JSONEq(t, `{"status":"updated"}`, string(a.body))
	require.True(t, f.session() == body)
	require.Greater(t, len(recorded[events.SessionPartUploaded](f)), size/(64<<10)-1)
	f.says("/api/session", sessionBytes(size+1), http.StatusRequestEntityTooLarge)
	many := strings.Repeat("1,", projections.MaxEntries)
	f.says("/api/session", `{"session":{"entries":[`+many+`1]}}`, http.StatusRequestEntityTooLarge)
	require.True(t, f.session() == body, "what is refused changes nothing")
}

func TestAnUploadThatEndsInTheMiddleChangesNothing(t *testing.T) {
	t.Parallel()
	left := 3
	f := open(t, failingAfter("SessionPartUploaded", &left))
	f.put(person, events.GoalSubmitted{Goal: "kept"})
	before := string(f.get("/api/session", access.RightRead).body)
	f.says("/api/session", sessionBytes(1<<20), http.StatusInsufficientStorage)
	require.Len(t, recorded[events.SessionPartUploaded](f), 3)
	require.Equal(t, before, string(f.get("/api/session", access.RightRead).body))
	left = 1000
	body := sessionBytes(1 << 20)
	f.says("/api/session", body, http.StatusOK)
	require.True(t, f.session() == body)
}

func TestASecretIsHiddenBeforeAnUploadIsCut(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) {
		c.Masker = func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "hunter2", "[masked]")) }
	})
	f.says("/api/session", `{"session":{"entries":["`+strings.Repeat("hunter2", 60_000)+`"]}}`, http.StatusOK)
	var text strings.Builder
	for _, p := range recorded[events.SessionPartUploaded](f) {
		require.NotContains(t, p.Text, "hunter2")
		text.WriteString(p.Text)
	}
	require.NotContains(t, text.String(), "hunter2", "not over the edge of two parts either")
	require.Contains(t, text.String(), "[masked]")
}

func TestAHistoryIsImportedAndExported(t *testing.T) {
	t.Parallel()
	f := open(t, withFolder(&folder{}))
	h := projections.History{Active: "b", Roles: []string{"User", "AI"},
		Discussions: map[string]projections.HistoryStretch{"b": {GitCommit: "c", LastUpdated: "l", History: []string{}}}}
	stretch := h.Discussions["b"]
	for i := range 2000 {
		stretch.History = append(stretch.History, fmt.Sprintf("@t%d\nAI:\n%s", i, strings.Repeat("é", 100)))
	}
	h.Discussions["b"] = stretch
	raw, err := json.Marshal(h)
	require.NoError(t, err)
	body, err := json.Marshal(map[string]string{"toml": string(raw)})
	require.NoError(t, err)
	a := f.says("/api/discussions/import", string(body), http.StatusOK)
	require.JSONEq(t, `{"status":"ok","discussions":1,"entries":2000,"active":"b"}`, string(a.body))
	got := read[struct{ History projections.History }](f, "/api/discussions/export").History
	require.Equal(t, h.Discussions["b"], got.Discussions["b"])
	require.Contains(t, got.Discussions, "main")
	requireProblem(t, f.says("/api/discussions/import", `{"toml":"x"}`, http.StatusUnprocessableEntity), "line 1")
	f.says("/api/discussions/import", `{"toml":"{}"}`, http.StatusBadRequest)
}
