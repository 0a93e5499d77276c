package sandbox_test

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/require"

	"manualslop/tools/sandbox"
)

func TestAGlobMatchesAsItsAlternativesDo(t *testing.T) {
	t.Parallel()
	paths := []string{"", "a", "b", "ab", "a.go", "a.md", "src/a.go", "src/deep/b.md", "{a,b}", "a{b", "a,b", "x[y", "{",
		"}", ",", "src/x/y/z.go", "ac", "bc", "bd", ".go", "src/.a", "a*", "src/a", "a/src/a.go", "\xFF.go", "aa", "src"}
	for _, pattern := range []string{
		"a", "*", "**", "**/*.go", "**/*.{go,md}", "{a,b}", "{a,b}{c,d}", "{a,{b,c}d}", "{,a}b", `\{a,b\}`, `a\{b`, "[{]",
		"[,]", `x[\[]y`, "*.go", "a*", "a*a", "a*.go", "src/*", "src/a.go", "**/a.go", "**/a", "**/*", "**/a*", "**/a*o",
		"**/src/a.go", "**/src/*", "**/**", "**/", "***", `a\*`, "**a", "*/*", "src/**", "*.", "{src/{deep,x}/**,a.*}", "{a}", "{}", "{,}", "?", "[a-b]", "[^a]", "{[,],a}", `{\,,a}`, `{\},b}`,
	} {
		glob, err := sandbox.ParseGlob(pattern)
		require.NoError(t, err, pattern)
		for _, path := range paths {
			require.Equal(t, doublestar.MatchUnvalidated(pattern, path), glob.Match(path), "%s on %s", pattern, path)
		}
	}
	require.False(t, sandbox.Glob{}.Match(""))
	for _, pattern := range []string{"[", "{a", "a}", `\`, "{a,[}"} {
		_, err := sandbox.ParseGlob(pattern)
		require.ErrorIs(t, err, sandbox.ErrGlob, pattern)
	}
}

func TestBracesHaveALimit(t *testing.T) {
	t.Parallel()
	fits := strings.Repeat("{a,b}", 6)
	glob, err := sandbox.ParseGlob(fits)
	require.NoError(t, err)
	require.True(t, glob.Match("ababab"))
	for _, pattern := range []string{fits + "{a,b}", "{" + strings.Repeat("a,", sandbox.MaxGlobAlternatives) + "b}",
		strings.Repeat("{a,aa,*}", 100)} {
		_, err := sandbox.ParseGlob(pattern)
		require.ErrorIs(t, err, sandbox.ErrGlob)
	}
	_, err = sandbox.ParseGlob("{" + strings.Repeat("a,", sandbox.MaxGlobAlternatives-1) + "b}")
	require.NoError(t, err)
}

// TestNoGlobTakesForEver has nothing to require: before there was a limit, a
// pattern of this kind did not come back.
func TestNoGlobTakesForEver(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{strings.Repeat("*{a,*a}", 6) + "b", strings.Repeat("*a", 120) + "b",
		strings.Repeat("**/a/", 60) + "b", strings.Repeat("**/*a*/", 60) + "b"} {
		glob, err := sandbox.ParseGlob(pattern)
		require.NoError(t, err)
		for _, path := range []string{strings.Repeat("a", 255), strings.Repeat("a/", 500) + "c", strings.Repeat("aaaa/",
			200) + "c"} {
			require.False(t, glob.Match(path))
		}
	}
}
