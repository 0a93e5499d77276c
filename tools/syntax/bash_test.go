package syntax_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/syntax"
)

// Texts on which a reader that looks ahead, or back, would take a time that grows with a power of their length.
func TestHostileScriptsAreReadInOnePass(t *testing.T) {
	t.Parallel()
	const n = 100_000
	for _, text := range []string{
		strings.Repeat("for x $(", n), strings.Repeat("f(){ :;}; ", n), strings.Repeat("((", n),
		strings.Repeat("((a)\n", n),
		strings.Repeat("{ ", n) + strings.Repeat("fi ", n), strings.Repeat("case a in a) ", n), strings.Repeat("\"$(", n),
		strings.Repeat("<<A\n", n), strings.Repeat("# a\n", n) + "f() {", strings.Repeat("${a:-", n),
		strings.Repeat("a=(", n),
		strings.Repeat("function ", n), strings.Repeat("[[ ", n), strings.Repeat("f()\n", n),
	} {
		got, err := syntax.Outline(t.Context(), language(t, "bash"), []byte(text))
		require.NoError(t, err)
		inside(t, language(t, "bash"), got, len(text))
	}
}
