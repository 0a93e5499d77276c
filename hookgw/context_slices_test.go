package hookgw_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// worked answers the slice that a request asks for as a worker does, and gives
// the request's answer.
func (f *fixture) worked(path, body string) answer {
	f.t.Helper()
	before := len(recorded[events.ContextInjectionRequested](f))
	answered := f.background(f.request(http.MethodPost, path, access.RightHuman, body))
	asked := 0
	wish := f.expect("ContextInjectionRequested", func(events.Event) bool { asked++; return asked > before })
	p, ok := wish.Payload.(events.ContextInjectionRequested)
	require.True(f.t, ok)
	require.Equal(f.t, events.ViewSlice, p.View)
	found := *p.Slice
	found.Head, found.Tail = []string{"def f():"}, []string{"    return 1"}
	f.put("worker-x-1", events.ContextBuilt{Request: wish.ID, Views: []events.View{{Path: p.Path, View: p.View,
		Text: "def f():", SHA256: "ab", Size: 8, Slice: &found}}})
	return <-answered
}

// slice is a slice as worked finds it.
func slice(name string, start, end int) events.FileSlice {
	return events.FileSlice{Name: name, StartLine: start, EndLine: end, Head: []string{"def f():"},
		Tail: []string{"    return 1"}}
}

// presetFiles are the files of the only preset.
func (f *fixture) presetFiles() []events.TrackedFile {
	f.t.Helper()
	var list struct{ Presets []projections.ContextPreset }
	require.NoError(f.t, json.Unmarshal(f.get("/api/context/presets", access.RightRead).body, &list))
	require.Len(f.t, list.Presets, 1)
	return list.Presets[0].Files
}

func TestASliceIsRecordedInAPresetWithItsAnchors(t *testing.T) {
	t.Parallel()
	f := open(t)
	a := f.worked("/api/context/slices", `{"path":"./a.py","start_line":3,"end_line":9,"preset":"core"}`)
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	require.JSONEq(t, `{"status":"ok","path":"./a.py","preset":"core","slice":{"start_line":3,"end_line":9,"head":["def f():"],"tail":["    return 1"]}}`, string(a.body))
	f.worked("/api/context/slices", `{"path":"a.py","start_line":3,"end_line":9,"preset":"core"}`)
	f.worked("/api/context/slices", `{"path":"a.py","start_line":20,"end_line":21,"preset":"core","name":"end"}`)
	f.worked("/api/context/slices", `{"path":"a.py","start_line":30,"end_line":31,"preset":"core","name":"end"}`)
	require.Equal(t, []events.TrackedFile{{Path: "a.py", CustomSlices: []events.FileSlice{slice("", 3, 9),
		slice("end", 30, 31)}}}, f.presetFiles())
	require.JSONEq(t, `{"session":{"entries":[]}}`, string(f.get("/api/session", access.RightRead).body),
		"what is only recorded is shown nowhere")
	for i := range events.MaxFileSlices - 2 {
		require.Equal(t, http.StatusOK, f.worked("/api/context/slices",
			fmt.Sprintf(`{"path":"a.py","start_line":%d,"end_line":99,"preset":"core"}`, 40+i)).status)
	}
	requireProblem(t, f.worked("/api/context/slices", `{"path":"a.py","start_line":98,"end_line":99,"preset":"core"}`),
		"16 slices already")
	require.Len(t, f.presetFiles()[0].CustomSlices, events.MaxFileSlices)
}

func TestASliceIsRecordedInTheProjectAndTicketsAreTold(t *testing.T) {
	t.Parallel()
	f := open(t, withFolder(&folder{files: map[string]string{}}))
	f.says("/api/project",
		`{"project":{"files":{"base_dir":"src","paths":["b.py",{"path":"a.py","view_mode":"skeleton"},{"path":"*.go","force_full":true}]}}}`, http.StatusOK)
	shown := func() []events.TrackedFile {
		all := recorded[events.FilesTracked](f)
		return all[len(all)-1].Shown
	}
	require.Equal(t, []events.TrackedFile{{Path: "src/a.py", ViewMode: "skeleton"}}, shown(),
		"of a pattern it cannot be said")
	require.Equal(t, http.StatusOK, f.worked("/api/context/slices",
		`{"path":"src/b.py","start_line":1,"end_line":2}`).status)
	require.Equal(t, http.StatusOK, f.worked("/api/context/slices",
		`{"path":"src/new.py","start_line":5,"end_line":5}`).status)
	want := []events.TrackedFile{
		{Path: "src/b.py", CustomSlices: []events.FileSlice{slice("", 1, 2)}}, {Path: "src/a.py", ViewMode: "skeleton"},
		{Path: "src/new.py", CustomSlices: []events.FileSlice{slice("", 5, 5)}},
	}
	require.Equal(t, want, shown())
	require.Equal(t, []string{"b.py", "a.py", "*.go", "new.py"}, recorded[events.FilesTracked](f)[2].Patterns)
	requireProblem(t, f.worked("/api/context/slices", `{"path":"lib/b.py","start_line":1,"end_line":2}`),
		"not below files_base_dir, src")
	f.says("/api/project", `{"project":{"files":{"base_dir":"src","paths":["b.py"]}}}`, http.StatusOK)
	require.Empty(t, shown(), "how a file is shown is taken away like the file")
}

