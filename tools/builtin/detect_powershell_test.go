package builtin

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHostileScriptsAreJudgedSoon(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"(", "$(", "\"$(", "{ ", "`", "a|", "a;", "@'\n", "if (", "${a:-", "a<<E\n"} {
		began := time.Now()
		powershellSign(strings.Repeat(piece, maxJudgedBytes/len(piece)))
		// Far above what a loaded machine needs, and far below what nesting would cost unbounded.
		require.Less(t, time.Since(began), time.Minute, piece)
	}
	require.NotEmpty(t, powershellSign("Get-Item\n"+strings.Repeat(" ", maxJudgedBytes-9)))
	require.Empty(t, powershellSign("Get-Item\n"+strings.Repeat(" ", maxJudgedBytes-8)))
}
