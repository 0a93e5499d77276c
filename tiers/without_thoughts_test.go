package tiers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers"
)

func TestThoughtsAreNotSaid(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                    "",
		"DONE: yes":                           "DONE: yes",
		"<think>a draft</think>DONE: yes":     "DONE: yes",
		"<think>\na\n</think>\n\nDONE: yes":   "\n\nDONE: yes",
		" \n<thinking>a</thinking> x":         " \n x",
		"<think>a":                            "",
		"x\n<think>a</think>y\n<think>b":      "x\ny\n",
		"the tag was not opened\n</think>\nx": "\nx",
		"never opened.</think>\nx":            "\nx",
		"a</think>\nb</think>\nx":             "\nx",
		"the tag <think> in a line":           "the tag <think> in a line",
		`[{"d":"drop <think> and </think>"}]`: `[{"d":"drop <think> and </think>"}]`,
		"a\n  <reasoning>x</reasoning>":       "a\n  ",
	} {
		require.Equal(t, want, tiers.WithoutThoughts(in), "%q", in)
	}
}

func TestThoughtsOfAnyNumberAreReadInOnePass(t *testing.T) {
	t.Parallel()
	const many = 100_000
	require.Len(t, tiers.WithoutThoughts(strings.Repeat("\n<think>a</think>b", many)), 2*many)
	require.Equal(t, "\n", tiers.WithoutThoughts(strings.Repeat("</think>\n", many)))
	require.Len(t, tiers.WithoutThoughts(strings.Repeat("</think>b", many)), 9*many)
	require.Equal(t, "\n", tiers.WithoutThoughts(strings.Repeat("\n<think>", many)))
}
