package contributor_test

import (
	"testing"

	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tiers/tierstest"
)

// addressed checks who is asked in the next request.
func addressed(provider, model, command string, attempt int) []events.Payload {
	return given(tierstest.Addressed(provider, model, command, attempt))
}

func TestTheNextRequestIsAskedUnderTheSettingsOfNow(t *testing.T) {
	t.Parallel()
	toCLI := events.TierChanged{Tier: 3, Provider: "gemini_cli", Models: []string{"g0", "g1"}}
	program := events.ProviderChanged{Provider: "gemini-cli", Command: "/bin/g"}
	retried := func(p *events.TicketStarted) { p.Ticket.RetryCount = 1 }
	own := func(p *events.TicketStarted) { p.Ticket.ModelOverride = "mine" }
	one := 1
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "before the first", Given: given(opened(), toCLI, program, starts(1)), When: context(),
			Then: addressed("gemini_cli", "g0", "/bin/g", 1)},
		{Name: "in whatever spelling they were opened", Given: given(opened(func(s *events.Settings) {
			s.Tiers[0].Provider, s.Providers = "gemini-cli", []events.ProviderSettings{{Provider: "gemini-cli",
				Command: "/bin/g"}}
		}), starts(1)), When: context(), Then: addressed("gemini_cli", "m1", "/bin/g", 1)},
		{Name: "of an attempt that has begun", Given: given(opened(), starts(1), toCLI, program), When: context(),
			Then: addressed("gemini_cli", "g0", "/bin/g", 1)},
		{Name: "between rounds", Given: given(round1(), reply("", read), approve(0), settle(0, events.ToolDone, "x"), toCLI),
			When: reread(), Then: addressed("gemini_cli", "g0", "", 1)},
		{Name: "of another try", Given: given(round1(), toCLI, program), When: failed(events.ModelOverloaded),
			Then: addressed("gemini_cli", "g0", "/bin/g", 2)},
		{Name: "of a retried ticket", Given: given(opened(), starts(2, retried), toCLI), When: context(),
			Then: addressed("gemini_cli", "g1", "", 1)},
		{Name: "of a ticket with a model of its own", Given: given(opened(), starts(1, own), toCLI), When: context(),
			Then: addressed("gemini_cli", "mine", "", 1)},
		{Name: "for all tiers", Given: given(opened(), starts(1), events.TierChanged{Models: []string{"x"}}), When: context(),
			Then: addressed("script", "x", "", 1)},
		{Name: "but not for another tier", Given: given(opened(), starts(1), events.TierChanged{Tier: 2,
			Models: []string{"x"}}), When: context(), Then: addressed("script", "m1", "", 1)},
		{Name: "but not if nothing of it counts", Given: given(opened(), starts(1), events.TierChanged{Tier: 3, Provider: "x",
			Models: []string{""}}), When: context(), Then: addressed("script", "m1", "", 1)},
		{Name: "a request on record is not asked again", Given: round1(), When: toCLI},
		{Name: "fewer rounds", Given: given(round1(), reply("", read), approve(0), settle(0, events.ToolDone, "x"),
			events.TierChanged{Tier: 3, MaxRounds: &one}), When: reread(),
			Then: given(ends("blocked", "", "no end after 1 rounds"))},
	})
}
