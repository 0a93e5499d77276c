package chars_test

import (
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"manualslop/events/chars"
)

// TestTheTablesAreThoseOfUnicode15 holds them against the Go that builds this,
// while that has the same version.
func TestTheTablesAreThoseOfUnicode15(t *testing.T) {
	t.Parallel()
	if unicode.Version != "15.0.0" {
		t.Skip("this Go has Unicode", unicode.Version)
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		first := r
		for n := unicode.SimpleFold(r); n != r; n = unicode.SimpleFold(n) {
			first = min(first, n)
		}
		same := first == chars.Fold(r) && unicode.IsSpace(r) == chars.Blank(r) &&
			unicode.Is(unicode.Cf, r) == chars.Format(r) &&
			unicode.Is(unicode.Mn, r) == chars.Mark(r) && unicode.IsControl(r) == chars.Control(r)
		if !same || unicode.IsPrint(r) && !chars.Printable(r) {
			t.Fatalf("%U is another character here", r)
		}
	}
}

func TestWordsAreCutAndQuotedInOneWay(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a b", chars.Trim(" \u3000a b\n\u00a0"))
	require.Equal(t, []string{"a", "b"}, chars.Words("\ta \u2003 b\r\n"))
	require.Equal(t, "abcÄ\u212a", chars.Lower("ABCÄ\u212a"))
	require.Equal(t, 'K', chars.Fold('\u212a'))
	require.Equal(t, 'S', chars.Fold('ſ'))
	for text, want := range map[string]string{
		"": `""`, `a"b\c`: `"a\"b\\c"`, "a\nb\tc\r": `"a\nb\tc\r"`, "\x00\u202e": `"\u{0}\u{202e}"`, "\xff": `"\xff"`,
		"\uFFFD é": "\"\uFFFD é\"",
	} {
		require.Equal(t, want, chars.Quote(text))
	}
}