func TestSlicesThatTwoGatewaysPutIntoTheProjectAtOnceAreAllThere(t *testing.T) {
	t.Parallel()
	dir := withFolder(&folder{files: map[string]string{}})
	f := open(t, dir)
	g := f.another(t, dir)
	const each = 6
	var asked []*fixture
	for i := range 2 * each {
		asked = append(asked, []*fixture{f, g}[i%2])
	}
	answered := make([]<-chan answer, len(asked))
	for i, at := range asked {
		answered[i] = at.background(at.request(http.MethodPost, "/api/context/slices", access.RightHuman,
			fmt.Sprintf(`{"path":"f%d.py","start_line":1,"end_line":2}`, i)))
	}
	found := 0
	f.expect("ContextInjectionRequested", func(e events.Event) bool {
		p, ok := e.Payload.(events.ContextInjectionRequested)
		require.True(t, ok)
		f.put("worker-x-1", events.ContextBuilt{Request: e.ID, Views: []events.View{{Path: p.Path, View: p.View,
			Text: "def f():", SHA256: "ab", Size: 8, Slice: p.Slice}}})
		found++
		return found == len(asked)
	})
	for _, a := range answered {
		got := <-a
		require.Equal(t, http.StatusOK, got.status, "%s", got.body)
	}
	last, err := f.log.Last(t.Context(), events.Filter{Project: project, Session: session})
	require.NoError(t, err)
	require.NoError(t, f.models.WaitFor(t.Context(), last))
	document := read[projections.Project](f, "/api/project/document").Document
	require.Len(t, document["files"].(map[string]any)["paths"], len(asked))
	all := recorded[events.FilesTracked](f)
	require.Len(t, all[len(all)-1].Shown, len(asked), "the tickets see every slice")
}

func TestASliceThatCannotBeIsRecordedNowhere(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.SettleWait = time.Millisecond }))
	for _, body := range []string{
		`{}`, `{"path":"a"}`, `{"path":"a","start_line":0,"end_line":1}`, `{"path":"a","start_line":2,"end_line":1}`,
		`{"path":"","start_line":1,"end_line":1}`,
		`{"path":"a","start_line":1,"end_line":1,"name":"a\n"}`, `{"path":"a","start_line":1,"end_line":1,"preset":"\u0007"}`,
		`{"path":"a","start_line":1,"end_line":1,"x":1}`,
		`{"path":"a\u0000","start_line":1,"end_line":1}`,
	} {
		f.says("/api/context/slices", body, http.StatusBadRequest)
	}
	require.Empty(t, recorded[events.ContextInjectionRequested](f))
	requireProblem(t, f.says("/api/context/slices", `{"path":"a","start_line":1,"end_line":1,"preset":"p"}`,
		http.StatusServiceUnavailable), "no worker read the file in time")
	for _, body := range []string{`{"path":"a","mode":"slice"}`, `{"path":"a","mode":"slice","start_line":3,"end_line":2}`,
		`{"path":"a","start_line":1,"end_line":1}`} {
		f.says("/api/context/inject", body, http.StatusBadRequest)
	}
	require.Empty(t, recorded[events.ContextPresetChanged](f))
}

func TestASliceIsInjectedIntoTheDiscussion(t *testing.T) {
	t.Parallel()
	f := open(t)
	a := f.worked("/api/context/inject", `{"path":"a.py","mode":"Slice","start_line":3,"end_line":9}`)
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	require.Equal(t, []any{"slice", 3.0}, []any{a.object(t)["view"], a.object(t)["slice"].(map[string]any)["start_line"]})
	require.Contains(t, string(f.get("/api/session", access.RightRead).body), "def f():")
}

// pressAddSlice records a slice by the button.
func pressAddSlice(t *testing.T, f *fixture, id string) {
	t.Helper()
	a := f.worked("/api/gui", `{"action":"click","item":"`+id+
		`","user_data":{"path":"a.py","start_line":3,"end_line":9,"preset":"core"}}`)
	require.JSONEq(t, `{"status":"queued"}`, string(a.body))
	require.Equal(t, []events.FileSlice{slice("", 3, 9)},
		recorded[events.ContextPresetChanged](f)[0].Files[0].CustomSlices)
	f.requireFailed(t, 0, `{"action":"click","item":"`+id+`"}`)
	f.requireFailed(t, 1, `{"action":"click","item":"`+id+
		`","user_data":{"path":"a.py","start_line":3,"end_line":9,"line":1}}`)
}

func TestSlicesThatAreRecordedAtOnceAreAllKept(t *testing.T) {
	t.Parallel()
	const n = 8
	for _, place := range []string{`,"preset":"core"`, ""} {
		f := open(t, withFolder(&folder{files: map[string]string{}}))
		var answers []<-chan answer
		var wishes []events.Event
		for i := range n {
			body := fmt.Sprintf(`{"path":"a.py","start_line":%d,"end_line":99%s}`, i+1, place)
			answers = append(answers, f.background(f.request(http.MethodPost, "/api/context/slices", access.RightHuman, body)))
			asked := 0
			wishes = append(wishes, f.expect("ContextInjectionRequested", func(events.Event) bool { asked++; return asked > i }))
		}
		for _, wish := range wishes {
			p, ok := wish.Payload.(events.ContextInjectionRequested)
			require.True(t, ok)
			f.put("worker-x-1", events.ContextBuilt{Request: wish.ID, Views: []events.View{{Path: p.Path, View: p.View,
				Slice: p.Slice}}})
		}
		for _, a := range answers {
			got := <-a
			require.Equal(t, http.StatusOK, got.status, string(got.body))
		}
		kept := 0
		if place != "" {
			kept = len(f.presetFiles()[0].CustomSlices)
		} else {
			shown := recorded[events.FilesTracked](f)
			kept = len(shown[len(shown)-1].Shown[0].CustomSlices)
		}
		require.Equal(t, n, kept, place)
	}
}
