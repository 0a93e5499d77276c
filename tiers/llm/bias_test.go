package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

func TestNudges(t *testing.T) {
	t.Parallel()
	offer := events.ToolOffer{Name: "edit_file", Description: "Edit.",
		Schema: json.RawMessage(
			`{"type":"object","properties":{"path":{"description":"which file","type":"string"},"n":{"maximum":12345678901234567890,"type":"integer"},"any":true}}`)}
	profile := func(weight int, words map[string]string) events.BiasProfile {
		return events.BiasProfile{Name: "b", Tools: []events.ToolBias{{Tool: "edit_file", Weight: weight, Parameters: words}}}
	}
	for weight, text := range map[int]string{0: "Edit.", 1: "[AVOID] Edit.", 2: "[LOW PRIORITY] Edit.", 3: "Edit.",
		4: "[PREFERRED] Edit.", 5: "[HIGH PRIORITY] Edit."} {
		got := llm.Nudge(offer, profile(weight, nil))
		require.Equal(t, text, got.Description)
		require.Equal(t, offer.Schema, got.Schema)
	}
	got := llm.Nudge(offer, profile(3, map[string]string{"path": "exact", "n": "small", "any": "x", "lost": "y"}))
	require.JSONEq(t, `{"type":"object","properties":{"path":{"description":"[exact] which file","type":"string"},"n":{"description":"[small]","maximum":12345678901234567890,"type":"integer"},"any":true}}`, string(got.Schema))
	require.Contains(t, string(got.Schema), "12345678901234567890", "a number lost its digits")
	for range 20 {
		require.Equal(t, string(got.Schema),
			string(llm.Nudge(offer, profile(3, map[string]string{"n": "small", "path": "exact"})).Schema))
	}
	require.Equal(t, offer, llm.Nudge(offer, profile(3, map[string]string{"lost": "y"})),
		"nothing to say, and not the same")
	require.Equal(t, offer, llm.Nudge(offer, events.BiasProfile{}))
	broken := events.ToolOffer{Name: "edit_file", Schema: json.RawMessage(`true`)}
	require.Equal(t, broken, llm.Nudge(broken, profile(3, map[string]string{"path": "x"})))
}

func TestARecordShowsToolsAsTheRequestsBiasProfileDoes(t *testing.T) {
	t.Parallel()
	var r llm.Record
	take := func(p events.Payload) { r.Take(&events.Event{Payload: p}) }
	take(events.SessionOpened{Settings: events.Settings{Roster: events.Roster{BiasProfiles: []events.BiasProfile{
		{Name: "calm", Tools: []events.ToolBias{{Tool: "a", Weight: 5}}}}}}})
	take(events.ToolsOffered{Tools: []events.ToolOffer{{Name: "a", Description: "A."}, {Name: "b", Description: "B."}}})
	described := func(profile string) []string {
		asked := events.ModelRequested{Tools: []string{"b", "a"}, BiasProfile: profile,
			Manifest: []events.Part{{Role: "user", Text: "hi"}}}
		digest, err := events.ManifestDigest(asked.Manifest)
		require.NoError(t, err)
		asked.SHA256 = digest
		r.Take(&events.Event{ID: "asked by " + profile, Payload: asked})
		got, err := r.Request("asked by "+profile, asked, nil)
		require.NoError(t, err)
		var out []string
		for _, tool := range got.Tools {
			out = append(out, tool.Description)
		}
		return out
	}
	require.Equal(t, []string{"B.", "[HIGH PRIORITY] A."}, described("calm"))
	require.Equal(t, []string{"B.", "A."}, described(""))
	require.Equal(t, []string{"B.", "A."}, described("lost"))
}
