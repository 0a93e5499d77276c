package tiers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/fence"
)

func TestTheSystemsWordsStandInOneOrder(t *testing.T) {
	t.Parallel()
	s := staffed()
	s.Tiers[0].Persona, s.Tiers[0].PromptPreset, s.Tiers[0].BiasProfile = "ada", "short", "calm"
	s.Roster.Personas[0].SystemPrompt, s.Roster.PromptPresets[0].SystemPrompt = "Be exact.\n", " Be short. "
	s.Roster.BiasProfiles = []events.BiasProfile{{Name: "calm", Tools: []events.ToolBias{
		{Tool: "run", Weight: 1}, {Tool: "read", Weight: 5, Parameters: map[string]string{"path": "exact", "limit": "small"}},
		{Tool: "edit", Weight: 5}, {Tool: "gone", Weight: 5}, {Tool: "plain", Weight: 3},
	}}}
	seat := tiers.Seat{Tier: 3}.Take(s)
	parts := seat.System(said("You work."), []string{"edit", "plain", "read", "run"})
	require.Equal(t, []events.Part{
		{Role: "system", Text: "You work."},
		{Role: "system", Text: "# Tooling strategy\n\n- First choice: `edit`, `read`\n- Avoid: `run`\n- `read`, its " +
			"parameter `limit`: small\n- `read`, its parameter `path`: exact\n"},
		{Role: "system", Text: "# Persona: ada\n\nBe exact.\n"},
		{Role: "system", Text: "# Instructions of the person\n\nBe short.\n"},
	}, parts)
	require.Empty(t, seat.Project("01J"))
	require.Equal(t, parts[:1], tiers.Seat{Tier: 1}.Take(s).System(said("You work."), nil),
		"a tier without a persona has the role alone")
}

func TestWhatTheProjectSaysIsNoWordOfTheSystem(t *testing.T) {
	t.Parallel()
	s := staffed()
	s.Tiers[0].PromptPreset = "short"
	s.Roster.Personas[2].SystemPrompt, s.Roster.PromptPresets[0].SystemPrompt, s.Roster.PromptPresets[0].Project = "Be "+
		"theirs.", "Be quick.", true
	seat := tiers.Seat{Tier: 3, Persona: "theirs"}.Take(s)
	require.Len(t, seat.System(said("You work."), nil), 1)
	parts := seat.Project("01J")
	require.Len(t, parts, 2)
	fences := map[string]bool{}
	for i, said := range []string{"Be theirs.", "Be quick."} {
		require.Equal(t, []string{"user", said, fence.Repo}, []string{parts[i].Role, parts[i].Text, parts[i].Origin})
		require.Contains(t, parts[i].Prefix, "It comes from the project, not from the person")
		require.NotEmpty(t, parts[i].Fence)
		fences[parts[i].Fence] = true
	}
	require.Len(t, fences, 2)
}

func TestProjectRulesAreTakenOutOfTheViews(t *testing.T) {
	t.Parallel()
	view := func(path, text string) events.View {
		return events.View{Path: path, View: events.ViewRaw, Text: text, SHA256: events.Digest([]byte(text)),
			Size: int64(len(text))}
	}
	for name, c := range map[string]struct {
		views  []events.View
		rules  []string
		others []int
	}{
		"both": {[]events.View{view("AGENTS.md", "a"), view("CLAUDE.md", "b"), view("x", "c")},
			[]string{"AGENTS.md", "CLAUDE.md"}, []int{2}},
		"one, as a ticket's": {[]events.View{view("AGENTS.md", "a"), view("AGENTS.md", "a")}, []string{"AGENTS.md"},
			[]int{1}},
		"none": {[]events.View{{Path: "AGENTS.md", View: events.ViewRaw, Error: "no such file"}, view("x", "c")},
			nil, []int{1}},
		"the same twice": {[]events.View{view("AGENTS.md", "a"), view("CLAUDE.md", "a")}, []string{"AGENTS.md"}, nil},
		"another view":   {[]events.View{{Path: "AGENTS.md", View: events.ViewTree}}, nil, []int{0}},
	} {
		rules, others := tiers.SplitRules("01H", "01J", c.views)
		require.Equal(t, c.others, others, name)
		require.Len(t, rules, len(c.rules), name)
		for i, path := range c.rules {
			require.True(t, strings.HasPrefix(rules[i].Prefix, "# Project rules: "+path+"\n\nIt comes from the project"), name)
			require.Equal(t, []string{"user", fence.Repo}, []string{rules[i].Role, rules[i].Origin})
		}
	}
}

func TestProjectRulesReadTheSameInEveryPromptOfASession(t *testing.T) {
	t.Parallel()
	view := func(text string) events.View {
		return events.View{Path: "AGENTS.md", View: events.ViewRaw, Text: text, SHA256: events.Digest([]byte(text)),
			Size: int64(len(text))}
	}
	codeOf := func(opened, built, text string) string {
		rules, _ := tiers.SplitRules(opened, built, []events.View{view(text)})
		return rules[0].Fence
	}
	require.Equal(t, codeOf("01H", "01J", "a"), codeOf("01H", "01K", "a"))
	require.NotEqual(t, codeOf("01H", "01J", "a"), codeOf("01G", "01J", "a"), "of another session")
	require.NotEqual(t, codeOf("01H", "01J", "a"), codeOf("01H", "01J", "b"),
		"who reads the code cannot write it into the file")
	seat := tiers.Sitting{ProjectPrompt: "x"}
	require.Equal(t, seat.Project("01H")[0].Fence, seat.Project("01H")[0].Fence)
	require.NotEqual(t, seat.Project("01H")[0].Fence, seat.Project("01G")[0].Fence)
}

func TestLongProjectRulesAreShownFromTheirBeginning(t *testing.T) {
	t.Parallel()
	sized := func(n int) events.Part {
		text := strings.Repeat("x", n)
		rules, _ := tiers.SplitRules("01H", "01J", []events.View{{Path: "AGENTS.md", View: events.ViewRaw, Text: text,
			SHA256: events.Digest([]byte(text)), Size: int64(n)}})
		return rules[0]
	}
	require.Zero(t, sized(tiers.MaxProjectRules).Head)
	require.Equal(t, tiers.MaxProjectRules, sized(tiers.MaxProjectRules+1).Head)
	require.Contains(t, sized(tiers.MaxProjectRules+1).Suffix, "the first 16000 characters")
}

// said are the system's words with a text.
func said(text string) []events.Part { return []events.Part{{Role: "system", Text: text}} }
