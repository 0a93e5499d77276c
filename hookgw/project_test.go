package hookgw_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/projections"
)

const flat = `{"project":{"project":{"name":"","git_dir":"","system_prompt":"","main_context":""},"output":{"output_dir":"./md_gen"},
	"files":{"base_dir":".","paths":[]},"screenshots":{"base_dir":".","paths":[]},
	"discussion":{"roles":["User","AI","Vendor API","System","Context","Tool"],"history":[]}}}`

func TestProjectHasTheShapeOfTheOriginal(t *testing.T) {
	t.Parallel()
	f := open(t)
	require.JSONEq(t, flat, string(f.get("/api/project", access.RightRead).body))
	require.Equal(t, `{"in_progress":false,"pending_path":"","active_path":"","error":""}`,
		strings.TrimSpace(string(f.get("/api/project_switch_status", access.RightRead).body)))
	a := f.says("/api/project", `{"project":{"project":{"name":"x"},"mine":{"kept":[1,2]}}}`, http.StatusOK)
	require.Equal(t, `{"status": "updated"}`, strings.TrimSpace(string(a.body)))
	got := read[map[string]map[string]map[string]any](f, "/api/project")
	require.Equal(t, "x", got["project"]["project"]["name"])
	require.Contains(t, got["project"]["project"], "git_dir", "what was not sent stays")
	document := read[projections.Project](f, "/api/project/document")
	require.Equal(t, []any{1.0, 2.0}, document.Document["mine"].(map[string]any)["kept"])
	f.says("/api/project", string(f.get("/api/project", access.RightRead).body), http.StatusOK)
	require.Len(t, recorded[events.DiscussionChanged](f), 0, "posting what was read changes no discussion")
}

func TestAProjectBringsItsDiscussionAlong(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.says("/api/project", `{"project":{"discussion":{"roles":["User","Critic"],"history":["@t\nCritic:\nno"]}}}`,
		http.StatusOK)
	require.JSONEq(t, `{"session":{"entries":[{"role":"Critic","content":"no","collapsed":false,"ts":"t"}]}}`,
		string(f.get("/api/session", access.RightRead).body))
	f.says("/api/project", `{"project":{"discussion":{"active":"b","discussions":{"b":{"history":["User:\nhi"]}}}}}`,
		http.StatusOK)
	require.Contains(t, string(f.get("/api/project", access.RightRead).body), `"history":["User:\nhi"]`)
	require.NotContains(t, read[projections.Project](f, "/api/project/document").Document, "discussion")
}

func TestAProjectThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, body := range []string{
		`{}`, `{"project":[]}`, `{"project":null}`, `{"project":{},"x":1}`, `{"Project":{}}`, `{"project":{"project":[]}}`,
		`{"project":{"project":{"name":7}}}`,
		`{"project":{"files":{"paths":"x"}}}`, `{"project":{"files":{"paths":[1]}}}`, `{"project":{"discussion":[]}}`,
		`{"project":{"discussion":{"history":[1]}}}`,
		`{"project":{"discussion":{"roles":["a","A"]}}}`, `{"project":{"files":{"paths":[` + strings.Repeat(`"x",`,
			events.MaxPatterns) + `"x"]}}}`,
	} {
		f.says("/api/project", body, http.StatusBadRequest)
	}
	before := read[projections.Project](f, "/api/project/document")
	require.Zero(t, before.Through)
	over := `{"project":{"a":"` + strings.Repeat("x", projections.MaxProjectBytes) + `"}}`
	f.says("/api/project", over, http.StatusRequestEntityTooLarge)
	require.Empty(t, recorded[events.ProjectEdited](f))
}

