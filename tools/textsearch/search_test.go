package textsearch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"manualslop/tools/document"
)

// find searches and gives what was found as text, one line each: "12:" before a match, "12-" before
// a line around one.
func find(t testing.TB, q Query, text string, most, around int) []string {
	t.Helper()
	p, err := Compile(q)
	require.NoError(t, err)
	found, err := p.Search(t.Context(), text, most, around)
	require.NoError(t, err)
	out := []string{}
	for _, l := range found.Lines {
		mark := "-"
		if l.Column > 0 {
			mark = ":"
		}
		out = append(out, fmt.Sprintf("%d%s%s", l.Number, mark, l.Text))
	}
	return out
}

func TestFindsLines(t *testing.T) {
	t.Parallel()
	text := "one two\r\nTwo twos\rthree\n\nétwo two_ two"
	for _, c := range []struct {
		q    Query
		want []string
	}{
		{Query{Text: "two"}, []string{"1:one two", "2:Two twos", "5:étwo two_ two"}},
		{Query{Text: "two", Word: true}, []string{"1:one two", "5:étwo two_ two"}},
		{Query{Text: "TWO", Word: true, IgnoreCase: true}, []string{"1:one two", "2:Two twos", "5:étwo two_ two"}},
		{Query{Text: "^t.o", Regex: true}, []string{}},
		{Query{Text: "^t.o", Regex: true, IgnoreCase: true}, []string{"2:Two twos"}},
		{Query{Text: "two$", Regex: true}, []string{"1:one two", "5:étwo two_ two"}},
		{Query{Text: `\Ath`, Regex: true}, []string{"3:three"}},
		{Query{Text: `t[^x]*t`, Regex: true}, []string{"2:Two twos", "5:étwo two_ two"}[1:]},
		{Query{Text: `^$`, Regex: true}, []string{"4:"}},
		{Query{Text: "TH", IgnoreCase: true}, []string{"3:three"}},
		{Query{Text: "."}, []string{}},
		{Query{Text: `t(h|w)`, Regex: true, Word: true}, []string{}},
	} {
		require.Equal(t, c.want, find(t, c.q, text, 100, 0), "%+v", c.q)
	}
}

func TestShowsTheLinesAround(t *testing.T) {
	t.Parallel()
	text := "a\r\nb\nX\nc\nd\ne\nX\nX\nf\n"
	require.Equal(t, []string{"2-b", "3:X", "4-c", "6-e", "7:X", "8:X", "9-f"}, find(t, Query{Text: "X"}, text, 9, 1))
	require.Equal(t, []string{"1-a", "2-b", "3:X", "4-c", "5-d"}, find(t, Query{Text: "X"}, text, 1, 2))
	require.Equal(t, []string{"1-a", "2-b", "3:X", "4-c", "5-d", "6-e", "7:X", "8:X", "9-f"}, find(t, Query{Text: "X"},
		text, 9, 9))
}

func TestCountsMoreThanItShows(t *testing.T) {
	t.Parallel()
	p, err := Compile(Query{Text: "x"})
	require.NoError(t, err)
	found, err := p.Search(t.Context(), strings.Repeat("x\n", 1000), 3, 0)
	require.NoError(t, err)
	require.Equal(t, 1000, found.Matching)
	require.Len(t, found.Lines, 3)
}

func TestALongLineIsCutAroundItsMatch(t *testing.T) {
	t.Parallel()
	p, err := Compile(Query{Text: "needle"})
	require.NoError(t, err)
	found, err := p.Search(t.Context(), strings.Repeat("é", 50_000)+"needle"+strings.Repeat("日", 50_000), 1, 0)
	require.NoError(t, err)
	l := found.Lines[0]
	require.Equal(t, 100_006, l.Length)
	require.Equal(t, 50_001, l.Column)
	require.True(t, l.Cut)
	require.Equal(t, "…"+strings.Repeat("é", shownBefore)+"needle"+strings.Repeat("日", shownBehind-6)+"…", l.Text)
}

func TestRefusesPatterns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "empty", "a\nb": "line end", "a(": "missing closing", `a\1`: "invalid escape", "(?=a)": "invalid",
		"(a{900})(b{900})(c{900})": "too large", "x{2000}": "repeat", strings.Repeat("(", 5000) + strings.Repeat(")",
			5000): "too large",
	} {
		_, err := Compile(Query{Text: text, Regex: true})
		require.ErrorContains(t, err, want, "%.20q", text)
		require.NotContains(t, err.Error(), "\n")
	}
}

// endsAfter is a context that is done once it was looked at so often.
type endsAfter struct {
	context.Context
	looks int
}

