package mcp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTextsLoseWhatCannotBeSeen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "plain ~\n\ttext": "plain ~\n\ttext", "a\x7fb": "ab", "a\x1fb": "ab",
		"é\u202eb": "éb", "a\xff": "a\uFFFD", "\x00": ""} {
		require.Equal(t, want, cleanText(text))
	}
}
