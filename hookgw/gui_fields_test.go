package hookgw_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/projections"
)

// freshFields is what every field holds in a session that was just opened. A
// name that the original's documents use may never leave this list.
func freshFields() map[string]string {
	out := map[string]string{
		"active_tickets":             `[]`,
		"active_tier":                `null`,
		"active_track":               `""`,
		"ai_input":                   `""`,
		"ai_response":                `""`,
		"ai_status":                  `"idle"`,
		"current_model":              `""`,
		"current_provider":           `""`,
		"disc_entries":               `[]`,
		"external_mcp_servers":       `{}`,
		"gcli_path":                  `""`,
		"history_trunc_limit":        `8000`,
		"live":                       `false`,
		"max_retries":                `0`,
		"max_tokens":                 `0`,
		"max_workers":                `0`,
		"mma_epic_input":             `""`,
		"mma_paused":                 `false`,
		"mma_spawn_payload":          `null`,
		"mma_step_payload":           `null`,
		"mma_status":                 `"idle"`,
		"mma_step_mode":              `false`,
		"mma_streams":                `{}`,
		"mma_tier_usage":             `{}`,
		"pending_approval":           `false`,
		"pending_mma_spawn_approval": `false`,
		"pending_mma_step_approval":  `false`,
		"pending_tool_approval":      `false`,
		"plan_review":                `false`,
		"prior":                      `false`,
		"proposed_tracks":            `[]`,
		"qa_disabled":                `false`,
		"rag_emb_provider":           `"gemini"`,
		"rag_emb_model":              `""`,
		"rag_enabled":                `false`,
		"rag_source":                 `"chroma"`,
		"rag_top_k":                  `5`,
		"review":                     `false`,
		"session_folder":             `"20260102_030405_demo"`,
		"session_id":                 `"s1"`,
		"show_windows":               `{}`,
		"spawn_approval":             `false`,
		"temperature":                `null`,
		"thinking":                   `false`,
		"top_p":                      `null`,
		"tracks":                     `[]`,
	}
	maps.Copy(out, map[string]string{
		"project_path": `""`, "project_changed": `false`, "project_name": `""`, "project_git_dir": `""`,
		"project_system_prompt": `""`, "project_main_context": `""`,
		"output_dir": `"./md_gen"`, "files_base_dir": `"."`, "files_paths": `[]`, "screenshots_base_dir": `"."`,
		"screenshots_paths": `[]`,
		"personas":          `[]`, "tool_presets": `[]`, "bias_profiles": `[]`, "prompt_presets": `[]`,
		"active_discussion": `"main"`, "disc_roles": `["User","AI","Vendor API","System","Context","Tool"]`,
	})
	for n := 1; n <= 4; n++ {
		for name, value := range map[string]string{"provider": `""`, "model": `""`, "models": `[]`, "temperature": `null`,
			"top_p": `null`, "effort": `""`, "max_output_tokens": `0`, "max_rounds": `0`,
			"persona": `""`, "tool_preset": `""`, "bias_profile": `""`, "prompt_preset": `""`} {
			out[fmt.Sprintf("tier%d_%s", n, name)] = value
		}
	}
	return out
}

// sampleOf is a value that a field takes and does not hold at first, and what
// it then reads as.
func sampleOf(f projections.GUIField) (value, reads string) {
	switch f.Name {
	case "current_provider":
		return `"gemini-cli"`, `"gemini_cli"`
	case "tier2_provider":
		return `"MiniMax"`, `"minimax"`
	case "gcli_path":
		return `"/opt/gemini"`, `"/opt/gemini"`
	case "active_discussion":
		return `"second"`, `"second"`
	case "rag_source":
		return `"text"`, `"text"`
	case "rag_emb_provider":
		return `"OpenAI"`, `"openai"`
	case "project_path":
		return `"p.toml"`, `"p.toml"`
	case "disc_entries":
		return `[{"role":"User","content":"hi"}]`, `[{"role":"User","content":"hi"}]`
	}
	value = map[projections.FieldType]string{
		projections.FieldText: `"a text <of> ü"`, projections.FieldBool: `true`, projections.FieldInteger: `7`,
		projections.FieldNumber: `0.5`,
		projections.FieldList:   `["m1","m2"]`, projections.FieldObject: `{"Log":true}`,
	}[f.Type]
	switch {
	case strings.HasSuffix(f.Name, "provider"):
		value = `"script"`
	case strings.HasSuffix(f.Name, "effort"):
		value = `"high"`
	case ofTheRoster(f.Name):
		value = `"mine"`
	}
	return value, value
}

