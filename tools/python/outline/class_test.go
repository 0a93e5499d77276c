package outline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/python"
)

func TestBasesAndKeywordsAreSplitAtTopLevelCommas(t *testing.T) {
	t.Parallel()
	f := python.Parse("class A[T: (int, str)](B[T, 1], mixins(x=1).C, *D,\n  metaclass=M, **kw): pass\nclass E: " +
		"pass\nclass F(): pass\n")
	a := ClassOf(f, f.Symbols[0])
	require.Equal(t, []string{"B[T, 1]", "mixins(x=1).C", "*D"}, a.Bases)
	require.Equal(t, []string{"metaclass=M", "**kw"}, a.Keywords)
	require.Empty(t, ClassOf(f, f.Symbols[1]).Bases)
	require.Empty(t, ClassOf(f, f.Symbols[2]).Bases)
}

func TestSignaturesComeOnOneLine(t *testing.T) {
	t.Parallel()
	f := python.Parse("async def f(\n    a: 'x  y' = (1,),  # c\n    *,\n    b=[\n        1,\n    ],\n) -> dict[\n    " +
		"str, int\n]:\n    pass\nclass A: pass\ndef g(a, ): pass\ndef h \\\n  (a): pass\n")
	var heads []string
	for _, s := range f.Symbols {
		heads = append(heads, Signature(f, s))
	}
	require.Equal(t, []string{"async def f(a: 'x  y' = (1,), *, b=[1,]) -> dict[str, int]", "class A", "def g(a, )",
		"def h (a)"}, heads)
}

func TestOnlyTheFirstParameterIsSelf(t *testing.T) {
	t.Parallel()
	f := python.Parse("class A:\n  def __init__(*args):\n    args.x = 1\n  def m(self):\n    self.y = 1\nclass B:\n  " +
		"def __init__(self, /):\n    self.a = self.b.c = self.d[0] = 1\n    self.e += 1\n    (self.f), [self.g] = 1, 2\n   " +
		" self.h == 1\n    del self.a\n")
	require.Empty(t, ClassOf(f, f.Symbols[0]).Instance)
	var names []string
	for _, a := range ClassOf(f, f.Symbols[3]).Instance {
		names = append(names, a.Name)
	}
	require.Equal(t, []string{"a", "f", "g"}, names)
}

func FuzzMembers(f *testing.F) {
	f.Add("class A(B, c=1):\n  def __init__(self):\n    self.x, (self.y) = z = 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := python.Parse(text)
		for _, s := range file.Symbols {
			ClassOf(file, s)
			Signature(file, s)
		}
	})
}
