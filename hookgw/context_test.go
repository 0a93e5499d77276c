package hookgw_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

type ContextState struct {
	Patterns, Presets []string
	Files             []struct {
		Path, SHA256 string
		Seen         *time.Time
		Changed      bool
	}
	Selection    struct{ Preset string }
	Injected     []struct{ Path, View, Discussion string }
	Views        []struct{ Path, File string }
	Dependencies map[string][]string
}

func TestAFileIsInjectedIntoTheDiscussionByAWorker(t *testing.T) {
	t.Parallel()
	f := open(t)
	answered := f.background(f.request(http.MethodPost, "/api/context/inject", access.RightHuman,
		`{"path":"a.py","mode":"skeleton"}`))
	wish := f.expect("ContextInjectionRequested", func(events.Event) bool { return true })
	require.Equal(t, person, wish.Actor)
	f.put("worker-x-1", events.ContextBuilt{Request: wish.ID, Views: []events.View{{Path: "a.py", View: "skeleton",
		Text: "def f(): ...", SHA256: "ab", Size: 12, File: &events.FileState{Path: "a.py", SHA256: "f1"}}}})
	a := <-answered
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	require.JSONEq(t, `{"status":"ok","request":"`+wish.ID+
		`","path":"a.py","view":"skeleton","sha256":"ab","size":12,"blob":false}`, string(a.body))
	entries := read[struct {
		Session struct{ Entries []projections.Entry }
	}](f, "/api/session").Session.Entries
	require.Len(t, entries, 1)
	require.Equal(t, projections.RoleContext, entries[0].Role)
	require.Equal(t, "def f(): ...", entries[0].Content)
	state := read[ContextState](f, "/api/context/state")
	require.Equal(t, "a.py", state.Injected[0].Path)
	require.Equal(t, "f1", state.Views[0].File)
}

func TestAnImageIsInjectedAsOneByItsName(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, c := range []struct{ path, mode, view string }{
		{"a.PNG", "", events.ViewImage}, {"b.jpeg", "", events.ViewImage}, {"c.webp", "", events.ViewImage},
		{"d.jpg", "full", events.ViewRaw}, {"e", "image", events.ViewImage}, {"f.gif", "", events.ViewRaw},
	} {
		answered := f.background(f.request(http.MethodPost, "/api/context/inject", access.RightHuman,
			fmt.Sprintf(`{"path":%q,"mode":%q}`, c.path, c.mode)))
		wish := f.expect("ContextInjectionRequested", func(e events.Event) bool {
			return e.Payload.(events.ContextInjectionRequested).Path == c.path
		})
		require.Equal(t, c.view, wish.Payload.(events.ContextInjectionRequested).View, c.path)
		f.put("worker-x-1", events.ContextBuilt{Request: wish.ID, Views: []events.View{{Path: c.path, View: c.view,
			SHA256: "ab", Size: 12, Blob: true}}})
		require.Equal(t, http.StatusOK, (<-answered).status)
	}
	require.Len(t, read[struct {
		Session struct{ Entries []projections.Entry }
	}](f, "/api/session").Session.Entries, 6)
}

func TestScreenshotsOfTheProjectAreShownAsImages(t *testing.T) {
	t.Parallel()
	f := open(t, withFolder(&folder{files: map[string]string{"x.go": "{}"}}))
	for base, path := range map[string]string{"shots": "shots/a.png", "/etc": "a.png", "../up": "a.png"} {
		f.says("/api/project", fmt.Sprintf(`{"project":{"screenshots":{"base_dir":%q,"paths":["a.png"]}}}`, base),
			http.StatusOK)
		tracked := recorded[events.FilesTracked](f)
		require.Equal(t, []events.TrackedFile{{Path: path, ViewMode: events.ViewImage}}, tracked[len(tracked)-1].Shown)
	}
}

func TestAViewThatThereIsNotIsToldWithItsReason(t *testing.T) {
	t.Parallel()
	f := open(t)
	answered := f.background(f.request(http.MethodPost, "/api/context/inject", access.RightHuman, `{"path":"../x"}`))
	wish := f.expect("ContextInjectionRequested", func(events.Event) bool { return true })
	f.put("worker-x-1", events.ContextBuilt{Request: wish.ID, Views: []events.View{{Path: "../x", View: "raw",
		Error: "ACCESS DENIED"}}})
	a := <-answered
	require.Equal(t, http.StatusUnprocessableEntity, a.status)
	requireProblem(t, a, "ACCESS DENIED")
	require.JSONEq(t, `{"session":{"entries":[]}}`, string(f.get("/api/session", access.RightRead).body))
}

