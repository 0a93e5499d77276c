package grammar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/python/grammar"
)

func TestNewerSyntaxIsTaken(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"def f[T: int = str, *Ts = *tuple[int], **P = [int]](a: T, *b: *Ts) -> P: pass\n",
		"class A[T](B, k=1): pass\n", "type X[T] = list[T]\n", "type = 1\ntype(x)\ntype.x\nmatch = case = 1\nmatch[x]\n",
		"f'{x!r:>{w}}' f\"{f'{f\"{1}\"}'}\" f'{a[\"b\"]:{c}}{x=}'\n", "t'{x}'\n",
		"match x, *y:\n    case [A.b, *_] | {'a': 1, **r} if z: pass\n    case -1+2j | A(b, c=d) as e: pass\n    case _: " +
			"pass\n",
		"try: pass\nexcept A, B: pass\n", "try: pass\nexcept* A, B: pass\n", "try: pass\nexcept *A as e: pass\n",
		"with (open(a) as b, c as (d, e),): pass\n", "with (a, b): pass\n", "with (a), b as c.d: pass\n",
		"with (yield): pass\n",
		"x[*a, 1:2, b:=3]\n", "{(a := 1): 2 for b in c}\n", "lambda *a, b=1, **c: (yield)\n",
		"async def f():\n  async with a as b: await c\n",
		"print(*a, b, c=d, *e, **f)\n", "x: int = yield\n", "*a, b = c = *d, e\n", "del (a), [b, c.d], e[0]\n",
		"@a.b[c](d)\nclass E: pass\n",
	} {
		require.Nil(t, grammar.Check(text, 0), text)
	}
}

func TestEveryStatementThatFailsIsAnError(t *testing.T) {
	t.Parallel()
	found := grammar.Check("a = = 1\nb = 2\nif x\n    c = (\n    )\nelse:\n    1 +\nd d\n", 0)
	var lines []int
	for _, e := range found {
		lines = append(lines, e.Line)
	}
	require.Equal(t, []int{1, 3, 7, 8}, lines)
	require.Len(t, grammar.Check("a a\nb b\n", 1), 1)
	for _, limit := range []int{0, 101} {
		require.Len(t, grammar.Check(strings.Repeat("a b\n", 101), limit), 100)
	}
}

func TestAStatementWithABrokenTokenIsOneError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"y = (1,\n":                {"1 '(' was never closed"},
		"f(a b\nif x: pass\n":      {"1 invalid syntax"},
		"if x:\ny\n":               {"2 expected an indented block after 'if' statement on line 1"},
		"  x\n":                    {"1 unexpected indent"},
		"x y\nz = 'abc\n":          {"2 unterminated string literal (detected at line 2)", "1 invalid syntax"},
		"if x:\n    y\n  z\nz z\n": {"3 unindent does not match any outer indentation level", "4 invalid syntax"},
	} {
		var have []string
		for _, e := range grammar.Check(text, 0) {
			have = append(have, fmt.Sprintf("%d %s", e.Line, e.Text))
		}
		require.Equal(t, want, have, "%q", text)
	}
}
