package events_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func to[T any](v T) *T { return &v }

func someSettings() events.Settings {
	return events.Settings{MaxWorkers: 4, MaxRetries: 2, PlanReview: true, Tiers: []events.TierSettings{
		{Tier: 1, Provider: "gemini", Models: []string{"a"}, MaxRounds: 40}, {Tier: 3, Provider: "gemini",
			Models: []string{"b", "c"}, Temperature: to(0.5)},
	}, Providers: []events.ProviderSettings{{Provider: "other", Command: "/bin/other"}}, Roster: events.Roster{
		Personas: []events.Persona{{Name: "ada"}}, ToolPresets: []events.ToolPreset{{Name: "few"}},
		BiasProfiles: []events.BiasProfile{{Name: "calm"}}, PromptPresets: []events.PromptPreset{{Name: "brief"}},
	}}
}

func TestAChangeChangesWhatItNamesAndNothingElse(t *testing.T) {
	t.Parallel()
	tier3 := func(change func(*events.TierSettings)) func(*events.Settings) {
		return func(s *events.Settings) { change(&s.Tiers[1]) }
	}
	for name, c := range map[string]struct {
		change events.Payload
		want   func(*events.Settings)
	}{
		"step mode": {events.StepModeSet{On: true}, func(s *events.Settings) { s.StepMode = true }},
		"provider": {events.TierChanged{Tier: 3, Provider: "script"},
			tier3(func(t *events.TierSettings) { t.Provider = "script" })},
		"its aliases": {events.TierChanged{Tier: 3, Provider: "gemini-cli"},
			tier3(func(t *events.TierSettings) { t.Provider = "gemini_cli" })},
		"the ladder": {events.TierChanged{Tier: 3, Models: []string{"x"}},
			tier3(func(t *events.TierSettings) { t.Models = []string{"x"} })},
		"parameters": {events.TierChanged{Tier: 3, Temperature: to(0.0), TopP: to(1.0), MaxOutputTokens: to(9),
			MaxRounds: to(1)},
			tier3(func(t *events.TierSettings) {
				t.Temperature, t.TopP, t.MaxOutputTokens, t.MaxRounds = to(0.0), to(1.0), 9, 1
			})},
		"whom it works as and with": {events.TierChanged{Tier: 3, Persona: to("ada"), ToolPreset: to("few"),
			BiasProfile: to("calm"), PromptPreset: to("brief")},
			tier3(func(t *events.TierSettings) {
				t.Persona, t.ToolPreset, t.BiasProfile, t.PromptPreset = "ada", "few", "calm", "brief"
			})},
		"a tier that was not recorded": {events.TierChanged{Tier: 4, Provider: "script"}, func(s *events.Settings) {
			s.Tiers = append(s.Tiers, events.TierSettings{Tier: 4, Provider: "script"})
		}},
		"all four": {events.TierChanged{Models: []string{"x"}}, func(s *events.Settings) {
			s.Tiers[0].Models, s.Tiers[1].Models = []string{"x"}, []string{"x"}
			s.Tiers = append(s.Tiers, events.TierSettings{Tier: 2, Models: []string{"x"}}, events.TierSettings{Tier: 4,
				Models: []string{"x"}})
		}},
		"a program": {events.ProviderChanged{Provider: "gemini-cli", Command: "/opt/with space/gemini"},
			func(s *events.Settings) {
				s.Providers = append(s.Providers, events.ProviderSettings{Provider: "gemini_cli",
					Command: "/opt/with space/gemini"})
			}},
		"what the project says": {
			events.ProjectLoaded{Document: json.RawMessage(`{"project":{"name":"x","system_prompt":"Be brief."}}`)},
			func(s *events.Settings) { s.ProjectPrompt = "Be brief." }},
		"no program": {events.ProviderChanged{Provider: "gemini_cli"}, func(*events.Settings) {}},
		"the session's limits": {events.SettingsChanged{MaxWorkers: to(1), MaxRetries: to(0)}, func(s *events.Settings) {
			s.MaxWorkers, s.MaxRetries = 1, 0
		}},
		"the session's gates": {events.SettingsChanged{SpawnApproval: to(true), PlanReview: to(false), QADisabled: to(true)},
			func(s *events.Settings) {
				s.SpawnApproval, s.PlanReview, s.QADisabled = true, false, true
			}},
	} {
		before, want := someSettings(), someSettings()
		after, changed := before.Changed(c.change)
		require.True(t, changed, name)
		require.Equal(t, someSettings(), before, "%s: the settings it was called on are shared", name)
		c.want(&want)
		require.Equal(t, want, after, name)
	}
	after, changed := someSettings().Changed(events.PauseRequested{})
	require.False(t, changed)
	require.Equal(t, someSettings(), after)
}

