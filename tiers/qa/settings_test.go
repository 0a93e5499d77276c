package qa_test

import (
	"testing"

	"manualslop/events"
	"manualslop/tiers/qa"
	"manualslop/tiers/tierstest"
)

func TestTier4IsAskedUnderTheSettingsOfNow(t *testing.T) {
	t.Parallel()
	asked := func(provider, model, command string, attempt int) []events.Payload {
		return given(tierstest.Addressed(provider, model, command, attempt))
	}
	off, on := true, false
	toCLI := given(events.TierChanged{Tier: 4, Provider: "gemini_cli", Models: []string{"g"}},
		events.ProviderChanged{Provider: "gemini_cli", Command: "/bin/g"})
	disabled := func(s *events.Settings) { s.QADisabled = true }
	tierstest.Run(t, qa.Decider(), scenarios{
		{Name: "first", Given: given(opened(), toCLI), When: settled(), Then: asked("gemini_cli", "g", "/bin/g", 1)},
		{Name: "again", Given: given(opened(), settled(), toCLI), When: failed(events.ModelOverloaded),
			Then: asked("gemini_cli", "g", "/bin/g", 2)},
		{Name: "switched off", Given: given(opened(), events.SettingsChanged{QADisabled: &off}), When: settled(),
			Then: skips("disabled")},
		{Name: "switched on", Given: given(opened(disabled), events.SettingsChanged{QADisabled: &on}), When: settled(),
			Then: asked("script", "q0", "", 1)},
		{Name: "a request on record is not asked again", Given: given(opened(), settled()), When: toCLI[0]},
	})
}
