package doctor

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

func TestDoctorFailsWhereSomethingIsBrokenAndOnlyThere(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	g := &site.Flags{Terminal: term.Terminal{Out: &out, Err: &out}}
	require.NoError(t, printFindings(g, []finding{ok("a", "x"), note("b", "y")}))
	err := printFindings(g, []finding{ok("a", "x"), broken("b", "two\nlines\x1b[2J")})
	var ended *exit.Error
	require.ErrorAs(t, err, &ended)
	require.Equal(t, exit.Failed, ended.Code)
	require.Contains(t, out.String(), "two · lines<U+001B>[2J")
}

func TestDoctorLooksForTheProvidersOfPersonasToo(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Roster.Personas = []events.Persona{
		{Name: "ada", Models: []events.PreferredModel{{Provider: "openai", Model: "a"}, {Provider: "openai", Model: "b"},
			{Provider: "gemini", Model: "c"}}}, {Name: "bob", Models: []events.PreferredModel{{Provider: "openai", Model: "a"}}},
	}
	require.Equal(t, map[string]string{"gemini": "tier 1, 2, 3, 4; persona ada", "openai": "persona ada, bob"},
		usersOfProviders(c))
}
