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

func TestHostileDocumentsAreReadInOnePass(t *testing.T) {
	t.Parallel()
	const n = 100_000
	for name, texts := range map[string][]string{
		"sql": {
			strings.Repeat("(", n), strings.Repeat(";", n), strings.Repeat("/*", n), strings.Repeat("$a$b", n),
			strings.Repeat("create table a", n), strings.Repeat("create table a(); ", n),
			strings.Repeat("copy a from stdin;", n),
			strings.Repeat("'`\\", n), strings.Repeat("create function f() begin ", n), strings.Repeat("\\", n),
			strings.Repeat("delimiter a\n", n), strings.Repeat("[a", n),
			strings.Repeat("go\n", n), strings.Repeat("-- a\n", n),
		},
		"markdown": {
			strings.Repeat("# a\n", n), strings.Repeat("## a\n# b\n", n/2), strings.Repeat("a\n", n) + "===\n",
			strings.Repeat("```\n", n), strings.Repeat("---\n", n), strings.Repeat("[", n), strings.Repeat("<div>\n", n),
			strings.Repeat("> ", n), strings.Repeat("- ", n) + "a", strings.Repeat("1. ", n) + "a",
			strings.Repeat("- a\n", n), strings.Repeat("[a]: b\n", n),
			strings.Repeat("|", n), strings.Repeat("&", n), strings.Repeat("`", n), strings.Repeat("*_", n),
		},
	} {
		for _, text := range texts {
			got, err := syntax.Outline(t.Context(), language(t, name), []byte(text))
			require.NoError(t, err)
			inside(t, language(t, name), got, len(text))
		}
	}
}
