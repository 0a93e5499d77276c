package hookgw_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/tiers"
	"manualslop/tiers/planner"
)

func TestTheNextModelCallUsesWhatTheFieldsSay(t *testing.T) {
	t.Parallel()
	f := openEmpty(t)
	var every []events.TierSettings
	for n := 1; n <= 4; n++ {
		every = append(every, events.TierSettings{Tier: n, Provider: "script", Models: []string{"m0"}})
	}
	f.put(person, events.SessionOpened{Folder: "20260102_030405", Settings: events.Settings{MaxWorkers: 1, Tiers: every}})
	f.put(person, events.ToolsOffered{})
	f.deciding(map[string]func() *tiers.Machine{events.ActorPlanner: func() *tiers.Machine {
		return planner.Decider().Start()
	}})
	next := func() events.ModelRequested {
		t.Helper()
		f.queue(t, `{"action":"click","item":"btn_mma_plan_epic"}`)
		return f.firstCall(t)
	}
	f.queue(t, `{"action":"set_value","item":"mma_epic_input","value":"Mend it"}`)
	got := next()
	require.Equal(t, "script", got.Provider)
	require.Equal(t, "m0", got.Model)
	for field, value := range map[string]string{
		"current_provider": `"gemini-cli"`, "current_model": `"gemini-3"`, "gcli_path": `"/opt/gemini"`,
		"temperature": `0.25`, "top_p": `0.5`, "max_tokens": `4096`,
	} {
		f.queue(t, set(t, field, json.RawMessage(value)))
	}
	got = next()
	require.Equal(t, "gemini_cli", got.Provider)
	require.Equal(t, "gemini-3", got.Model)
	require.Equal(t, "/opt/gemini", got.Command)
	require.InDelta(t, 0.25, *got.Params.Temperature, 0)
	require.InDelta(t, 0.5, *got.Params.TopP, 0)
	require.Equal(t, 4096, got.Params.MaxOutputTokens)
	f.queue(t, set(t, "tier1_model", json.RawMessage(`"gemini-4"`)))
	require.Equal(t, "gemini-4", next().Model)
	f.queue(t, set(t, "tier3_model", json.RawMessage(`"gemini-5"`)))
	require.Equal(t, "gemini-4", next().Model, "the field of another tier is another tier's")
	require.Empty(t, f.failures())
}

func TestAnotherProviderTakesItsOwnModels(t *testing.T) {
	t.Parallel()
	f := openEmpty(t, func(c *core.Config) {
		c.ModelsAt = func(now events.TierSettings, provider string) []string {
			if provider == "keeps" {
				return nil
			}
			return []string{fmt.Sprint(now.Tier, " ", now.Models[0], " at ", provider)}
		}
	})
	every := []events.TierSettings{{Tier: 1, Provider: "script", Models: []string{"m1"}},
		{Tier: 3, Provider: "script", Models: []string{"m3"}}}
	f.put(person, events.SessionOpened{Folder: "20260102_030405", Settings: events.Settings{Tiers: every}})
	f.queue(t, set(t, "current_provider", json.RawMessage(`"gemini"`)))
	require.JSONEq(t, `"3 m3 at gemini"`, f.value(t, "current_model"))
	f.queue(t, set(t, "tier1_model", json.RawMessage(`"mine"`)))
	f.queue(t, set(t, "tier1_provider", json.RawMessage(`"openai"`)))
	require.JSONEq(t, `"1 mine at openai"`, f.value(t, "tier1_model"))
	require.JSONEq(t, `"3 m3 at gemini"`, f.value(t, "current_model"))
	f.queue(t, set(t, "current_provider", json.RawMessage(`"keeps"`)))
	require.JSONEq(t, `"3 m3 at gemini"`, f.value(t, "current_model"))
	require.JSONEq(t, `"1 mine at openai"`, f.value(t, "tier1_model"))
	require.Empty(t, f.failures())
}

// firstCall is the first model call of the goal submitted last. The worker is
// played: it shows the planner nothing. Then the goal is given up.
func (f *fixture) firstCall(t *testing.T) events.ModelRequested {
	t.Helper()
	given := 0
	over := len(recorded[events.GoalFailed](f))
	goal := f.expect("GoalSubmitted", func(events.Event) bool { given++; return given > over })
	views := f.expect("ContextRequested", func(e events.Event) bool { return e.Seq > goal.Seq })
	f.put("worker-1", events.ContextBuilt{Request: views.ID})
	asked := f.expect("ModelRequested", func(e events.Event) bool { return e.Seq > goal.Seq })
	f.put(events.ActorConductor, events.GoalFailed{Goal: goal.ID})
	p, ok := asked.Payload.(events.ModelRequested)
	require.True(t, ok)
	return p
}
