package approval_test

import (
	"testing"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// preset is the tier's tool preset of these tests: auto, ask and silent words.
func preset(s *events.Settings) {
	auto := func(tool string) events.PresetTool {
		return events.PresetTool{Tool: tool, Approval: events.PresetAuto}
	}
	s.Tiers = []events.TierSettings{{Tier: 3, ToolPreset: "mine"}}
	s.Roster = events.Roster{
		ToolPresets: []events.ToolPreset{
			{Name: "mine", Tools: []events.PresetTool{
				auto("edit_file"), auto("run_powershell"), auto("save_and_run"), auto("odd"), auto("mcp__fs__write"),
				auto("rename_symbol"), auto("fetch_and_save"),
				{Tool: "read_file", Approval: events.PresetAsk}, {Tool: "move_*"}, {Tool: "look_up"},
			}},
			{Name: "strict", Tools: []events.PresetTool{{Tool: "edit_file", Approval: events.PresetAsk},
				{Tool: "look_up", Approval: events.PresetAuto}}},
		},
		Personas: []events.Persona{{Name: "careful", ToolPreset: "strict"}},
	}
}

func startedAs(persona string) events.TicketStarted {
	return events.TicketStarted{Ticket: events.Ticket{ID: "T-1", PersonaID: persona}, Attempt: 1}
}

func TestWhatAToolPresetSaysOfACall(t *testing.T) {
	t.Parallel()
	with := func(r ...events.Rule) []events.Payload { return given(begin(preset, rules(r...)), startedAs("")) }
	runs := func(r events.ToolRequested, by string) []events.Payload {
		return given(approved(r, "rule", underRule(by)))
	}
	asks, previews := given(decided[events.AskRaised]()), given(decided[events.PreviewRequested]())
	read := wants("c1", "read_file", `{"path":"a"}`)
	call := func(tool string) events.ToolRequested { return wants("c1", tool, `{"path":"a"}`) }
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "auto runs", Given: with(), When: edit, Then: runs(edit, "tool preset mine")},
		{Name: "auto names no path", Given: with(), When: wants("c1", "fetch_and_save", `{}`),
			Then: runs(wants("c1", "fetch_and_save", `{}`), "tool preset mine")},
		{Name: "auto does not beat ask", Given: with(ask("edit_file")), When: edit, Then: previews},
		{Name: "auto does not beat deny", Given: with(deny("edit_file")), When: edit,
			Then: given(deniedSaying("a rule forbids it (test:deny)"))},
		{Name: "auto is for the workspace", Given: with(), When: wants("c1", "edit_file", `{"path":"/etc/a"}`),
			Then: previews},
		{Name: "auto is for no file that steers programs", Given: with(), When: wants("c1", "edit_file",
			`{"path":".git/hooks/x"}`), Then: previews},
		{Name: "auto is for no file that says who may do what", Given: with(), When: wants("c1", "edit_file",
			`{"path":"tool_presets.toml"}`), Then: previews},
		{Name: "auto is not for a shell", Given: with(), When: shell, Then: asks},
		{Name: "nor for what writes and runs", Given: with(), When: call("save_and_run"), Then: previews},
		{Name: "nor for an unknown effect", Given: with(), When: call("odd"), Then: asks},
		{Name: "nor for what goes beyond the files it names", Given: with(), When: call("rename_symbol"), Then: previews},
		{Name: "nor for an external tool", Given: with(), When: call("mcp__fs__write"), Then: previews},
		{Name: "a shell that a rule allows runs", Given: with(allow("run_powershell")), When: shell,
			Then: runs(shell, "test:allow")},
		{Name: "ask asks, even to read", Given: with(), When: read, Then: asks},
		{Name: "ask asks, whatever a rule allows", Given: with(allow("*")), When: read, Then: asks},
		{Name: "a tool without a word is up to the rules", Given: with(), When: call("move_file"), Then: previews},
		{Name: "and to its effect", Given: with(), When: call("look_up"), Then: runs(call("look_up"), "reads run")},
		{
			Name: "a tool that is not in it is unknown", Given: with(allow("*")), When: call("web_search"),
			Then: given(refused(call("web_search"), "engine", "", "unknown tool web_search; there are "+
				"edit_file, fetch_and_save, look_up, mcp__fs__write, move_file, odd, read_file, rename_symbol, run_powershell, "+
				"save_and_run")),
		},
	})
}

func TestAPersonasPresetIsBoundByTheTiers(t *testing.T) {
	t.Parallel()
	as := func(persona string) []events.Payload { return given(begin(preset), startedAs(persona)) }
	careful := "careful"
	shellCall, look := shell, wants("c1", "look_up", `{}`)
	personal := edit
	personal.Ticket = ""
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "ask beats the tier's auto", Given: as("careful"), When: edit,
			Then: given(decided[events.PreviewRequested]())},
		{Name: "what only the tier has is unknown", Given: as("careful"), When: shellCall,
			Then: given(deniedSaying("unknown tool run_powershell; there are edit_file, look_up"))},
		{Name: "auto of both", Given: as("careful"), When: look,
			Then: given(approved(look, "rule", underRule("tool preset strict")))},
		{Name: "ask of the persona that a person gave the tier", Given: given(as(""), events.TierChanged{Tier: 3,
			Persona: &careful}), When: edit,
			Then: given(decided[events.PreviewRequested]())},
		{Name: "nobody of that name is the tier's", Given: as("eve"), When: edit,
			Then: given(approved(edit, "rule", underRule("tool preset mine")))},
		{
			Name: "the next attempt may be somebody else's", Given: given(as("careful"), startedAs("")), When: edit,
			Then: given(approved(edit, "rule", underRule("tool preset mine"))),
		},
		{Name: "a person's own call is under no preset", Given: as("careful"), When: personal,
			Then: given(decided[events.PreviewRequested]())},
	})
}

func TestAPresetThatIsNotThereHasNoTools(t *testing.T) {
	t.Parallel()
	lost := func(s *events.Settings) { s.Tiers = []events.TierSettings{{Tier: 3, ToolPreset: "lost"}} }
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "nothing runs", Given: given(begin(lost, rules(allow("*"))), startedAs("")), When: wants("c1", "read_file",
			`{"path":"a"}`), Then: given(deniedSaying("unknown tool read_file"))},
	})
}
