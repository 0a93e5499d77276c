package syntax_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/syntax"
)

// BenchmarkOutlineOneFile is the outline of a file of ordinary size: one of the Go tree, or a sample.
func BenchmarkOutlineOneFile(b *testing.B) {
	src, err := os.ReadFile("/usr/local/go/src/net/http/cookie.go")
	if err != nil {
		src, err = os.ReadFile("testdata/samples/a.go")
	}
	require.NoError(b, err)
	b.Run("parsed", func(b *testing.B) { outlines(b, src, syntax.OutlineAnew) })
	b.Run("kept", func(b *testing.B) { outlines(b, src, syntax.Outline) })
}

func outlines(b *testing.B, src []byte,
	outline func(context.Context, syntax.Language, []byte) (syntax.Structure, error),
) {
	b.Helper()
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		got, err := outline(b.Context(), language(b, "go"), src)
		require.NoError(b, err)
		require.NotEmpty(b, got.Symbols)
	}
}
