package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPageSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	var rows []string
	for i := range 950 {
		rows = append(rows, fmt.Sprintf("row %d", i+1))
	}
	text := strings.Join(rows, "\n")
	limits := Limits{MaxChars: 40_000, MaxLines: 201}
	first, err := page(text, "NAME", 0, limits)
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(first, "row 200\n… truncated: lines 201–950 of 950 not shown; call NAME with "+
		"start_line=201"), first)
	second, err := page(text, "NAME", 201, limits)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(second, "row 201\n"))
	require.Contains(t, second, "lines 401–950 of 950 not shown; call NAME with start_line=401")
	last, err := page(text, "NAME", 900, limits)
	require.NoError(t, err)
	require.Equal(t, strings.Join(rows[899:], "\n"), last)
}

func TestPagesTogetherAreTheWholeText(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("é line\r\nsecond\n\n", 400)
	var all string
	for start := 1; start > 0; {
		part, err := page(text, "x", start, Limits{MaxChars: 700, MaxLines: 50})
		require.NoError(t, err)
		cut := strings.Index(part, "… truncated: lines ")
		if cut < 0 {
			all += part
			break
		}
		_, err = fmt.Sscanf(part[cut:], "… truncated: lines %d–", &start)
		require.NoError(t, err)
		all += part[:cut]
	}
	require.Equal(t, text, all)
}

func TestAPageBehindTheEndIsRefused(t *testing.T) {
	t.Parallel()
	limits := Limits{}.Filled()
	_, err := page("one\ntwo\n", "x", 3, limits)
	require.EqualError(t, err, "start_line 3 is out of range: the answer has 2 lines")
	for _, start := range []int{0, 1} {
		empty, err := page("", "x", start, limits)
		require.NoError(t, err)
		require.Empty(t, empty)
	}
}

func TestALineTooLongForAPageIsCutInItsMiddle(t *testing.T) {
	t.Parallel()
	long, err := page(strings.Repeat("é", 10_000), "x", 0, Limits{MaxChars: 500, MaxLines: 5})
	require.NoError(t, err)
	require.Contains(t, long, "characters not shown")
	require.Contains(t, long, "line 1 of 1 is too long and was cut")
	long, err = page("a\n"+strings.Repeat("x", 10_000)+"\nb\nc\nd\ne", "x", 2, Limits{MaxChars: 500, MaxLines: 5})
	require.NoError(t, err)
	require.Contains(t, long, "lines 3–6 of 6 not shown; call x with start_line=3")
}

func TestAnOutlineShowsNestingAndMarks(t *testing.T) {
	t.Parallel()
	rows := []OutlineRow{
		{OutlineSymbol: OutlineSymbol{Name: "A", Kind: "class", Line: 3, Start: 3, End: 20, Ordinal: 1, Of: 1}, Title: "A"},
		{
			OutlineSymbol: OutlineSymbol{Name: "A.m", Kind: "async_method", Line: 5, Start: 4, End: 9, Ordinal: 2, Of: 3,
				Decorators: []string{"x"}},
			Depth: 1, Title: "m", Marks: []string{"@x", "#2 of 3"},
		},
	}
	require.Equal(t, "warning: line 1: odd\n[Class] A (Lines 3-20)\n  [Async Method] m (Lines 4-9) @x #2 of 3",
		OutlineText(rows, []string{"line 1: odd"}))
	require.Equal(t, "#2 of 3", rows[1].OrdinalMark())
	require.Empty(t, rows[0].OrdinalMark())
	data := OutlineOf(rows, nil)
	require.NotNil(t, data.Warnings)
	require.NotNil(t, data.Symbols[0].Decorators)
}
