package lead_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/basis"
	"manualslop/tiers/lead"
	"manualslop/tiers/tierstest"
)

// staffed is a session whose lead is told of two personas.
func staffed() []events.Payload {
	return then(events.SessionOpened{Basis: basis.Of("test"), Settings: events.Settings{
		Tiers: []events.TierSettings{{Tier: 2, Provider: "script", Models: []string{"m0", "m1"}},
			{Tier: 3, Provider: "script", Models: []string{"small"}}},
		Roster: events.Roster{Personas: []events.Persona{
			{Name: "ada", SystemPrompt: "Be exact.", Models: []events.PreferredModel{{Provider: "gemini", Model: "p0"},
				{Provider: "anthropic", Model: "p1"}}}, {Name: "bob"},
		}},
	}})
}

func trackOf(persona string) events.Payload {
	return events.TrackStarted{Goal: "G", Track: events.Track{ID: "TR-1", Description: "Mend it", Persona: persona}}
}

func TestTheLeadGivesTicketsPersonas(t *testing.T) {
	t.Parallel()
	before := after(staffed(), trackOf(""), built())
	plan := func(persona string) events.Payload {
		return replied(`[{"id":"A","description":"do A","persona_id":"` + persona + `"}]`)
	}
	tierstest.Run(t, lead.Decider(), scenarios{
		{Name: "it is told of them", Given: after(staffed(), trackOf("")), When: built(),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Contains(t, r.Manifest[1].Text, "\nPersonas that a ticket can be given with \"persona_id\"; leave it out "+
					"where none fits:\n- ada: Be exact.\n- bob\n")
			}))},
		{Name: "and chooses one", Given: before, When: plan("bob"),
			Then: then(tierstest.Check(func(t testing.TB, p events.TicketsPlanned) {
				require.Equal(t, "bob", p.Tickets[0].PersonaID)
			}))},
		{Name: "with a model of its own", Given: before,
			When: replied(`[{"id":"A","description":"do A","persona_id":"ada","model_override":"p1"}]`),
			Then: then(tierstest.Check(func(t testing.TB, p events.TicketsPlanned) {
				require.Equal(t, "p1", p.Tickets[0].ModelOverride)
			}))},
		{Name: "but not of another's", Given: before,
			When: replied(`[{"id":"A","description":"do A","persona_id":"bob","model_override":"p1"}]`),
			Then: then(corrected(`ticket 1: A: model_override "p1" is none of small; leave it out`))},
		{Name: "nobody else", Given: before, When: plan("eve"),
			Then: then(corrected(`ticket 1: A: there is no persona "eve"; there are ada, bob`))},
	})
}

func TestATrackIsPlannedByItsPersona(t *testing.T) {
	t.Parallel()
	asks := func(persona, provider, model string) []events.Payload {
		return then(requested(func(t testing.TB, r events.ModelRequested) {
			require.Equal(t, []string{persona, provider, model, ""}, []string{r.Persona, r.Provider, r.Model, r.Note})
		}))
	}
	tierstest.Run(t, lead.Decider(), scenarios{
		{Name: "its models are asked", Given: after(staffed(), trackOf("ada")), When: built(), Then: asks("ada", "gemini",
			"p0")},
		{Name: "the next after an unusable reply", Given: after(staffed(), trackOf("ada"), built()), When: replied("hm"),
			Then: asks("ada", "anthropic", "p1")},
		{Name: "and they review its tickets", Given: after(staffed(), trackOf("ada"), finished("a.go")), When: shownDiffs(),
			Then: asks("ada", "gemini", "p0")},
		{Name: "a word that names nobody is a word about the work", Given: after(staffed(), trackOf("a seasoned lead")),
			When: built(), Then: asks("", "script", "m0")},
	})
}