// ofTheRoster tells whether a field takes a name of the session's roster.
func ofTheRoster(field string) bool {
	return slices.ContainsFunc([]string{"_persona", "_tool_preset", "_bias_profile", "_prompt_preset"},
		func(end string) bool { return strings.HasSuffix(field, end) })
}

// wrongValues are values that no field of a type takes.
func wrongValues(of projections.FieldType) []string {
	all := map[projections.FieldType][]string{
		projections.FieldText: {`"x"`}, projections.FieldBool: {`true`, `false`}, projections.FieldInteger: {`3`},
		projections.FieldNumber: {`0.5`, `1e999`},
		projections.FieldList:   {`[]`}, projections.FieldObject: {`{}`},
	}
	out := []string{`null`, `[[1]]`, `{"a":{"b":1}}`}
	for typ, values := range all {
		if typ != of && !(of == projections.FieldNumber && typ == projections.FieldInteger) {
			out = append(out, values...)
		}
	}
	return slices.DeleteFunc(out, func(v string) bool {
		return of == projections.FieldNumber && v == `0.5` || of == projections.FieldList && v[0] == '[' ||
			of == projections.FieldObject && v[0] == '{'
	})
}

func TestEveryFieldHasItsDefault(t *testing.T) {
	t.Parallel()
	f := open(t)
	want := freshFields()
	var state map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(f.get("/api/gui/state", access.RightRead).body, &state))
	require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(state)))
	for name, value := range want {
		require.JSONEq(t, value, string(state[name]), name)
		require.JSONEq(t, value, f.value(t, name), name)
	}
	require.Empty(t, f.failures())
}

func TestEveryFieldIsSetAndReadWithItsAliasesAfterARestartAndARebuild(t *testing.T) {
	t.Parallel()
	f := openEmpty(t, withFolder(&folder{files: map[string]string{"p.toml": `{}`}}))
	f.put("operator", events.SessionOpened{Label: "demo", Folder: "20260102_030405_demo", Settings: events.Settings{
		Roster: aRoster()}})
	f.put(person, events.DiscussionChanged{Operation: events.DiscussionCreate, Discussion: "second"})
	fields := projections.GUIFields()
	slices.SortStableFunc(fields, func(a, b projections.GUIField) int { // a switch gives up no edits
		return cmp.Compare(strings.Index(b.Name, "project_path"), strings.Index(a.Name, "project_path"))
	})
	want := map[string]string{}
	for _, field := range fields {
		if !field.Settable() {
			continue
		}
		value, reads := sampleOf(field)
		for _, name := range append([]string{field.Name, "ui_" + field.Name}, field.Aliases...) {
			f.queue(t, set(t, name, json.RawMessage(value)))
			require.JSONEq(t, reads, f.value(t, name), name)
			require.JSONEq(t, reads, f.value(t, field.Name), name)
		}
		want[field.Name] = reads
	}
	require.Empty(t, f.failures())
	require.NotEmpty(t, want)
	again := f.again(t)
	state := string(f.get("/api/gui/state", access.RightRead).body)
	for name := range want {
		require.JSONEq(t, f.value(t, name), again.value(t, name), "%s in another gateway", name)
	}
	require.JSONEq(t, state, string(again.get("/api/gui/state", access.RightRead).body))
	f.stop()
	require.JSONEq(t, state, string(again.get("/api/gui/state", access.RightRead).body),
		"the first gateway kept nothing to itself")
}