func TestASwitchLoadsTheDocumentAndItsFiles(t *testing.T) {
	t.Parallel()
	dir := &folder{files: map[string]string{
		"one.toml": `{"project":{"name":"one"},"files":{"paths":["a.go",{"path":"b.go","view_mode":"summary"},"/etc/passwd"]},"gemini_cli":{"binary_path":"/bin/evil"}}`,
		"bad.toml": `{"files":{"paths":7}}`,
	}}
	f := open(t, withFolder(dir))
	a := f.says("/api/project/switch", `{"path":"one.toml"}`, http.StatusOK)
	require.Contains(t, string(a.body), "gemini_cli.binary_path")
	require.JSONEq(t, `{"in_progress":false,"pending_path":"","active_path":"one.toml","error":""}`,
		string(f.get("/api/project_switch_status", access.RightRead).body))
	require.Equal(t, []string{"a.go", "b.go"}, recorded[events.FilesTracked](f)[0].Paths)
	require.Len(t, recorded[events.FilesTracked](f)[0].Skipped, 1)
	requireProblem(t, f.says("/api/project/switch", `{"path":"gone.toml"}`, http.StatusNotFound), "gone.toml")
	requireProblem(t, f.says("/api/project/switch", `{"path":"bad.toml"}`, http.StatusUnprocessableEntity), "files.paths")
	status := read[projections.ProjectSwitch](f, "/api/project_switch_status")
	require.Contains(t, status.Error, "files.paths")
	require.Equal(t, "one.toml", status.ActivePath, "a failed switch leaves the project as it is")
	for _, body := range []string{`{}`, `{"path":""}`, `{"path":7}`, `{"path":"a\u0000b"}`, `{"path":"` +
		strings.Repeat("x", 1025) + `"}`, `{"path":"x","more":1}`} {
		f.says("/api/project/switch", body, http.StatusBadRequest)
	}
	require.False(t, read[projections.ProjectSwitch](f, "/api/project_switch_status").InProgress)
}

func TestUnsavedChangesStopASwitch(t *testing.T) {
	t.Parallel()
	dir := &folder{files: map[string]string{"one.toml": `{"project":{"name":"one"}}`}}
	f := open(t, withFolder(dir))
	f.says("/api/project/load", `{"path":"one.toml"}`, http.StatusOK)
	f.says("/api/project", `{"project":{"project":{"name":"changed"}}}`, http.StatusOK)
	requireProblem(t, f.says("/api/project/load", `{}`, http.StatusConflict), "unsaved changes")
	f.says("/api/project/save", `{}`, http.StatusOK)
	require.Contains(t, dir.files["one.toml"], "changed")
	f.says("/api/project/load", `{}`, http.StatusOK)
	f.says("/api/project", `{"project":{"project":{"name":"again"}}}`, http.StatusOK)
	f.says("/api/project/load", `{"discard":true}`, http.StatusOK)
	require.Equal(t, "changed", read[projections.Project](f,
		"/api/project/document").Document["project"].(map[string]any)["name"])
}

func TestAFileChangedByOthersIsOverwrittenOnlyByForce(t *testing.T) {
	t.Parallel()
	dir := &folder{files: map[string]string{"one.toml": `{"project":{"name":"one"}}`}}
	f := open(t, withFolder(dir))
	f.says("/api/project/save", `{}`, http.StatusBadRequest)
	f.says("/api/project/load", `{"path":"one.toml"}`, http.StatusOK)
	dir.files["one.toml"] = `{"project":{"name":"theirs"}}`
	requireProblem(t, f.says("/api/project/save", `{}`, http.StatusConflict), "changed")
	f.says("/api/project/save", `{"path":"other.toml"}`, http.StatusOK)
	require.Equal(t, "other.toml", read[projections.ProjectSwitch](f, "/api/project_switch_status").ActivePath)
	requireProblem(t, f.says("/api/project/save", `{"path":"one.toml"}`, http.StatusConflict), "changed")
	f.says("/api/project/save", `{"path":"one.toml","force":true}`, http.StatusOK)
	require.NotContains(t, dir.files["one.toml"], "theirs")
}