func TestWithoutAWorkerAnInjectionIsOnlyAccepted(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.SettleWait = time.Millisecond }))
	require.Contains(t, string(f.says("/api/context/inject", `{"path":"a"}`, http.StatusAccepted).body), "accepted")
	for range projections.MaxInjections - 1 {
		f.put(person, events.ContextInjectionRequested{Path: "a", View: events.ViewRaw})
	}
	requireProblem(t, f.says("/api/context/inject", `{"path":"a"}`, http.StatusConflict), "too many views")
	for _, body := range []string{`{}`, `{"path":7}`, `{"path":"a","mode":"hologram"}`, `{"path":"a\u0000"}`, `{"path":"` +
		strings.Repeat("x", 4097) + `"}`, `{"path":"a","x":1}`} {
		f.says("/api/context/inject", body, http.StatusBadRequest)
	}
	f.says("/api/context/inject", `{"path":"a","discussion":"gone"}`, http.StatusNotFound)
}

func TestPresetsAreSavedLoadedAndDeleted(t *testing.T) {
	t.Parallel()
	f := open(t, withFolder(&folder{files: map[string]string{"x.go": "{}"}}))
	f.says("/api/context/presets/save",
		`{"name":"parser","files":["a.go",{"path":"b.go","view_mode":"skeleton"}],"screenshots":["s.png"]}`, http.StatusOK)
	f.says("/api/project", `{"project":{"files":{"paths":["*"]}}}`, http.StatusOK)
	require.Equal(t, []string{"x.go"}, recorded[events.FilesTracked](f)[0].Paths)
	f.says("/api/context/presets/save", `{"name":"all"}`, http.StatusOK)
	require.JSONEq(t, `{"status":"ok","tracked":2,"skipped":[]}`,
		string(f.says("/api/context/presets/load", `{"name":"parser"}`, http.StatusOK).body))
	state := read[ContextState](f, "/api/context/state")
	require.Equal(t, []string{"all", "parser"}, state.Presets)
	require.Equal(t, "parser", state.Selection.Preset)
	require.Equal(t, []string{"a.go", "b.go"}, state.Patterns)
	require.Contains(t, string(f.get("/api/project", access.RightRead).body), `"paths":["s.png"]`)
	f.says("/api/context/presets/load", `{"name":"all"}`, http.StatusOK)
	require.Equal(t, []string{"*"}, read[ContextState](f, "/api/context/state").Patterns)
	f.says("/api/context/presets/delete", `{"name":"parser"}`, http.StatusOK)
	for _, path := range []string{"load", "delete"} {
		f.says("/api/context/presets/"+path, `{"name":"parser"}`, http.StatusNotFound)
	}
	for _, body := range []string{`{}`, `{"name":"a\n"}`, `{"name":"x","files":"a"}`, `{"name":"x","files":[7]}`,
		`{"name":"x","files":[{"view_mode":"full"}]}`, `{"name":"x","screenshots":[1]}`} {
		f.says("/api/context/presets/save", body, http.StatusBadRequest)
	}
	for i := range projections.MaxPresets - 1 {
		f.says("/api/context/presets/save", fmt.Sprintf(`{"name":"p%d","files":[]}`, i), http.StatusOK)
	}
	f.says("/api/context/presets/save", `{"name":"one more","files":[]}`, http.StatusConflict)
}

func TestTheStateOfTheContextSaysWhatTheRecordKnows(t *testing.T) {
	t.Parallel()
	dir := &folder{files: map[string]string{"a.go": "{}"}}
	f := open(t, withFolder(dir))
	f.says("/api/project", `{"project":{"files":{"paths":["*"]}}}`, http.StatusOK)
	f.put("worker-x-1", events.ContextBuilt{Request: "r", Views: []events.View{{Path: "a.go", View: "raw", SHA256: "v",
		File: &events.FileState{Path: "a.go", SHA256: "one", Size: 3}}}})
	require.False(t, read[ContextState](f, "/api/context/state").Files[0].Changed)
	f.put("worker-x-1", events.FilesUpdated{Request: "r", Files: []events.FileUpdate{{Path: "a.go", Before: "one",
		After: "two"}}})
	f.put(events.ActorLead, events.TicketsPlanned{Track: "TR-1", Tickets: []events.Ticket{{ID: "T-1", TargetFile: "a.go",
		ContextRequirements: []string{"c.go", "b.go"}}}})
	state := read[ContextState](f, "/api/context/state")
	require.Equal(t, "two", state.Files[0].SHA256)
	require.True(t, state.Files[0].Changed)
	dir.mu.Lock()
	dir.files["b.go"] = "{}"
	dir.mu.Unlock()
	require.JSONEq(t, `{"status":"ok","tracked":2,"skipped":[]}`,
		string(f.says("/api/context/rescan", `{}`, http.StatusOK).body))
	require.Len(t, read[ContextState](f, "/api/context/state").Files, 2)
	tracked := recorded[events.FilesTracked](f)
	require.Equal(t, []string{"a.go", "b.go"}, tracked[len(tracked)-1].Paths)
}