func TestAFieldTakesNoValueOfAnotherType(t *testing.T) {
	t.Parallel()
	f := open(t)
	var want []string
	for _, field := range projections.GUIFields() {
		if !field.Settable() {
			continue
		}
		before := f.value(t, field.Name)
		f.queue(t, `{"action":"set_value","item":"`+field.Name+`"}`)
		want = append(want, field.Name)
		for _, wrong := range wrongValues(field.Type) {
			f.queue(t, set(t, field.Name, json.RawMessage(wrong)))
			want = append(want, field.Name)
			require.JSONEq(t, before, f.value(t, field.Name), "%s %s", field.Name, wrong)
		}
	}
	require.Greater(t, len(want), 200)
	var got []string
	for _, failed := range f.failures() {
		require.Contains(t, failed.Error, "invalid value for the field")
		got = append(got, failed.Item)
	}
	require.Equal(t, want, got, "each of them failed visibly, in order")
}

func TestAFieldThatCanOnlyBeReadSaysSo(t *testing.T) {
	t.Parallel()
	f := open(t)
	before := string(f.get("/api/gui/state", access.RightRead).body)
	failed := 0
	for _, field := range projections.GUIFields() {
		if field.Settable() {
			continue
		}
		got := f.requireFailed(t, failed, set(t, field.Name, json.RawMessage(freshFields()[field.Name])))
		require.Contains(t, got.Error, "it can only be read", field.Name)
		failed++
	}
	require.GreaterOrEqual(t, failed, 20)
	require.JSONEq(t, before, string(f.get("/api/gui/state", access.RightRead).body))
}

func TestValuesOutsideTheLimitsOfTheirOwnerFailVisibly(t *testing.T) {
	t.Parallel()
	f := open(t)
	for i, c := range []struct{ field, at, over string }{
		{"max_workers", `64`, `65`}, {"max_workers", `1`, `0`}, {"max_retries", `10`, `11`}, {"temperature", `2`, `2.1`},
		{"tier4_temperature", `0`, `-0.1`},
		{"top_p", `1`, `1.1`}, {"tier3_effort", `"low"`, `"lowest"`}, {"max_tokens", `1000000`, `1000001`},
		{"tier1_max_rounds", `1000`, `1001`}, {"tier1_max_rounds", `4.0`, `4.5`},
		{"gcli_path", `"/bin/gemini"`, `"gemini --yolo"`}, {"gcli_path", `""`, `"../gemini"`},
		{"current_provider", `"script"`, `"no provider"`}, {"current_model", `"m"`, `""`},
		{"rag_source", `"text"`, `"pinecone"`}, {"rag_top_k", `20`, `21`}, {"rag_top_k", `1`, `0`},
		{"rag_emb_model", `"` + strings.Repeat("m", 256) + `"`, `"` + strings.Repeat("m", 257) + `"`},
		{"rag_emb_provider", `"llama"`, `""`},
		{"tier3_models", `["a"]`, `["a",1]`}, {"tier3_models", `["a","b"]`, `["a",""]`},
		{"ai_input", `"` + strings.Repeat("x", events.MaxInline-2) + `"`, `"` + strings.Repeat("y", events.MaxInline-1) +
			`"`},
		{"show_windows", `{"a":"` + strings.Repeat("x", events.MaxInline-8) + `"}`, `{"a":"` + strings.Repeat("x",
			events.MaxInline-7) + `"}`},
	} {
		f.queue(t, set(t, c.field, json.RawMessage(c.at)))
		require.JSONEq(t, c.at, f.value(t, c.field), c.field)
		got := f.requireFailed(t, i, set(t, c.field, json.RawMessage(c.over)))
		require.NotEmpty(t, got.Error)
		require.JSONEq(t, c.at, f.value(t, c.field), c.field)
	}
}

func TestAProviderThatNobodyHasIsNotSet(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Providers = []string{"gemini_cli", "minimax", "script"} })
	for field, wrong := range map[string]string{"current_provider": `"gemini"`, "provider": `"no-such"`,
		"tier3_provider": `"gemini"`} {
		f.queue(t, set(t, field, json.RawMessage(`"gemini-cli"`)))
		f.queue(t, set(t, field, json.RawMessage(`"MiniMax"`)))
		require.JSONEq(t, `"minimax"`, f.value(t, field))
		got := f.requireFailed(t, len(f.failures()), set(t, field, json.RawMessage(wrong)))
		require.Contains(t, got.Error, "the known ones are gemini_cli, minimax, script")
		require.JSONEq(t, `"minimax"`, f.value(t, field))
	}
}

