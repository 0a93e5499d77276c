package projections_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

func loaded(request, path, document string) events.ProjectLoaded {
	return events.ProjectLoaded{Request: request, Path: path, SHA256: "ab", Size: 1, Document: json.RawMessage(document)}
}

func TestWithoutADocumentTheProjectIsMadeOfTheSettings(t *testing.T) {
	t.Parallel()
	s := tell(t)
	s.by("ada", events.SessionOpened{Workspace: "/home/ada/demo", Settings: events.Settings{Tracked: []string{"a.go"}}})
	flat, err := json.Marshal(s.set.FlatProject())
	require.NoError(t, err)
	require.JSONEq(t, `{"project":{"name":"demo","git_dir":"","system_prompt":"","main_context":""},"output":{"output_dir":"./md_gen"},
		"files":{"base_dir":".","paths":["a.go"]},"screenshots":{"base_dir":".","paths":[]},
		"discussion":{"roles":["User","AI","Vendor API","System","Context","Tool"],"history":[]}}`, string(flat))
	s.by("ada", events.ProjectEdited{
		Changes: json.RawMessage(`{"project":{"system_prompt":"be brief"},"mine":{"n":12345678901234567890}}`)})
	p := s.set.Project()
	require.Equal(t, "be brief", p.Document["project"].(map[string]any)["system_prompt"])
	require.Equal(t, "demo", p.Document["project"].(map[string]any)["name"], "what was not sent stays")
	require.Equal(t, json.Number("12345678901234567890"), p.Document["mine"].(map[string]any)["n"])
	require.True(t, p.Changed)
	s.by(events.ActorGateway, events.ProjectSaved{Path: "p.toml", SHA256: "cd", Through: p.Through})
	require.False(t, s.set.Project().Changed)
	require.Equal(t, "p.toml", s.set.ProjectSwitch().ActivePath)
}

func TestASwitchIsSettledOnceAndTheNewestCounts(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	one := s.by("ada", events.ProjectSwitchRequested{Path: "one.toml"})
	require.True(t, s.set.ProjectSwitch().InProgress)
	two := s.by("ada", events.ProjectSwitchRequested{Path: "two.toml"})
	require.NotEmpty(t, s.set.ProjectRefusal(one))
	late := s.by(events.ActorGateway, loaded(one, "one.toml", `{}`))
	require.NotEmpty(t, s.set.ProjectRefusal(late))
	require.Equal(t, "two.toml", s.set.ProjectSwitch().PendingPath)
	s.by(events.ActorGateway, loaded(two, "two.toml", `{"project":{"name":"two"}}`))
	again := s.by(events.ActorGateway, loaded(two, "two.toml", `{"project":{"name":"again"}}`))
	require.NotEmpty(t, s.set.ProjectRefusal(again), "a second gateway finished it, too")
	require.Equal(t, "two", s.set.FlatProject().Project["name"])
	raw, err := json.Marshal(s.set.ProjectSwitch())
	require.NoError(t, err)
	require.JSONEq(t, `{"in_progress":false,"pending_path":"","active_path":"two.toml","error":""}`, string(raw))
	three := s.by("ada", events.ProjectSwitchRequested{Path: "three.toml"})
	s.by(events.ActorGateway, events.ProjectSwitchFailed{Request: three, Path: "three.toml", Error: "gone"})
	require.Equal(t, "gone", s.set.ProjectSwitch().Error)
	require.Equal(t, "two.toml", s.set.ProjectSwitch().ActivePath)
}

func TestADocumentOverItsLimitIsNotTaken(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	edit := func(n int) string {
		return s.by("ada", events.ProjectEdited{Changes: json.RawMessage(`{"a":"` + strings.Repeat("x", n) + `"}`)})
	}
	require.Empty(t, s.set.ProjectRefusal(edit(projections.MaxProjectBytes-len(`{"a":""}`))))
	require.NotEmpty(t, s.set.ProjectRefusal(edit(projections.MaxProjectBytes-len(`{"a":""}`)+1)))
	require.NotEmpty(t, s.set.ProjectRefusal(s.by("ada", events.ProjectEdited{Changes: json.RawMessage(`[]`)})))
	s.by("ada", events.ProjectEdited{Changes: json.RawMessage(`{"a":null}`)})
	require.NotContains(t, s.set.Project().Document, "a", "null removes a key")
}

func TestAProjectSaysWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	many := make([]any, events.MaxPatterns+1)
	for i := range many {
		many[i] = "x"
	}
	for want, doc := range map[string]map[string]any{
		"project must be a table":       {"project": []any{}},
		"project.name must be a string": {"project": map[string]any{"name": 1}},
		"discussion must be a table":    {"discussion": "x"},
		"files.paths must be a list":    {"files": map[string]any{"paths": "x"}},
		"files.paths[0] must be":        {"files": map[string]any{"paths": []any{7}}},
		"files.paths[1] must be": {
			"files": map[string]any{"paths": []any{"a", map[string]any{"view_mode": "full"}}}},
		"files.paths has over":            {"files": map[string]any{"paths": many}},
		"screenshots.paths must be":       {"screenshots": map[string]any{"paths": map[string]any{}}},
		"screenshots.paths[0] must be":    {"screenshots": map[string]any{"paths": []any{1}}},
		"files.base_dir must be a string": {"files": map[string]any{"base_dir": true}},
		"gemini_cli.binary_path must be":  {"gemini_cli": map[string]any{"binary_path": 1}},
	} {
		require.Contains(t, projections.CheckProject(doc), want)
	}
	require.Empty(t, projections.CheckProject(map[string]any{"mine": 1, "files": map[string]any{"paths": many[1:]}}))
}

