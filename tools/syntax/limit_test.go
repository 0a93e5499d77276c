package syntax

import (
	"bytes"
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