func TestAProviderWithoutEmbeddingsIsNotSetForRetrieval(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Embedders = []string{"gemini", "openai"} })
	f.queue(t, set(t, "rag_emb_provider", json.RawMessage(`"OpenAI"`)))
	got := f.requireFailed(t, 0, set(t, "rag_emb_provider", json.RawMessage(`"anthropic"`)))
	require.Contains(t, got.Error, "it must be a provider that supports embeddings: gemini, openai")
	require.JSONEq(t, `"openai"`, f.value(t, "rag_emb_provider"))
}

// aRoster has one entry of each kind, all of one name.
func aRoster() events.Roster {
	return events.Roster{
		Personas:      []events.Persona{{Name: "mine", SystemPrompt: "Be exact."}},
		ToolPresets:   []events.ToolPreset{{Name: "mine", Tools: []events.PresetTool{{Tool: "read_file"}}}},
		BiasProfiles:  []events.BiasProfile{{Name: "mine", Tools: []events.ToolBias{{Tool: "read_file", Weight: 5}}}},
		PromptPresets: []events.PromptPreset{{Name: "mine"}},
	}
}

func TestAPersonaOrPresetThatTheSessionDoesNotHaveIsNotSet(t *testing.T) {
	t.Parallel()
	f := openEmpty(t)
	f.put("operator", events.SessionOpened{Settings: events.Settings{Roster: aRoster()}})
	for i, field := range []string{"tier1_persona", "tier3_tool_preset", "tier3_bias_profile", "tier4_prompt_preset"} {
		f.queue(t, set(t, field, json.RawMessage(`"mine"`)))
		got := f.requireFailed(t, i, set(t, field, json.RawMessage(`"yours"`)))
		require.Contains(t, got.Error, "it has mine", field)
		require.JSONEq(t, `"mine"`, f.value(t, field))
		f.queue(t, set(t, field, json.RawMessage(`""`)))
		require.JSONEq(t, `""`, f.value(t, field), "taken away again")
	}
	for _, field := range []string{"personas", "tool_presets", "bias_profiles", "prompt_presets"} {
		require.JSONEq(t, `["mine"]`, f.value(t, field), field)
	}
	empty := open(t)
	got := empty.requireFailed(t, 0, set(t, "tier3_persona", json.RawMessage(`"mine"`)))
	require.Contains(t, got.Error, "they come from the files beside config.toml")
}

func TestAnUnknownFieldNamesTheNearest(t *testing.T) {
	t.Parallel()
	f := open(t)
	for i, c := range []struct {
		name string
		near []string
	}{
		{"curent_model", []string{"current_model"}}, {"mma_epic", []string{"mma_epic_input"}},
		{"Temperature", []string{"temperature"}}, {"xyzzy plugh", nil}, {"ui_xyzzy plugh", nil},
	} {
		got := f.requireFailed(t, i, set(t, c.name, json.RawMessage(`"x"`)))
		require.Subset(t, got.Nearest, c.near)
		if c.near == nil {
			require.Empty(t, got.Nearest)
		}
		require.Equal(t, "null", f.value(t, c.name), "as in the original")
	}
	queued := recorded[events.GUITaskQueued](f)
	require.Len(t, queued, 5)
	shown := entriesOf(t, f.get("/api/events?since=0", access.RightHuman), "gui_task_failed")
	require.Len(t, shown, 5)
	require.Equal(t, map[string]any{"action": "set_value", "item": "curent_model", "value": "x"}, shown[0]["task"])
	require.Equal(t, []any{"current_model"}, shown[0]["nearest"])
	require.Contains(t, shown[0]["error"], "current_model")
}

// entriesOf are the payloads of the queue's entries of a type.
func entriesOf(t *testing.T, a answer, typ string) []map[string]any {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status)
	var out []map[string]any
	for _, e := range a.object(t)["events"].([]any) {
		if entry := e.(map[string]any); entry["type"] == typ {
			payload, ok := entry["payload"].(map[string]any)
			require.True(t, ok)
			out = append(out, payload)
		}
	}
	return out
}
