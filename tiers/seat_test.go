package tiers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

func to[T any](v T) *T { return &v }

func staffed() events.Settings {
	return events.Settings{
		Tiers: []events.TierSettings{{Tier: 3, Provider: "gemini", Models: []string{"l0", "l1", "l2"}, Temperature: to(0.5),
			MaxOutputTokens: 100, Effort: "low"}},
		Roster: events.Roster{
			Personas: []events.Persona{
				{Name: "ada", Models: []events.PreferredModel{{Provider: "Anthropic", Model: "p0", Temperature: to(0.1),
					MaxOutputTokens: 900}, {Provider: "gemini-cli", Model: "p1"}}},
				{Name: "bare"},
				{Name: "theirs", Project: true, Models: []events.PreferredModel{{Provider: "gemini", Model: "q",
					MaxOutputTokens: 900}}},
			},
			PromptPresets: []events.PromptPreset{{Name: "short", Temperature: to(0.9), TopP: to(0.8), MaxOutputTokens: 50}},
		},
		Providers: []events.ProviderSettings{{Provider: "gemini_cli", Command: "/bin/g"}},
	}
}

func TestWhoAnswersATicket(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seat            tiers.Seat
		provider, model string
	}{
		"the ladder":                               {tiers.Seat{}, "gemini", "l0"},
		"the ladder's next for a retry":            {tiers.Seat{Retries: 1}, "gemini", "l1"},
		"the ladder's last for every further one":  {tiers.Seat{Retries: 9}, "gemini", "l2"},
		"the persona's first":                      {tiers.Seat{Persona: "ada"}, "anthropic", "p0"},
		"the persona's last for every further one": {tiers.Seat{Persona: "ada", Retries: 2}, "gemini_cli", "p1"},
		"a persona without models":                 {tiers.Seat{Persona: "bare", Retries: 1}, "gemini", "l1"},
		"the ticket's own beats the ladder":        {tiers.Seat{Model: "mine", Retries: 1}, "gemini", "mine"},
		"the ticket's own beats the persona":       {tiers.Seat{Model: "mine", Persona: "ada"}, "gemini", "mine"},
		"the ticket's own among the persona's":     {tiers.Seat{Model: "p1", Persona: "ada"}, "gemini_cli", "p1"},
		"nobody of that name":                      {tiers.Seat{Persona: "eve", Retries: 1}, "gemini", "l1"},
	} {
		c.seat.Tier = 3
		r := tiers.Request(staffed(), c.seat, tiers.Sent{}, nil)
		require.Equal(t, []any{c.provider, c.model}, []any{r.Provider, r.Model}, name)
		again, ok := tiers.NextAttempt(staffed(), c.seat, &tiers.Sent{Asked: r},
			events.ModelFailed{Kind: events.ModelNetwork}, time.Time{})
		require.True(t, ok)
		require.Equal(t, []any{c.provider, c.model}, []any{again.Provider, again.Model}, name)
	}
}

func TestAPersonaThatNobodyHasIsIgnoredAndSaid(t *testing.T) {
	t.Parallel()
	r := tiers.Request(staffed(), tiers.Seat{Tier: 3, Persona: "eve"}, tiers.Sent{}, nil)
	require.Equal(t, []any{"", `there is no persona "eve" in this session`}, []any{r.Persona, r.Note})
	r = tiers.Request(staffed(), tiers.Seat{Tier: 3, Persona: "ada"}, tiers.Sent{}, nil)
	require.Equal(t, []any{"ada", ""}, []any{r.Persona, r.Note})
}

func TestParametersOfTheMostParticular(t *testing.T) {
	t.Parallel()
	s := staffed()
	require.Equal(t, events.ModelParams{Temperature: to(0.1), MaxOutputTokens: 900, Effort: "low"},
		tiers.Request(s, tiers.Seat{Tier: 3, Persona: "ada"}, tiers.Sent{}, nil).Params)
	require.Equal(t, events.ModelParams{Temperature: to(0.5), MaxOutputTokens: 100, Effort: "low"},
		tiers.Request(s, tiers.Seat{Tier: 3, Persona: "ada", Retries: 1}, tiers.Sent{}, nil).Params)
	require.Equal(t, 100, tiers.Request(s, tiers.Seat{Tier: 3, Persona: "theirs"}, tiers.Sent{},
		nil).Params.MaxOutputTokens, "the project's persona raised a limit")
	s.Tiers[0].PromptPreset = "short"
	require.Equal(t, events.ModelParams{Temperature: to(0.5), TopP: to(0.8), MaxOutputTokens: 50, Effort: "low"},
		tiers.Request(s, tiers.Seat{Tier: 3}, tiers.Sent{}, nil).Params)
}

func TestTheTiersOwnPersonaWorksWhereNobodyElseIsAskedFor(t *testing.T) {
	t.Parallel()
	s := staffed()
	s.Tiers[0].Persona = "ada"
	require.Equal(t, "p0", tiers.Request(s, tiers.Seat{Tier: 3}, tiers.Sent{}, nil).Model)
	require.Equal(t, "q", tiers.Request(s, tiers.Seat{Tier: 3, Persona: "theirs"}, tiers.Sent{}, nil).Model)
	eve := tiers.Request(s, tiers.Seat{Tier: 3, Persona: "eve"}, tiers.Sent{}, nil)
	require.Equal(t, []any{"ada", "p0"}, []any{eve.Persona, eve.Model})
	require.NotEmpty(t, eve.Note)
}

func TestPresetsTogetherAreAsStrictAsEach(t *testing.T) {
	t.Parallel()
	mine := events.ToolPreset{Name: "mine", Tools: []events.PresetTool{{Tool: "read_*"},
		{Tool: "edit_file", Approval: "ask"}, {Tool: "run", Approval: "auto"}, {Tool: "put", Approval: "auto"}}}
	other := events.ToolPreset{Name: "other", Tools: []events.PresetTool{{Tool: "read_file", Approval: "ask"},
		{Tool: "*_file", Approval: "auto"}, {Tool: "edit_file", Approval: "auto"}, {Tool: "run"}}}
	p := tiers.Presets{mine, other}
	require.Equal(t, []string{"run", "edit_file", "read_file"}, p.Of([]string{"run", "edit_file", "put", "read_file",
		"read_all"}))
	for tool, want := range map[string][2]string{"edit_file": {"ask", "mine"}, "run": {"auto", "mine"},
		"read_file": {"ask", "other"}, "move_file": {"", ""}} {
		approval, by := p.Approval(tool)
		require.Equal(t, want, [2]string{approval, by}, tool)
	}
	require.Equal(t, []string{"a"}, tiers.Presets(nil).Of([]string{"a"}), "without a preset every tool is there")
	require.Empty(t, tiers.Presets{{Name: "nobody wrote it"}}.Of([]string{"a"}))
}
