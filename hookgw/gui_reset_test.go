package hookgw_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

// current is the current session and how many there are.
func current(t *testing.T, f *fixture) (string, int) {
	t.Helper()
	var out struct {
		Current  string
		Sessions []struct{ Session string }
	}
	require.NoError(t, json.Unmarshal(f.get("/api/sessions", access.RightRead).body, &out))
	return out.Current, len(out.Sessions)
}

func TestAResetClosesTheSessionAndOpensOneWithItsSettings(t *testing.T) {
	t.Parallel()
	for _, button := range []string{"btn_reset_session", "btn_reset"} {
		t.Run(button, func(t *testing.T) {
			t.Parallel()
			f := open(t)
			tools := events.ToolsOffered{Tools: []events.ToolOffer{{Name: "read_file", Effect: "reads",
				Schema: json.RawMessage(`{}`)}}}
			f.put(person, tools)
			f.put(person, events.RuleAdded{Rule: events.Rule{Tool: "*", Action: "allow", Scope: "session", Source: "--yes"}})
			f.put(person, events.RuleAdded{Rule: events.Rule{Tool: "edit_file", Action: "deny"}})
			for _, task := range []string{
				`{"action":"set_value","item":"current_provider","value":"gemini_cli"}`,
				`{"action":"set_value","item":"gcli_path","value":"/opt/gemini"}`,
				`{"action":"set_value","item":"mma_step_mode","value":true}`,
				`{"action":"set_value","item":"rag_enabled","value":true}`,
				`{"action":"set_value","item":"rag_source","value":"text"}`,
				`{"action":"set_value","item":"ai_input","value":"half a thought"}`,
			} {
				f.queue(t, task)
			}
			f.put(person, events.GoalSubmitted{Goal: "gone"})
			f.queue(t, `{"action":"click","item":"`+button+`"}`)
			require.Empty(t, f.failures())
			now, sessions := current(t, f)
			require.Equal(t, 2, sessions)
			require.NotEqual(t, session, now)
			for field, want := range map[string]string{
				"session_id": `"` + now + `"`, "current_provider": `"gemini_cli"`, "gcli_path": `"/opt/gemini"`,
				"mma_step_mode": `true`, "rag_enabled": `true`, "rag_source": `"text"`, "rag_emb_provider": `"gemini"`,
				"ai_input": `""`, "disc_entries": `[]`, "mma_status": `"idle"`, "prior": `false`,
			} {
				require.JSONEq(t, want, f.value(t, field), field)
			}
			opened := recorded[events.SessionOpened](f)
			require.Len(t, opened, 2)
			require.Equal(t, "demo", opened[1].Label)
			require.NotEqual(t, opened[0].Folder, opened[1].Folder)
			require.Equal(t, []events.Rule{{Tool: "edit_file", Action: "deny"}}, opened[1].Settings.Rules,
				"what held for the one session only, such as --yes, is over")
			require.Equal(t, []events.ToolsOffered{tools, tools}, recorded[events.ToolsOffered](f))
			require.Equal(t, []events.SessionClosed{{Reason: "reset"}}, recorded[events.SessionClosed](f))
			require.JSONEq(t, `{"value":"half a thought"}`, string(f.get("/api/gui/value/ai_input?session="+session,
				access.RightRead).body), "the old one stays on record")
		})
	}
}

func TestEachOfSeveralResetsOpensASession(t *testing.T) {
	t.Parallel()
	f := open(t)
	for n := 2; n <= 4; n++ {
		f.queue(t, `{"action":"click","item":"btn_reset_session"}`)
		_, sessions := current(t, f)
		require.Equal(t, n, sessions)
	}
	folders := map[string]bool{}
	for _, s := range recorded[events.SessionOpened](f) {
		folders[s.Folder] = true
	}
	require.Len(t, folders, 4, "no two sessions share a folder")
}

func TestOfManyResetsOfOneSessionAtOnceOneCounts(t *testing.T) {
	t.Parallel()
	f := open(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			f.post("/api/gui?session="+session, access.RightHuman, `{"action":"click","item":"btn_reset_session"}`)
		})
	}
	all.Wait()
	_, sessions := current(t, f)
	require.Equal(t, 2, sessions)
	require.Empty(t, f.failures())
}

func TestOnARealBusTwoGatewaysResetOnce(t *testing.T) {
	t.Parallel()
	gateways := openOnBus(t, 2)
	var answers []<-chan answer
	for _, f := range gateways {
		answers = append(answers, f.background(f.request(http.MethodPost, "/api/gui?session="+session, access.RightHuman,
			`{"action":"click","item":"btn_reset_session"}`)))
	}
	for _, a := range answers {
		require.Equal(t, http.StatusOK, (<-a).status)
	}
	_, sessions := current(t, gateways[0])
	require.Equal(t, 2, sessions)
	gateways[1].queue(t, `{"action":"click","item":"btn_reset"}`)
	_, sessions = current(t, gateways[0])
	require.Equal(t, 3, sessions)
}

