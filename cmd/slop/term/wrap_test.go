package term

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// column returns where the cursor of a terminal stands after a line: a tab does not leave the last column.
func column(line string, width int) int {
	at := 0
	for cluster := range clusters(line) {
		if next := after(at, cluster); cluster != "\t" || at < width {
			at = next
		}
		if cluster == "\t" {
			at = min(at, width)
		}
	}
	return at
}

func TestALineBreaksAtWordsBelowItsIndentation(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"one two three four":        "one two\n  three\n  four",
		"  one two three":           "  one two\n    three",
		"one\n  two three\nfour":    "one\n  two\n    three\nfour",
		"exactly 10":                "exactly 10",
		"exactly 100":               "exactly\n  100",
		"a abcdefghij b":            "a\nabcdefghij\n  b", // a path that fits on a line alone
		"a abcdefghijk b":           "a abcdefgh\n  ijk b",
		"do `a b c` or":             "do `a b c`\n  or",
		"do `a b c d` or":           "do\n`a b c d`\n  or",
		"do `a b c d e` or":         "do `a b c\n  d e` or",
		"漢字漢字 漢字漢字":                 "漢字漢字\n  漢字漢字",
		"漢字漢字漢字":                    "漢字漢字漢\n  字",
		"ee\u0301\u0301eeeeeeee ee": "ee\u0301\u0301eeeeeeee\n  ee",
		"🙂🙂🙂🙂🙂🙂":                    "🙂🙂🙂🙂🙂\n  🙂",
		"            a b":           "     a b",
		"a\tb":                      "a\tb",
		"a\tbcd":                    "a\n  bcd",
	} {
		require.Equal(t, want, fitted(text, 10), "%q", text)
		require.Equal(t, text, fitted(text, 0))
	}
	require.Equal(t, "a\nb", fitted("a b", 1), "no terminal is too narrow")
	require.Equal(t, "漢\n字", fitted("漢字", 1))
}

func TestAStyleIsNotInForceInAnIndentation(t *testing.T) {
	t.Parallel()
	w := wrapper{width: 10, hang: "│ "}
	require.Equal(t, []string{"│ " + styleBold + "one two" + colourOff, "│ " + styleBold + "three" + colourOff + " x"},
		w.lines("│ "+styleBold+"one two three"+colourOff+" x"))
}

func TestAnExactLineLosesNothingAndIsMarked(t *testing.T) {
	t.Parallel()
	alphabet := []string{"a", "b", " ", "  ", "\t", "漢", "e\u0301", "❤\ufe0f", "+", "-", mark, "── ", "`", "longer"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		width := 8 + r.IntN(40)
		for margin, begin := range map[string]string{"": mark, "  ": mark + " ", askMargin: " " + mark + " "} {
			text := margin + b.String()
			pieces := exact(margin, b.String(), "", width)
			whole := pieces[0]
			for i, p := range pieces {
				require.LessOrEqual(t, column(p, width), width, "%q of %q", p, text)
				if i > 0 {
					require.True(t, strings.HasPrefix(p, begin), "%q of %q", p, text)
					whole += strings.TrimPrefix(p, begin)
				}
			}
			require.Equal(t, text, whole)
		}
	}
}

func TestTextThatComesInPiecesBreaksAsTheWholeDoes(t *testing.T) {
	t.Parallel()
	text := "A paragraph of some words, with /a/path/that/is/long.\n\n  - an item of a list that goes on\n\tcode\n漢字漢字漢字漢字 end"
	for _, size := range []int{1, 2, 3, 7, 50, len(text)} {
		w := wrapper{width: 20, indents: true}
		out := ""
		for rest := []rune(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
			out += w.add(string(rest[:min(size, len(rest))]))
		}
		whole := wrapper{width: 20, indents: true}
		require.Equal(t, strings.Join(whole.lines(text), "\n"), out+w.rest(), size)
	}
}

func TestWhatComesThroughAPipeIsNotBroken(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 100)
	var out strings.Builder
	PrintLines(&out, long+"\n")
	(&Terminal{}).PrintDiff(&out, "+"+long+"\n")
	PrintFields(&out, [][]string{{"name", long}})
	PrintTable(&out, [][]string{{"A", "B"}, {"1", long}})
	PrintBlock(&out, long+"\n")
	PrintAbout(&out, long)
	NewFlow(&out).Print(long)
	require.Len(t, regexp.MustCompile(`(word ){99}word`).FindAllString(out.String(), -1), 7)
	require.NotContains(t, out.String(), mark)
}

// TestTheTimeForALineGrowsWithItsLength has lines for which the square of their length would take hours.
func TestTheTimeForALineGrowsWithItsLength(t *testing.T) {
	t.Parallel()
	const length = 1 << 17
	for _, piece := range []string{" ", "\t", "\u3000", "a", "a ", "\u0301", "漢"} {
		long := strings.Repeat(piece, length)
		for _, line := range []string{long, long + "end", "begin" + long + "end"} {
			pieces := exact("  ", line, indentOf(line), 80)
			require.NotEmpty(t, pieces)
			for text := range strings.SplitSeq(fitted(line, 80), "\n") {
				require.LessOrEqual(t, column(text, 80), 80)
			}
		}
	}
}

func TestAnIndentationOfAnySpaceIsCut(t *testing.T) {
	t.Parallel()
	require.Equal(t, "\u3000\u3000\u3000one\n  \u3000\u3000two", fitted("\u3000\u3000\u3000\u3000one two", 12))
}