func TestASecretOfTheFileIsNotReplacedByItsMask(t *testing.T) {
	t.Parallel()
	dir := &folder{files: map[string]string{"one.toml": `{"project":{"name":"hunter2"}}`}}
	f := open(t, withFolder(dir), func(c *core.Config) {
		c.Masker = func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "hunter2", "[masked]")) }
	})
	f.says("/api/project/load", `{"path":"one.toml"}`, http.StatusOK)
	require.NotContains(t, string(recorded[events.ProjectLoaded](f)[0].Document), "hunter2")
	requireProblem(t, f.says("/api/project/save", `{}`, http.StatusConflict), "secret")
	require.Contains(t, dir.files["one.toml"], "hunter2")
}

func TestASwitchThatDiedIsFinishedByTheNextGateway(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.put(person, events.ProjectSwitchRequested{Path: "one.toml"})
	require.True(t, read[projections.ProjectSwitch](f, "/api/project_switch_status").InProgress)
	next := f.another(t,
		withFolder(&folder{files: map[string]string{"one.toml": `{"project":{"name":"one"},"files":{"paths":["a.go"]}}`}}))
	next.expect("FilesTracked", func(events.Event) bool { return true })
	require.Equal(t, "one.toml", read[projections.ProjectSwitch](next, "/api/project_switch_status").ActivePath)
	f.put(person, events.ProjectSwitchRequested{Path: "gone.toml"})
	last := f.another(t, withFolder(&folder{files: map[string]string{}}))
	last.expect("ProjectSwitchFailed", func(events.Event) bool { return true })
	require.Contains(t, read[projections.ProjectSwitch](last, "/api/project_switch_status").Error, "gone.toml")
}

func TestASwitchThatAnotherGatewaySettledIsAnsweredWithItsOutcome(t *testing.T) {
	t.Parallel()
	files := map[string]string{"one.toml": `{"project":{"name":"one"}}`}
	for _, c := range []struct {
		settled string
		folder  map[string]string
		status  int
	}{{"ProjectLoaded", files, http.StatusOK}, {"ProjectSwitchFailed", nil, http.StatusConflict}} {
		t.Run(c.settled, func(t *testing.T) {
			t.Parallel()
			reading, settled := make(chan struct{}), make(chan struct{})
			begun := sync.OnceFunc(func() { close(reading) }) // a gateway that starts late reads for the same switch
			f := open(t, withFolder(&folder{files: files, before: func() {
				begun()
				<-settled
			}}))
			answered := make(chan answer)
			go func() { answered <- f.post("/api/project/switch", access.RightHuman, `{"path":"one.toml"}`) }()
			<-reading
			other := f.another(t, withFolder(&folder{files: c.folder}))
			other.expect(c.settled, func(events.Event) bool { return true })
			close(settled)
			a := <-answered
			require.Equal(t, c.status, a.status, "%s", a.body)
			if c.status != http.StatusOK {
				requireProblem(t, a, "there is no one.toml")
			}
		})
	}
}

func TestFilesOfAChangedProjectAreFoundByTheNextGateway(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.put(person, events.ProjectEdited{Changes: json.RawMessage(`{"files":{"paths":["a.go"]}}`)})
	next := f.another(t, withFolder(&folder{files: map[string]string{}}))
	e := next.expect("FilesTracked", func(events.Event) bool { return true })
	require.Equal(t, person, e.Actor)
}

func TestOfConcurrentSwitchesOneIsLeft(t *testing.T) {
	t.Parallel()
	dir := &folder{files: map[string]string{"a.toml": `{"project":{"name":"a.toml"}}`,
		"b.toml": `{"project":{"name":"b.toml"}}`}}
	f := open(t, withFolder(dir))
	var wg sync.WaitGroup
	for i := range 20 {
		path := []string{"a.toml", "b.toml"}[i%2]
		wg.Go(func() {
			a := f.post("/api/project/switch", access.RightHuman, `{"path":"`+path+`"}`)
			if a.status != http.StatusOK && a.status != http.StatusConflict {
				t.Errorf("status %d: %s", a.status, a.body)
			}
		})
	}
	wg.Wait()
	status := read[projections.ProjectSwitch](f, "/api/project_switch_status")
	require.False(t, status.InProgress)
	require.Empty(t, status.Error)
	require.Equal(t, status.ActivePath, read[projections.Project](f,
		"/api/project/document").Document["project"].(map[string]any)["name"])
}