func TestASessionThatIsOverCanBeResetAndTakesNothingElseThatNeedsAnEngine(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.put(person, events.SessionClosed{Reason: "done"})
	for i, task := range []string{
		`{"action":"click","item":"btn_mma_pause"}`, `{"action":"set_value","item":"current_model","value":"m"}`,
		`{"action":"click","item":"btn_gen_send"}`,
	} {
		require.Contains(t, f.requireFailed(t, i, task).Error, "the session is closed")
	}
	f.queue(t, `{"action":"set_value","item":"ai_input","value":"x"}`)
	require.JSONEq(t, `"x"`, f.value(t, "ai_input"))
	f.queue(t, `{"action":"click","item":"btn_reset_session"}`)
	require.Len(t, f.failures(), 3)
	require.Len(t, recorded[events.SessionClosed](f), 1, "it was closed already")
	now, _ := current(t, f)
	require.NotEqual(t, session, now)
	require.JSONEq(t, `false`, f.value(t, "prior"))
}

func TestAResetThatCannotOpenASessionCanBeRepeated(t *testing.T) {
	t.Parallel()
	var once sync.Once
	f := open(t, func(c *core.Config) {
		log := troubled{Log: c.Log, onAppend: func(e events.Event) (err error) {
			if e.Type == "SessionOpened" {
				once.Do(func() { err = events.ErrFull })
			}
			return err
		}}
		c.PersonLog = func(string) events.Log { return log }
	})
	a := f.post("/api/gui", access.RightHuman, `{"action":"click","item":"btn_reset_session"}`)
	require.Equal(t, http.StatusInsufficientStorage, a.status)
	f.queue(t, `{"action":"click","item":"btn_reset_session"}`)
	_, sessions := current(t, f)
	require.Equal(t, 2, sessions)
	require.Len(t, recorded[events.SessionClosed](f), 1)
}

func TestAResetKeepsTheProjectWithItsUnsavedEdits(t *testing.T) {
	t.Parallel()
	files := &folder{files: map[string]string{"p.toml": `{"project":{"name":"of p"},"files":{"paths":["a.go"]}}`}}
	f := open(t, withFolder(files))
	f.put(person, events.ContextPresetChanged{Operation: events.PresetSave, Name: "parser",
		Files: []events.TrackedFile{{Path: "a.go"}}})
	f.queue(t, `{"action":"set_value","item":"project_path","value":"p.toml"}`)
	f.queue(t, `{"action":"set_value","item":"project_system_prompt","value":"Be brief."}`)
	fields := []string{"project_path", "project_name", "project_system_prompt", "project_changed", "files_paths"}
	before := map[string]string{}
	for _, name := range fields {
		before[name] = f.value(t, name)
	}
	document := string(f.get("/api/project/document", access.RightRead).body)
	f.queue(t, `{"action":"click","item":"btn_reset_session"}`)
	require.Empty(t, f.failures())
	now, _ := current(t, f)
	require.NotEqual(t, session, now)
	for _, name := range fields {
		require.JSONEq(t, before[name], f.value(t, name), name)
	}
	require.JSONEq(t, `true`, before["project_changed"])
	require.JSONEq(t, `"Be brief."`, before["project_system_prompt"])
	var was, is map[string]any
	require.NoError(t, json.Unmarshal([]byte(document), &was))
	require.NoError(t, json.Unmarshal(f.get("/api/project/document", access.RightRead).body, &is))
	for _, key := range []string{"document", "path", "sha256", "size", "changed"} {
		require.Equal(t, was[key], is[key], key)
	}
	f.queue(t, `{"action":"click","item":"btn_project_save"}`)
	require.Empty(t, f.failures(), "the file is still its own")
	require.Contains(t, files.files["p.toml"], "Be brief.")
}

func TestAProjectThatDoesNotFitFailsVisibly(t *testing.T) {
	t.Parallel()
	f := open(t)
	for i, task := range []string{
		`{"action":"click","item":"btn_project_save"}`, `{"action":"click","item":"btn_project_load","user_data":"p.toml"}`,
		`{"action":"set_value","item":"project_path","value":"p.toml"}`,
		`{"action":"set_value","item":"files_paths","value":[1]}`,
		`{"action":"set_value","item":"active_discussion","value":"nobody"}`,
		`{"action":"set_value","item":"disc_roles","value":["",""]}`,
	} {
		require.NotEmpty(t, f.requireFailed(t, i, task).Error, task)
	}
	require.JSONEq(t, `[]`, f.value(t, "files_paths"))
	require.JSONEq(t, `"main"`, f.value(t, "active_discussion"))
}