func TestANameThatTheRosterDoesNotHaveNeverCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []events.TierChanged{{Persona: to("few")}, {Tier: 3, ToolPreset: to("ada")},
		{BiasProfile: to("Calm")}, {Tier: 1, PromptPreset: to("x")}} {
		after, changed := someSettings().Changed(c)
		require.False(t, changed)
		require.Equal(t, someSettings(), after)
		require.ErrorIs(t, c.CheckNames(someSettings().Roster), events.ErrSetting)
	}
	set, _ := someSettings().Changed(events.TierChanged{Tier: 3, Persona: to("ada"), ToolPreset: to("few")})
	unset, changed := set.Changed(events.TierChanged{Tier: 3, Persona: to(""), ToolPreset: to("")})
	require.True(t, changed)
	require.Equal(t, someSettings(), unset)
}

func TestWhatTheProjectSaysFollowsItsDocument(t *testing.T) {
	t.Parallel()
	s, _ := someSettings().Changed(events.ProjectLoaded{
		Document: json.RawMessage(`{"project":{"system_prompt":"Be brief."}}`)})
	longest := strings.Repeat("x", events.MaxSystemPrompt)
	for changes, want := range map[string]string{
		`{"project":{"name":"x"}}`: "Be brief.", `{"files":{}}`: "Be brief.",
		`{"project":{"system_prompt":"Use tabs."}}`: "Use tabs.", `{"project":{"system_prompt":null}}`: "",
		`{"project":null}`: "",
		`{"project":7}`:    "", `{"project":{"system_prompt":7}}`: "", `{"project":{"system_prompt":"` + longest +
			`"}}`: longest, `{"project":{"system_prompt":"` + longest + `x"}}`: "", `7`: "Be brief.",
	} {
		after, changed := s.Changed(events.ProjectEdited{Changes: json.RawMessage(changes)})
		require.True(t, changed)
		require.Equal(t, want, after.ProjectPrompt, "%.80s", changes)
	}
	other, _ := s.Changed(events.ProjectLoaded{Document: json.RawMessage(`{}`)})
	require.Empty(t, other.ProjectPrompt, "another project says nothing")
}

func TestTheProgramOfAProviderIsFoundByItsName(t *testing.T) {
	t.Parallel()
	s, _ := someSettings().Changed(events.ProviderChanged{Provider: "gemini_cli", Command: "/bin/g"})
	require.Equal(t, "/bin/g", s.Command("gemini_cli"))
	require.Equal(t, "/bin/g", s.Command("gemini-cli"))
	foreign := events.Settings{Providers: []events.ProviderSettings{{Provider: "gemini-cli", Command: "/bin/f"}}}
	require.Equal(t, "/bin/f", foreign.Command("gemini_cli"))
	foreign, _ = foreign.Changed(events.ProviderChanged{Provider: "gemini_cli"})
	require.Empty(t, foreign.Providers)
	require.Equal(t, "/bin/other", s.Command("other"))
	require.Empty(t, s.Command("script"))
}

// refusable is a change that can be looked at before it is said.
type refusable interface {
	events.Payload
	Check() error
}

