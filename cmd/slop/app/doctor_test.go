package app

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARoleThatNobodyRunsIsBroken(t *testing.T) {
	t.Parallel()
	here := map[string]bool{"worker-h-1": true, "worker-h-2": false}
	for _, role := range orchestratorRoles() {
		here[role] = true
	}
	require.Equal(t, []health{healthOK, healthOK}, healths(roleFindings(here)))
	here["approval"] = false
	found := roleFindings(here)
	require.Equal(t, []health{healthOK, healthBroken, healthOK}, healths(found))
	require.Contains(t, found[1].Detail, "approval")
	delete(here, "worker-h-1")
	require.Equal(t, []health{healthOK, healthBroken, healthBroken}, healths(roleFindings(here)))
}

func healths(found []finding) []health {
	var out []health
	for _, f := range found {
		out = append(out, f.Health)
	}
	return out
}

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
