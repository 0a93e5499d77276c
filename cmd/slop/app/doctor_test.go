package app

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestDoctorFailsWhereSomethingIsBrokenAndOnlyThere(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	g := &globals{out: &out, err: &out}
	require.NoError(t, g.printFindings([]finding{ok("a", "x"), note("b", "y")}))
	err := g.printFindings([]finding{ok("a", "x"), broken("b", "two\nlines\x1b[2J")})
	var exit *exitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, exitFailed, exit.code)
	require.Contains(t, out.String(), "two · lines<U+001B>[2J")
}

func TestDoctorLooksForTheProvidersOfPersonasToo(t *testing.T) {
	t.Parallel()
	c := DefaultConfig()
	c.Roster.Personas = []events.Persona{
		{Name: "ada", Models: []events.PreferredModel{{Provider: "openai", Model: "a"}, {Provider: "openai", Model: "b"}, {Provider: "gemini", Model: "c"}}}, {Name: "bob", Models: []events.PreferredModel{{Provider: "openai", Model: "a"}}},
	}
	require.Equal(t, map[string]string{"gemini": "tier 1, 2, 3, 4; persona ada", "openai": "persona ada, bob"}, c.usersOfProviders())
}
