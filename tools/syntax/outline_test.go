package syntax_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/syntax"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// Every sample in testdata/samples has its outline in testdata/outlines.
func TestOutlinesOfEveryLanguage(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/samples/*")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, file := range files {
		language, ok := syntax.ByPath(file)
		require.True(t, ok, file)
		seen[language.Name()] = true
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		golden := filepath.Join("testdata/outlines", filepath.Base(file)+".txt")
		have := shown(t, language, src)
		if *update {
			require.NoError(t, os.WriteFile(golden, []byte(have), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), have, file)
	}
	for _, language := range syntax.Languages() {
		require.True(t, seen[language.Name()], "%s has no sample", language.Name())
	}
}

func shown(t *testing.T, language syntax.Language, src []byte) string {
	t.Helper()
	got, err := syntax.OutlineAnew(t.Context(), language, src)
	require.NoError(t, err)
	var b strings.Builder
	for _, s := range got.Symbols {
		fmt.Fprintf(&b, "%s%s %s lines %d-%d name %d", strings.Repeat("  ", s.Depth), s.Kind, s.Name, s.StartLine, s.EndLine,
			s.Line)
		if s.Of > 1 {
			fmt.Fprintf(&b, " #%d of %d", s.Ordinal, s.Of)
		}
		if len(s.Decorators) > 0 {
			fmt.Fprintf(&b, " decorators %q", s.Decorators)
		}
		fmt.Fprintf(&b, " signature %q", src[s.Start:s.SignatureEnd])
		if s.Doc != "" {
			fmt.Fprintf(&b, " doc %q", s.Doc)
		}
		b.WriteString("\n")
	}
	for _, d := range got.Damage {
		fmt.Fprintf(&b, "damage line %d %q missing %q\n", d.Line, src[d.Start:d.End], d.Missing)
	}
	return b.String()
}
