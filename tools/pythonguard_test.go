package tools

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAWriteMayNotBreakPython(t *testing.T) {
	t.Parallel()
	err := refuseBroken("a/b.PY", "x = 1\n", "x = 1\nif x\n    pass\n")
	require.ErrorContains(t, err, "a/b.PY line 2, column 5: SyntaxError: ")
	require.Error(t, refuseBroken("new.pyi", "", "x = = 1\n"))
	require.NoError(t, refuseBroken("a.txt", "x = 1\n", "x = = 1\n"), "not Python")
	require.NoError(t, refuseBroken("a.py", "x = (\n", "x = [\n"), "broken before")
	require.NoError(t, refuseBroken("a.py", "", "match x:\n case 1: pass\n"))
	require.NoError(t, refuseBroken("a.py", "x = 1\n", ""))
}
