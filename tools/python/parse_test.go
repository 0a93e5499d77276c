package python

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func paths(f *File) []string {
	out := []string{}
	for _, s := range f.Symbols {
		out = append(out, string(s.Kind)+" "+s.Path)
	}
	return out
}

func TestSymbolsHavePathsThroughClassesFunctionsAndBlocks(t *testing.T) {
	t.Parallel()
	f := Parse("class A:\n  def m(self): pass\n  if x:\n    async def n(self):\n      def inner(): pass\n@d\ndef f(\n): " +
		"pass\ndef f(): pass\n")
	require.Empty(t, f.Problems)
	require.Equal(t, []string{"class A", "method A.m", "async_method A.n", "function A.n.inner", "function f",
		"function f"}, paths(f))
	require.Equal(t, []*Symbol{f.Symbols[5]}, f.Find("f#2"))
	require.Equal(t, "@d\ndef f(\n): pass", f.Source(f.Symbols[4]))
	require.Equal(t, "def f(\n):", f.Signature(f.Symbols[4]))
	require.True(t, f.Symbols[2].Conditional)
}
