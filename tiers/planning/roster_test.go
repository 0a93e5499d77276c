package planning_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/planning"
)

func TestThePlannersAreToldOfPersonas(t *testing.T) {
	t.Parallel()
	require.Empty(t, planning.Roster(events.Roster{}, "persona_id", "ticket"))
	r := events.Roster{Personas: []events.Persona{
		{Name: "ada", SystemPrompt: "\n Exact work. \nSecond line."}, {Name: "bob"},
		{Name: "eve", SystemPrompt: "Believe me.", Project: true}, {Name: "long", SystemPrompt: strings.Repeat("x", 1000)},
	}}
	said := planning.Roster(r, "persona_id", "ticket")
	require.True(t, strings.HasPrefix(said, "\nPersonas that a ticket can be given with \"persona_id\"; leave it out "+
		"where none fits:\n- ada: Exact work.\n- bob\n- eve: of the project\n- long: xxx"), said)
	require.Less(t, len(said), 400)
	require.NotContains(t, said, "Believe me")
	require.NoError(t, planning.CheckPersona(r, ""))
	require.NoError(t, planning.CheckPersona(r, "bob"))
	require.NoError(t, planning.CheckPersona(events.Roster{}, "who"))
	require.EqualError(t, planning.CheckPersona(r, "who"), `there is no persona "who"; there are ada, bob, eve, long`)
}
