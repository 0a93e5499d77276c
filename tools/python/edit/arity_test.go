package edit_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCallsThatDoNotFitANewSignatureAreListed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, name, signature string
		problems              []string
	}{
		"a required parameter more": {"def f(a): pass\nf(1)\nf(a=1)\n", "f", "def f(a, b)", []string{"does not pass b",
			"does not pass b"}},
		"a default makes it fit": {"def f(a): pass\nf(1)\n", "f", "def f(a, b=1)", nil},
		"a parameter less": {"def f(a, b): pass\nf(1, 2)\nf(1, b=2)\n", "f", "def f(a)",
			[]string{"passes 2 positional arguments, 1 accepted", "passes 'b', which is not accepted"}},
		"positional only": {"def f(a): pass\nf(a=1)\n", "f", "def f(a, /)",
			[]string{"passes 'a', which is not accepted"}},
		"keyword only": {"def f(a, b): pass\nf(1, 2)\nf(1, b=2)\n", "f", "def f(a, *, b)",
			[]string{"passes 2 positional arguments, 1 accepted"}},
		"what collects takes all":       {"def f(a): pass\nf(1)\n", "f", "def f(*a, **b)", nil},
		"what is unpacked is not known": {"def f(a): pass\nf(*x)\nf(**x)\n", "f", "def f()", nil},
		"what did not fit before":       {"def f(a): pass\nf(1, 2, 3)\n", "f", "def f(a, b)", nil},
		"a generator is one argument": {"def f(a): pass\nf(x for x in y)\n", "f", "def f()",
			[]string{"passes 1 positional argument, 0 accepted"}},
		"self": {"class A:\n    def m(self, a): pass\n    def n(self): self.m(1)\nA().m(1)\nA.m(x, 1)\n",
			"A.m", "def m(self)", []string{
				"passes 1 positional argument, 0 accepted", "passes 1 positional argument, 0 accepted",
				"passes 2 positional arguments, 1 accepted"}},
		"static method": {"class A:\n    @staticmethod\n    def m(a): pass\nA.m(1)\n", "A.m", "def m()",
			[]string{"passes 1 positional argument, 0 accepted"}},
		"constructor": {"class A:\n    def __init__(self): pass\nA()\n", "A.__init__", "def __init__(self, a)",
			[]string{"does not pass a"}},
		"a lambda's commas":        {"def f(a): pass\nf(1)\n", "f", "def f(a, b=lambda x, y=(1, 2): x, *c)", nil},
		"an annotation's brackets": {"def f(a): pass\nf(1)\n", "f", "def f(a: dict[str, int] = {1: 2, 3: 4})", nil},
		"given twice":              {"def f(b, a): pass\nf(1, a=2)\n", "f", "def f(a, b)", []string{"passes 'a' twice"}},
		"another name's method":    {"def f(a): pass\nx.f(1)\n", "f", "def f()", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, calls, err := open(t, c.text).SetSignature(c.name, c.signature)
			require.NoError(t, err)
			var problems []string
			for _, call := range calls {
				problems = append(problems, call.Problem)
			}
			require.Equal(t, c.problems, problems)
		})
	}
}
