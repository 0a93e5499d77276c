package events_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func roster() events.Roster {
	return events.Roster{
		Personas: []events.Persona{{Name: "ada", Models: []events.PreferredModel{{Provider: "p", Model: "m"}},
			ToolPreset: "few", BiasProfile: "calm", AggregationStrategy: "full"}},
		ToolPresets: []events.ToolPreset{
			{Name: "few", Tools: []events.PresetTool{{Tool: "read_*", Approval: events.PresetAsk},
				{Tool: "edit_file", Approval: events.PresetAuto}}}},
		BiasProfiles: []events.BiasProfile{{Name: "calm", Tools: []events.ToolBias{{Tool: "edit_file", Weight: 5,
			Parameters: map[string]string{"path": "exact"}}}}},
		PromptPresets: []events.PromptPreset{{Name: "brief", SystemPrompt: "Be\nbrief."}},
	}
}

func many[T any](n int, make func(int) T) []T {
	out := []T{}
	for i := range n {
		out = append(out, make(i))
	}
	return out
}

func TestARosterThatIsRight(t *testing.T) {
	t.Parallel()
	require.NoError(t, roster().Check())
	require.NoError(t, events.Roster{}.Check())
	full := roster()
	full.PromptPresets = many(events.MaxRoster, func(i int) events.PromptPreset {
		return events.PromptPreset{
			Name: fmt.Sprint("p", i)}
	})
	full.PromptPresets[0].SystemPrompt = strings.Repeat("x", events.MaxSystemPrompt)
	full.Personas[0].Models = many(events.MaxPreferredModels, func(int) events.PreferredModel {
		return full.Personas[0].Models[0]
	})
	full.ToolPresets[0].Tools = many(events.MaxPresetTools, func(int) events.PresetTool {
		return events.PresetTool{
			Tool: "a"}
	})
	full.BiasProfiles[0].Tools = many(events.MaxPresetTools, func(int) events.ToolBias {
		return events.ToolBias{
			Tool: "a"}
	})
	require.NoError(t, full.Check())
}

func TestARosterIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*events.Roster)
		says   string
	}{
		"no name": {func(r *events.Roster) { r.Personas[0].Name = "" }, "every persona needs a valid, unique name"},
		"a name twice": {func(r *events.Roster) { r.ToolPresets = append(r.ToolPresets, r.ToolPresets...) },
			"every tool preset needs a valid, unique name"},
		"a lost tool preset": {func(r *events.Roster) { r.Personas[0].ToolPreset = "none" },
			`the persona ada: there is no tool preset "none"`},
		"a lost bias profile": {func(r *events.Roster) { r.Personas[0].BiasProfile = "none" },
			`there is no bias profile "none"`},
		"no model": {func(r *events.Roster) { r.Personas[0].Models[0].Model = "" },
			"model 1 needs a provider and a model name"},
		"no provider": {func(r *events.Roster) { r.Personas[0].Models[0].Provider = "" },
			"model 1 needs a provider and a model name"},
		"a strategy": {func(r *events.Roster) { r.Personas[0].AggregationStrategy = "some" },
			`the aggregation strategy must be auto, summarize or full, got "some"`},
		"a broken glob": {func(r *events.Roster) { r.ToolPresets[0].Tools[0].Tool = "[" }, `"[" is not a valid glob`},
		"an approval":   {func(r *events.Roster) { r.ToolPresets[0].Tools[0].Approval = "yes" }, "must be auto or ask"},
		"auto for a glob": {func(r *events.Roster) { r.ToolPresets[0].Tools[0].Approval = "auto" },
			"approval auto must name one tool"},
		"a weight": {func(r *events.Roster) { r.BiasProfiles[0].Tools[0].Weight = 6 }, "must be from 1 to 5"},
		"a parameter's lines": {func(r *events.Roster) { r.BiasProfiles[0].Tools[0].Parameters["path"] = "a\nb" },
			"must be one line"},
		"a long prompt": {func(r *events.Roster) {
			r.PromptPresets[0].SystemPrompt = strings.Repeat("x", events.MaxSystemPrompt+1)
		}, "at most 16384 are allowed"},
		"a prompt of bytes": {func(r *events.Roster) { r.Personas[0].SystemPrompt = "\xff" }, "must be UTF-8"},
		"too many entries": {func(r *events.Roster) {
			r.PromptPresets = many(events.MaxRoster+1, func(i int) events.PromptPreset {
				return events.PromptPreset{
					Name: fmt.Sprint(i)}
			})
		}, "at most 64 are allowed"},
		"too many models": {func(r *events.Roster) {
			r.Personas[0].Models = many(events.MaxPreferredModels+1, func(int) events.PreferredModel {
				return events.PreferredModel{}
			})
		}, "at most 16 are allowed"},
		"too many tools": {func(r *events.Roster) {
			r.ToolPresets[0].Tools = many(events.MaxPresetTools+1, func(int) events.PresetTool {
				return events.PresetTool{
					Tool: "a"}
			})
		}, "at most 256 are allowed"},
		"too many biased tools": {func(r *events.Roster) {
			r.BiasProfiles[0].Tools = many(events.MaxPresetTools+1, func(int) events.ToolBias {
				return events.ToolBias{
					Tool: "a"}
			})
		}, "at most 256 are allowed"},
		"all of it too large": {func(r *events.Roster) {
			r.PromptPresets = many(17, func(i int) events.PromptPreset {
				return events.PromptPreset{Name: fmt.Sprint(i), SystemPrompt: strings.Repeat("x", events.MaxSystemPrompt)}
			})
		}, "bytes long as JSON"},
	} {
		r := roster()
		c.change(&r)
		require.ErrorContains(t, r.Check(), c.says, name)
	}
}

func TestAManifestsDigestKnowsHowMuchIsShown(t *testing.T) {
	t.Parallel()
	digest := func(head int) string {
		d, err := events.ManifestDigest([]events.Part{{Role: "user", SHA256: "ab", Size: 9, Head: head, From: "01J",
			Index: 1}})
		require.NoError(t, err)
		return d
	}
	require.NotEqual(t, digest(0), digest(5))
	require.NotEqual(t, digest(4), digest(5))
}