func (c *endsAfter) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestASearchLooksAtItsContextAllTheTime(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(strings.Repeat("a", 99)+"\n", 50_000)
	for _, q := range []Query{{Text: "b"}, {Text: "a"}, {Text: "b+", Regex: true}, {Text: `b\z`, Regex: true}} {
		p, err := Compile(q)
		require.NoError(t, err)
		ctx := &endsAfter{Context: t.Context(), looks: 1 << 30}
		_, err = p.Search(ctx, text, 10, 0)
		require.NoError(t, err)
		require.Greater(t, 1<<30-ctx.looks, len(text)/chunkSize/2, "%+v", q)
		_, err = p.Search(&endsAfter{Context: t.Context(), looks: 3}, text, 10, 0)
		require.ErrorIs(t, err, context.Canceled)
	}
}

// naive tries the expression on every line.
func naive(t testing.TB, q Query, text string) []int {
	source := q.Text
	if q.IgnoreCase {
		source = "(?i)" + source
	}
	re, err := regexp.Compile(source)
	require.NoError(t, err)
	out := []int{}
	for i, l := range document.Lines(text) {
		if re.MatchString(text[l.Start:l.End]) {
			out = append(out, i+1)
		}
	}
	return out
}

func TestFindsWhatTryingEveryLineFinds(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	expressions := []string{"a", "ab", "^a", "b$", "a.b", `a\s*b`, "[^a]b", "a|^$", `\ba`, `b\B`, "(?s)a.b", "x*",
		`(?-m:b$)`, "a[^b]*a", "(ab)+", "a{2}b", "(?:ab|aé)b", "ask", "ſk", `\x{FFFD}b`, "abé", "(?i:A)b", "a(?i)bA", "baab"}
	pieces := []string{"a", "b", "ab", " ", "é", "A", "B", "s", "ſ", "k", "\u212A", "\xFF", "É"}
	for range 10_000 {
		var text strings.Builder
		ends := [][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n", "\r"}}[random.IntN(3)]
		for range random.IntN(40) {
			if text.WriteString(pieces[random.IntN(len(pieces))]); random.IntN(5) == 0 {
				text.WriteString(ends[random.IntN(len(ends))])
			}
		}
		if random.IntN(20) == 0 { // over the borders of windows and chunks
			text.WriteString(strings.Repeat("c", random.IntN(2*chunkSize)) + ends[0] + strings.Repeat("c",
				random.IntN(chunkSize)) + "baAB")
		}
		q := Query{Text: expressions[random.IntN(len(expressions))], Regex: true, IgnoreCase: random.IntN(2) == 0}
		p, err := Compile(q)
		require.NoError(t, err)
		found, err := p.Search(t.Context(), text.String(), 1_000, 0)
		require.NoError(t, err)
		got := []int{}
		for _, l := range found.Lines {
			got = append(got, l.Number)
		}
		require.Equal(t, naive(t, q, text.String()), got, "%+v in %q", q, text.String())
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("a+$", "b\r\naa\n\xFFa", true, true, false)
	f.Add("x", "x\rx", false, false, true)
	f.Fuzz(func(t *testing.T, pattern, text string, regex, word, fold bool) {
		p, err := Compile(Query{Text: pattern, Regex: regex, Word: word, IgnoreCase: fold})
		if err != nil || len(pattern) > 100 {
			return
		}
		found, err := p.Search(t.Context(), text, 5, 2)
		require.NoError(t, err)
		lines := document.Lines(text)
		last, matching := 0, 0
		for _, l := range found.Lines {
			require.Greater(t, l.Number, last)
			require.LessOrEqual(t, l.Number, len(lines))
			require.True(t, utf8.ValidString(l.Text))
			if last = l.Number; l.Column > 0 {
				matching++
			}
		}
		require.Equal(t, min(found.Matching, 5), matching)
	})
}

func BenchmarkSearch(b *testing.B) {
	text := strings.Repeat(strings.Repeat("lorem ipsum ", 6)+"\n", 100_000)
	for _, q := range []Query{{Text: "needle"}, {Text: "needle", IgnoreCase: true}, {Text: "nee[dt]le", Regex: true},
		{Text: "lorem"}} {
		b.Run(fmt.Sprintf("%s/regex=%v/fold=%v", q.Text, q.Regex, q.IgnoreCase), func(b *testing.B) {
			p, err := Compile(q)
			require.NoError(b, err)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_, err := p.Search(b.Context(), text, 100, 0)
				require.NoError(b, err)
			}
		})
	}
}