func TestWithoutTheFolderNothingIsLoadedOrSaved(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, path := range []string{"/api/project/switch", "/api/project/load", "/api/project/save"} {
		f.says(path, `{"path":"a.toml"}`, http.StatusServiceUnavailable)
	}
	f.says("/api/discussions/import", `{"toml":""}`, http.StatusServiceUnavailable)
}

func TestAResetKeepsTheProject(t *testing.T) {
	t.Parallel()
	f := open(t, withFolder(&folder{files: map[string]string{
		"one.toml": `{"project":{"name":"one"},"files":{"paths":["a.go"]}}`}}))
	f.says("/api/project/switch", `{"path":"one.toml"}`, http.StatusOK)
	f.says("/api/project", `{"project":{"project":{"name":"edited"}}}`, http.StatusOK)
	f.says("/api/context/presets/save", `{"name":"p","files":["b.go"]}`, http.StatusOK)
	f.says("/api/discussions/roles", `{"roles":["User","Critic"]}`, http.StatusOK)
	f.says("/api/discussions/entries/add", `{"content":"stays behind"}`, http.StatusOK)
	before := read[projections.Project](f, "/api/project/document")
	f.says("/api/gui", `{"action":"click","item":"btn_reset_session"}`, http.StatusOK)
	require.NotEqual(t, session, f.models.Current())
	after := read[projections.Project](f, "/api/project/document")
	require.Equal(t, before.Document, after.Document)
	require.Equal(t, "one.toml", after.Path)
	require.Equal(t, before.SHA256, after.SHA256)
	require.True(t, after.Changed, "what was not saved is still not saved")
	state := read[ContextState](f, "/api/context/state")
	require.Equal(t, []string{"p"}, state.Presets)
	require.Equal(t, "a.go", state.Files[0].Path)
	require.JSONEq(t, `{"session":{"entries":[]}}`, string(f.get("/api/session", access.RightRead).body))
	require.Equal(t, []string{"User", "Critic"}, read[discussions](f, "/api/discussions").Roles)
	f.says("/api/project/save", `{}`, http.StatusOK)
}

func TestASwitchThatNobodyIsAtWorkOnIsFinishedWithoutARestart(t *testing.T) {
	t.Parallel()
	files := withFolder(&folder{files: map[string]string{"one.toml": `{"project":{"name":"one"}}`,
		"two.toml": `{"project":{"name":"two"}}`}})
	often := func(c *core.Config) { c.Limits.CatchUp = 50 * time.Millisecond }
	f := open(t, files, often)
	f.put(person, events.ProjectSwitchRequested{Path: "one.toml"}) // of a gateway that died
	f.expect("ProjectLoaded", func(events.Event) bool { return true })

	var away atomic.Bool
	g := open(t, files, often, func(c *core.Config) {
		c.Log = troubled{Log: c.Log, onAppend: func(e events.Event) error {
			if strings.HasPrefix(e.Type, "Project") && away.Load() {
				return context.DeadlineExceeded
			}
			return nil
		}}
	})
	away.Store(true)
	g.says("/api/project/switch", `{"path":"two.toml"}`, http.StatusServiceUnavailable)
	g.eventually(func() bool { return read[projections.ProjectSwitch](g, "/api/project_switch_status").InProgress })
	away.Store(false)
	g.expect("ProjectLoaded", func(events.Event) bool { return true })
	require.Equal(t, "two.toml", read[projections.ProjectSwitch](g, "/api/project_switch_status").ActivePath)
}