func TestAChangeBeyondALimitIsRefusedAndNeverCounts(t *testing.T) {
	t.Parallel()
	names := func(n int) []string { return strings.Split(strings.Repeat("m ", n-1)+"m", " ") }
	long := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string][2]refusable{
		"tier":       {events.TierChanged{Tier: 4, Provider: "p"}, events.TierChanged{Tier: 5, Provider: "p"}},
		"tier below": {events.TierChanged{Tier: 0, Provider: "p"}, events.TierChanged{Tier: -1, Provider: "p"}},
		"nothing":    {events.TierChanged{Tier: 1, TopP: to(0.0)}, events.TierChanged{Tier: 1}},
		"no models":  {events.TierChanged{Models: names(1)}, events.TierChanged{Models: []string{}}},
		"models": {events.TierChanged{Models: names(events.MaxModels)},
			events.TierChanged{Models: names(events.MaxModels + 1)}},
		"an empty model": {events.TierChanged{Models: names(2)}, events.TierChanged{Models: []string{"m", ""}}},
		"a model's name": {events.TierChanged{Models: []string{long(events.MaxModelName)}},
			events.TierChanged{Models: []string{long(events.MaxModelName + 1)}}},
		"a model's escape": {events.TierChanged{Models: []string{"a b"}}, events.TierChanged{Models: []string{"a\x1bb"}}},
		"a provider's name": {events.TierChanged{Provider: long(events.MaxProviderName)},
			events.TierChanged{Provider: long(events.MaxProviderName + 1)}},
		"a provider's dot": {events.TierChanged{Provider: "a-b_c"}, events.TierChanged{Provider: "a.b"}},
		"temperature": {events.TierChanged{Temperature: to(2.0)},
			events.TierChanged{Temperature: to(math.Nextafter(2, 3))}},
		"temperature below": {events.TierChanged{Temperature: to(0.0)}, events.TierChanged{Temperature: to(-0.1)}},
		"no temperature":    {events.TierChanged{Temperature: to(1.0)}, events.TierChanged{Temperature: to(math.NaN())}},
		"top_p":             {events.TierChanged{TopP: to(1.0)}, events.TierChanged{TopP: to(1.01)}},
		"max_output_tokens": {events.TierChanged{MaxOutputTokens: to(events.MaxOutputTokens)},
			events.TierChanged{MaxOutputTokens: to(events.MaxOutputTokens + 1)}},
		"no output": {events.TierChanged{MaxOutputTokens: to(0)}, events.TierChanged{MaxOutputTokens: to(-1)}},
		"max_rounds": {events.TierChanged{MaxRounds: to(events.MaxRounds)},
			events.TierChanged{MaxRounds: to(events.MaxRounds + 1)}},
		"no rounds": {events.TierChanged{MaxRounds: to(1)}, events.TierChanged{MaxRounds: to(0)}},
		"one of two": {events.TierChanged{TopP: to(1.0), MaxRounds: to(1)}, events.TierChanged{TopP: to(1.0),
			MaxRounds: to(0)}},
		"a provider": {events.ProviderChanged{Provider: "gemini_cli"}, events.ProviderChanged{}},
		"one without any": {events.ProviderChanged{Provider: "gemini-cli"}, events.ProviderChanged{Provider: "gemini",
			Command: "/bin/g"}},
		"a relative path": {events.ProviderChanged{Provider: "gemini_cli", Command: "/bin/g"},
			events.ProviderChanged{Provider: "gemini_cli", Command: "bin/g"}},
		"a bare name": {events.ProviderChanged{Provider: "gemini_cli", Command: "/g"},
			events.ProviderChanged{Provider: "gemini_cli", Command: "g"}},
		"a drive alone": {events.ProviderChanged{Provider: "gemini_cli", Command: `C:\g`},
			events.ProviderChanged{Provider: "gemini_cli", Command: `C:g.exe`}},
		"a network share": {events.ProviderChanged{Provider: "gemini_cli", Command: `c:/g`},
			events.ProviderChanged{Provider: "gemini_cli", Command: `\\host\g.exe`}},
		"a long path": {events.ProviderChanged{Provider: "gemini_cli", Command: "/" + long(events.MaxCommand-1)},
			events.ProviderChanged{Provider: "gemini_cli", Command: "/" + long(events.MaxCommand)}},
		"a path's NUL": {events.ProviderChanged{Provider: "gemini_cli", Command: "/é"},
			events.ProviderChanged{Provider: "gemini_cli", Command: "/a\x00b"}},
		"workers": {events.SettingsChanged{MaxWorkers: to(events.MaxWorkers)},
			events.SettingsChanged{MaxWorkers: to(events.MaxWorkers + 1)}},
		"no workers": {events.SettingsChanged{MaxWorkers: to(1)}, events.SettingsChanged{MaxWorkers: to(0)}},
		"retries": {events.SettingsChanged{MaxRetries: to(events.MaxRetries)},
			events.SettingsChanged{MaxRetries: to(events.MaxRetries + 1)}},
		"retries below": {events.SettingsChanged{MaxRetries: to(0)}, events.SettingsChanged{MaxRetries: to(-1)}},
		"no setting":    {events.SettingsChanged{PlanReview: to(false)}, events.SettingsChanged{}},
	} {
		require.NoError(t, c[0].Check(), name)
		_, changed := someSettings().Changed(c[0])
		require.True(t, changed, name)
		require.ErrorIs(t, c[1].Check(), events.ErrSetting, name)
		after, changed := someSettings().Changed(c[1])
		require.False(t, changed, name)
		require.Equal(t, someSettings(), after, name)
	}
}

func TestAProviderHasOneProgramUntilItIsTakenAway(t *testing.T) {
	t.Parallel()
	var s events.Settings
	for _, program := range []string{"/bin/one", "/bin/two"} {
		s, _ = s.Changed(events.ProviderChanged{Provider: "gemini-cli", Command: program})
		require.Equal(t, []events.ProviderSettings{{Provider: "gemini_cli", Command: program}}, s.Providers)
	}
	s, changed := s.Changed(events.ProviderChanged{Provider: "gemini_cli"})
	require.True(t, changed)
	require.Empty(t, s.Providers)
}

func TestBodiesWithoutProgramsReadAsBefore(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ModelRequested", "SessionOpened"} {
		d, ok := events.Catalogue().Lookup(name)
		require.True(t, ok)
		body, err := json.Marshal(d.Sample)
		require.NoError(t, err)
		require.NotContains(t, string(body), "command")
		require.NotContains(t, string(body), "providers")
	}
}

func TestOnlyAPersonChangesSettings(t *testing.T) {
	t.Parallel()
	for _, p := range []events.Payload{events.TierChanged{}, events.ProviderChanged{}, events.SettingsChanged{},
		events.SessionOpened{}} {
		d, ok := events.Catalogue().Lookup(p.EventType().Name)
		require.True(t, ok)
		require.True(t, d.MayWrite("ada"))
		for _, actor := range append(events.Deciders(), "worker-h-1", "agent-ci", events.ActorGateway, events.ActorModels,
			events.ActorTimers) {
			require.False(t, d.MayWrite(actor), "%s by %s", d.Type.Name, actor)
		}
	}
}
