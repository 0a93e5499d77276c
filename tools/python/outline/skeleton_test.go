package outline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/python"
)

func TestASkeletonOfItselfStaysTheSame(t *testing.T) {
	t.Parallel()
	text := "\"\"\"Doc.\"\"\"\nimport os\nX = [\n1]\nclass A(B):\n  y = f(1,\n  2)\n  @p\n  def m(self): return 1\nif " +
		"X:\n  def g():\n    'doc'\nelse: pass\n"
	once := Skeleton(python.Parse(text), SkeletonOptions{})
	require.Equal(t, once, Skeleton(python.Parse(once), SkeletonOptions{}))
	require.Equal(t, "\"\"\"Doc.\"\"\"\n\nimport os\n\nX = ...\n\nclass A(B):\n  y = f(...)\n  @p\n  def m(self): "+
		"...\n\nif X:\n  def g():\n    'doc'\n    ...\nelse: ...\n", once)
}

func TestNothingIsLeftOfAModuleWithoutDefinitions(t *testing.T) {
	t.Parallel()
	require.Empty(t, Skeleton(python.Parse(""), SkeletonOptions{}))
	require.Empty(t, Skeleton(python.Parse("# c\nprint(1)\nif x:\n  y()\n"), SkeletonOptions{}))
}

func TestDeepNestingIsNoProblem(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 3_000 {
		b.WriteString(strings.Repeat(" ", i) + "class A:\n")
	}
	require.NotEmpty(t, Skeleton(python.Parse(b.String()), SkeletonOptions{Comments: true}))
}

// A skeleton is as sound as its source, whatever the options.
func FuzzSkeleton(f *testing.F) {
	f.Add("class A:\n  def f(self): return 1\n", 1)
	f.Add("try:\n\timport x\nexcept E: y = [\n1]\nelse:\n\tdef g(): '''a\nb'''\n", 3)
	f.Add("if a: x = 1; y: int = 2\nmatch b:\n  case c: import d\n", 7)
	f.Fuzz(func(t *testing.T, text string, options int) {
		file := python.Parse(text)
		made := Skeleton(file, SkeletonOptions{Comments: options&1 > 0, PublicOnly: options&2 > 0,
			MaxDocstringLines: options & 4 >> 2})
		if len(file.Problems) == 0 {
			require.Empty(t, python.Parse(made).Problems, "%q", made)
		}
	})
}
