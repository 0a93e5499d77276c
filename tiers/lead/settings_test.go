package lead_test

import (
	"testing"

	"manualslop/events"
	"manualslop/tiers/lead"
	"manualslop/tiers/tierstest"
)

func TestTier2IsAskedUnderTheSettingsOfNow(t *testing.T) {
	t.Parallel()
	requests := func(provider, model, command string, attempt int) []events.Payload {
		return then(tierstest.Addressed(provider, model, command, attempt))
	}
	toCLI := events.TierChanged{Tier: 2, Provider: "gemini_cli", Models: []string{"g0", "g1"}}
	program := events.ProviderChanged{Provider: "gemini_cli", Command: "/bin/g"}
	tierstest.Run(t, lead.Decider(), scenarios{
		{Name: "first", Given: after(then(opened(), startedTrack("TR-1")), toCLI, program), When: built(),
			Then: requests("gemini_cli", "g0", "/bin/g", 1)},
		{Name: "again", Given: after(asked(), toCLI, program), When: failedWith(events.ModelOverloaded),
			Then: requests("gemini_cli", "g0", "/bin/g", 2)},
		{Name: "for a correction", Given: after(asked(), toCLI), When: replied("hm"), Then: requests("gemini_cli", "g1", "",
			1)},
		{Name: "a request on record is not asked again", Given: asked(), When: toCLI},
		{Name: "nothing of a change that does not count", Given: after(asked(), events.TierChanged{Tier: 5, Provider: "x"}),
			When: replied("hm"), Then: requests("script", "m1", "", 1)},
	})
}
