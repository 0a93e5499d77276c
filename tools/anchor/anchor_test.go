package anchor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/anchor"
)

// source has functions of five lines and a blank one; f(3) is lines 13-17.
func source() string {
	var b strings.Builder
	for n := 1; n <= 5; n++ {
		fmt.Fprintf(&b, "func f%d() {\n\ta := %d\n\tb := a\n\tcall(a, b, %d)\n}\n\n", n, n, n)
	}
	return b.String()
}

func recorded(t *testing.T) anchor.Slice {
	t.Helper()
	s, err := anchor.Create(source(), 13, 17)
	require.NoError(t, err)
	require.Equal(t, anchor.Slice{Start: 13, End: 17, Head: []string{"func f3() {", "\ta := 3", "\tb := a"},
		Tail: []string{"\tb := a", "\tcall(a, b, 3)", "}"}}, s)
	return s
}

func TestASliceIsFoundWhereItMovedTo(t *testing.T) {
	t.Parallel()
	s := recorded(t)
	for name, change := range map[string]func(string) string{
		"unchanged":       func(s string) string { return s },
		"further down":    func(s string) string { return strings.Repeat("// new\n", 40) + s },
		"further up":      func(s string) string { return s[strings.Index(s, "func f3"):] },
		"indented":        func(s string) string { return strings.ReplaceAll(s, "\t", "        ") },
		"other line ends": func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"longer inside": func(s string) string {
			return strings.Replace(s, "\tb := a\n\tcall(a, b, 3)", "\tb := a\n\tc()\n\td()\n\tb := a\n\tcall(a, b, 3)", 1)
		},
		"first line edited": func(s string) string { return strings.Replace(s, "func f3()", "func renamed()", 1) },
		"last line edited":  func(s string) string { return strings.Replace(s, "call(a, b, 3)", "call(b, a)", 1) },
	} {
		text := change(source())
		found, err := anchor.Resolve(text, s)
		require.NoError(t, err, name)
		got := found.Text(text)
		require.Contains(t, strings.Join(strings.Fields(got), " "), "a := 3 b := a", name)
		require.NotContains(t, got, "a := 2", name)
		require.NotContains(t, got, "a := 4", name)
		require.True(t, strings.HasSuffix(got, "}"), name)
		again, err := anchor.Resolve(text, found)
		require.NoError(t, err)
		require.Equal(t, found, again, "what was found is recorded anew")
	}
}

func TestASliceWhoseAnchorIsGoneSaysSo(t *testing.T) {
	t.Parallel()
	s := recorded(t)
	var gone *anchor.GoneError
	_, err := anchor.Resolve(strings.Replace(source(), "func f3() {\n\ta := 3", "x\ny", 1), anchor.Slice{Start: 13,
		End: 17, Head: s.Head[:2], Tail: s.Tail})
	require.ErrorAs(t, err, &gone)
	require.Equal(t, "beginning", gone.Which)
	require.ErrorContains(t, err,
		`the anchor is gone: the beginning of the slice recorded as lines 13-17 ("func f3() {") is no longer in the file`)
	_, err = anchor.Resolve("func f3() {\n\ta := 3\n\tb := 0\n", s)
	require.ErrorAs(t, err, &gone)
	require.Equal(t, "end", gone.Which)
	_, err = anchor.Resolve("", s)
	require.ErrorAs(t, err, &gone)
	_, err = anchor.Resolve("}\n}\n", anchor.Slice{Start: 1, End: 1, Head: []string{"}"}, Tail: []string{"}"}})
	require.ErrorAs(t, err, &gone, "a bracket tells nothing")
}

func TestSlicesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	text := "a\nb\nc\n"
	for _, lines := range [][2]int{{0, 1}, {2, 1}, {1, 4}, {-1, -1}} {
		_, err := anchor.Create(text, lines[0], lines[1])
		require.Error(t, err)
		_, err = anchor.Resolve(text, anchor.Slice{Start: lines[0], End: lines[1]})
		require.Error(t, err)
	}
	four := []string{"a", "b", "c", "d"}
	_, err := anchor.Resolve(text, anchor.Slice{Start: 1, End: 1, Head: four, Tail: four[:1]})
	require.ErrorContains(t, err, "1 to 3 lines")
	_, err = anchor.Resolve(text, anchor.Slice{Start: 1, End: 1, Head: four[:1]})
	require.ErrorContains(t, err, "1 to 3 lines")
	long := strings.Repeat("é", anchor.MaxLine)
	cut, err := anchor.Create("x"+long, 1, 1)
	require.NoError(t, err)
	require.Len(t, cut.Head[0], anchor.MaxLine-1, "whole characters")
	_, err = anchor.Resolve("x"+long+"other", cut)
	require.NoError(t, err)
	plain, err := anchor.Resolve(text, anchor.Slice{Start: 2, End: 3})
	require.NoError(t, err)
	require.Equal(t, "b\nc", plain.Text(text))
}