func TestWhatAProjectMayNotDecideIsReported(t *testing.T) {
	t.Parallel()
	ignored := strings.Join(projections.IgnoredKeys(map[string]any{
		"gemini_cli": map[string]any{"binary_path": "/bin/evil"}, "mcp": map[string]any{}, "rules": []any{},
		"files": map[string]any{"base_dir": "/etc"}, "screenshots": map[string]any{"base_dir": `..\x`},
		"output":  map[string]any{"output_dir": "a/../../b"},
		"project": map[string]any{"git_dir": "C:/x"}, "agent": map[string]any{"tools": map[string]any{
			"run_powershell": true}},
	}), "\n")
	for _, key := range []string{"gemini_cli.binary_path", "mcp", "rules", "files.base_dir", "screenshots.base_dir",
		"output.output_dir", "project.git_dir", "agent.tools"} {
		require.Contains(t, ignored, key+": ")
	}
	require.Empty(t, projections.IgnoredKeys(map[string]any{"files": map[string]any{"base_dir": "src/../lib"},
		"output": map[string]any{"output_dir": "./md_gen"}}))
}

func TestTrackedFilesReachTheSettings(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{Tracked: []string{"old.go"}})
	require.Equal(t, []string{"old.go"}, s.set.Tracking().Paths)
	s.by("ada", events.ProjectEdited{
		Changes: json.RawMessage(`{"files":{"paths":["*.go",{"path":"doc.md","view_mode":"summary"}]}}`)})
	require.True(t, s.set.TrackingDue())
	s.by("ada", events.FilesTracked{Patterns: []string{"*.go", "doc.md"}, Paths: []string{"a.go", "doc.md"}})
	require.True(t, s.set.TrackingDue(), "how they are shown is missing")
	s.by("ada", events.FilesTracked{Patterns: []string{"*.go", "doc.md"}, Paths: []string{"a.go", "doc.md"},
		Shown: []events.TrackedFile{{Path: "doc.md", ViewMode: "summary"}}})
	require.False(t, s.set.TrackingDue())
	require.Equal(t, []string{"a.go", "doc.md"}, s.set.Settings().Tracked)
	over := s.by("ada", events.FilesTracked{Paths: make([]string, events.MaxTracked+1)})
	require.NotEmpty(t, s.set.ProjectRefusal(over))
	shown := s.by("ada", events.FilesTracked{Shown: []events.TrackedFile{
		{Path: strings.Repeat("x", events.MaxTrackedBytes-len(`[{"path":""}]`)+1)}}})
	require.NotEmpty(t, s.set.ProjectRefusal(shown))
	long := s.by("ada", events.FilesTracked{Paths: []string{strings.Repeat("x", events.MaxTrackedBytes+1)}})
	require.NotEmpty(t, s.set.ProjectRefusal(long))
	require.Equal(t, []string{"a.go", "doc.md"}, s.set.Settings().Tracked)
}

func TestContextPresetsAreKeptByName(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", events.ContextPresetChanged{Operation: events.PresetSave, Name: "b",
		Files: []events.TrackedFile{{Path: "a.go"}}})
	s.by("ada", events.ContextPresetChanged{Operation: events.PresetSave, Name: "a"})
	require.Equal(t, "a", s.set.ContextPresets()[0].Name)
	s.by("ada", events.ContextPresetChanged{Operation: events.PresetLoad, Name: "b"})
	require.Equal(t, "b", s.set.Tracking().Selected)
	s.by("ada", events.ContextPresetChanged{Operation: events.PresetDelete, Name: "b"})
	require.NotEmpty(t, s.set.ProjectRefusal(s.by("ada", events.ContextPresetChanged{Operation: events.PresetDelete,
		Name: "b"})))
	require.NotEmpty(t, s.set.ProjectRefusal(s.by("ada", events.ContextPresetChanged{Operation: events.PresetLoad,
		Name: "b"})))
	for i := range projections.MaxPresets - 1 {
		s.by("ada", events.ContextPresetChanged{Operation: events.PresetSave, Name: fmt.Sprint(i)})
	}
	require.NotEmpty(t, s.set.ProjectRefusal(s.by("ada", events.ContextPresetChanged{Operation: events.PresetSave,
		Name: "one more"})))
	require.Empty(t, s.set.ProjectRefusal(s.by("ada", events.ContextPresetChanged{Operation: events.PresetSave,
		Name: "a"})),
		"one that is there can be saved again")
}
