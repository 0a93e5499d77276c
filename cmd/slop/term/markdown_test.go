package term

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inPieces renders a text that comes in pieces of so many bytes.
func inPieces(source string, size int) string {
	var m Markdown
	var out strings.Builder
	for len(source) > 0 {
		n := min(size, len(source))
		out.WriteString(m.Add(source[:n]))
		source = source[n:]
	}
	return out.String() + m.Rest()
}

const document = "# Title\n\nA *slanted* and **strong** `word` &lt;3 \\*here\\*.\nNext line, [docs](https://x.test/a) " +
	"and List<String>.\n\n- one\n  - half\n- two\n\n  still two\n- three\n\n7. seven\n8. eight\n\nText.\n\n```go\nfunc f() {\n\n\t*x*\n}\n```\n" +
	"\n> quoted\n> twice\n\n<b>bold\n\n---\nend"

const painted = "B|Title|\n\nA I|slanted| and B|strong| C|word| <3 *here*.\nNext line, docs (https://x.test/a) and List<String>.\n\n" +
	"• one\n\n  • half\n• two\n\n  still two\n• three\n\n7. seven\n8. eight\n\nText.\n\nI|go|\n  C|func f() {|\n\n  C|\t*x*|\n  C|}|\n\n│ quoted\n" +
	"│ twice\n\n<b>bold\n\n───\n\nend\n\n"

func TestMarkdownIsRenderedBlockByBlock(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 2, 3, 7, 20, 87, len(document)} {
		got := strings.NewReplacer(styleBold, "B|", styleItalic, "I|", styleCode, "C|", colourOff, "|").
			Replace(inPieces(document, size))
		require.Equal(t, painted, got, "in pieces of %d bytes", size)
	}
}

func TestMarkdownIsHeldOnlyUntilItsBlockEnds(t *testing.T) {
	t.Parallel()
	var m Markdown
	require.Empty(t, m.Add("One.\n"))
	require.Equal(t, "One.\n\n", m.Add("\n"))
	require.Empty(t, m.Add("```\na\n\nb\n"))
	require.Empty(t, m.Add("```\n"))
	require.Equal(t, "  \x1b[36ma\x1b[0m\n\n  \x1b[36mb\x1b[0m\n\n", m.Add("\n"))
	require.Equal(t, "left\n\n", m.Add("left")+m.Rest())
	require.Empty(t, m.Rest())
}

// ours are the only escape sequences that rendered text may have.
var ours = regexp.MustCompile("\x1b\\[(0|1|3|36)m")

func TestMarkdownPassesNoControlCharacters(t *testing.T) {
	t.Parallel()
	for _, hostile := range []string{
		"\x1b[2J", "&#27;[8mhidden", "&#x1b;]0;title\a", "`\x1b[31m`", "```\n\x1b]52;c;aGk=\a\n```", "[a](<\x1b[2J>)",
		"![\x1b[1A](x)", "<b \x1b[2K>", "<!-- \x1b[2J -->", "# \u202egnp.exe", "a\rb",
		"&#x9b;2J \u009b2J", "- \x1b[5m\n\n> \x1b7",
		"<https://x.test/\x1b[2J>", "```\x1b[2J\ncode\n```", "\\\x1b[2J", "&#x202e;x",
	} {
		for _, size := range []int{1, 3, len(hostile)} {
			got := ours.ReplaceAllString(inPieces(hostile, size), "")
			require.NotRegexp(t, "[\x00-\x09\x0b-\x1f\x7f-\u009f\u202a-\u202e]", got, "%q in pieces of %d", hostile, size)
		}
	}
	require.Contains(t, inPieces("&#27;[8mhidden", 5), "&#27;[8mhidden")
}

func TestMarkdownThatCostsTooMuchStaysAsItStands(t *testing.T) {
	t.Parallel()
	paragraph := strings.Repeat("*a* ", maxRendered/4)
	require.Contains(t, rendered(paragraph, 0), styleItalic)
	require.Equal(t, paragraph+"*\n\n", rendered(paragraph+"*", 0))
	deepest := strings.Repeat("> ", maxDepth-1) + "word"
	require.Equal(t, strings.Repeat("│ ", maxDepth-1)+"word\n\n", rendered(deepest, 0))
	require.Equal(t, "> "+deepest+"\n\n", rendered("> "+deepest, 0))
	for _, mark := range []string{">", "- ", "[a](", "[a]: b\n", "a*_"} {
		many := strings.Repeat(mark, maxRendered/len(mark))
		require.NotEmpty(t, rendered(many, 0), mark)
	}
}

func TestMarkdownShowsWhatHasNoPlaceInItsTree(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"[WARN]: deprecated":             "[WARN]: deprecated",
		"[1]: https://evil.test \"why\"": "[1]: https://evil.test \"why\"",
		"see [1]\n\n[1]: <x y>\n":        "see [1]\n\n[1]: <x y>",
		"[a](u \"title\")":               "a (u \"title\")",
		"![a](u 'two\nlines')":           "a (u \"two\nlines\")",
		"```go run=no\nx\n```":           "go run=no\n  x",
		"~~~ alone":                      "alone",
		"- ~~~ py\n  x":                  "• py\n    x",
		"3. a\n7. b\n7. c":               "3. a\n7. b\n7. c",
		"4. >":                           "4. │",
		"8)\n9) b":                       "8)\n9) b",
	} {
		got := ours.ReplaceAllString(inPieces(source, len(source)), "")
		require.Equal(t, want, strings.TrimSpace(got), "%q", source)
	}
}

func TestMarkdownShowsEveryWord(t *testing.T) {
	t.Parallel()
	marks := []string{"", "[", "]", "](", "]: ", "(", ")", "![", "\"", "'", "<", ">", "<!--", "-->", "<?", "<b ", "</b>",
		"<https://", "`", "``", "```", "~~~", "*", "**", "_", "#", "# ", " #", "- ", "+ ", "* ", "> ", "1. ", "1) ", "===",
		"---", "|", "\\", "&", ";", ":", "!", "=", " ", "  ", "    ", "\t", "\n", "\n\n", "\r\n", "  \n", "\\\n", ".",
		") "}
	for seed := range uint64(500) {
		dice := rand.New(rand.NewPCG(seed, 0))
		var source strings.Builder
		var words []string
		for range 1 + dice.IntN(40) {
			source.WriteString(marks[dice.IntN(len(marks))])
			if dice.IntN(2) == 0 {
				words = append(words, fmt.Sprint(len(words)+100))
				source.WriteString(words[len(words)-1])
			}
		}
		got := ours.ReplaceAllString(inPieces(source.String(), 1+dice.IntN(50)), "")
		for _, word := range words {
			require.Contains(t, got, word, "%q", source.String())
		}
	}
}
