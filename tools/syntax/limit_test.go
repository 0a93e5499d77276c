package syntax

import (
	"bytes"
	"strings"
	"testing"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/stretchr/testify/require"
)

func TestAParseIsGivenUpAtItsLimit(t *testing.T) {
	t.Parallel()
	language, ok := ByName("go")
	require.True(t, ok)
	text := bytes.Repeat([]byte("package a\nfunc f() { f() }\n"), 10_000)
	_, err := parse(language, text, time.Microsecond, func(root *sitter.Node) bool { return root.HasError() })
	require.ErrorIs(t, err, ErrTooHard)
}

// Each error of this text takes the parser a millisecond and a megabyte a byte, in steps that look at no limit.
func TestAParseThatMendsErrorsIsGivenUpAtItsLimit(t *testing.T) {
	t.Parallel()
	language, ok := ByName("c")
	require.True(t, ok)
	_, err := parse(language, bytes.Repeat([]byte("a=>"), 4000), 100*time.Millisecond,
		func(root *sitter.Node) bool { return root.HasError() })
	require.ErrorIs(t, err, ErrTooHard)
}

func TestCharactersAreReadWholeWhereThePiecesOfATextMeet(t *testing.T) {
	t.Parallel()
	language, ok := ByName("go")
	require.True(t, ok)
	for shift := range 4 {
		text := "package a\n//" + strings.Repeat(" ", shift) + strings.Repeat("日", chunk) + "\nfunc f() string { return \"" +
			strings.Repeat("é", chunk) + "\" }\n"
		damage, err := DamageOf(t.Context(), language, []byte(text))
		require.NoError(t, err)
		require.Empty(t, damage)
		found, err := Outline(t.Context(), language, []byte(text))
		require.NoError(t, err)
		require.Len(t, found.Symbols, 1)
		require.Equal(t, strings.Index(text, "func f"), found.Symbols[0].Start)
	}
}
