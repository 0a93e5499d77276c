package grammar

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/python"
)

// bothParsers gives what the two parsers think of a text: whether it is right.
func bothParsers(text string) (fast, slow bool) {
	file := python.Parse(text)
	toks := tokensOf(file)
	_, failures := parse(text, toks, DefaultVersion)
	d := &diagnosis{src: text, lines: file.Lines, toks: toks, levels: levelsOf(toks), minor: int(DefaultVersion), steps: new(int)}
	*d.steps = leastSteps
	d.yes = d.node()
	slow = func() (ok bool) {
		defer func() {
			switch r := recover().(type) {
			case nil, complaint, exhausted:
			default:
				panic(r)
			}
		}()
		return d.passes(0) && d.toks[d.pos].sym == symEnd
	}()
	return len(failures) == 0, slow
}

func TestTheTwoParsersAgree(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"x\n", "", "if a: b\nelif c: d\nelse: e\n", "def f(a, /, b=1, *c: *d, e, **g) -> h: pass\n", "def f(a, /, b=1, c): pass\n",
		"lambda a, *, b=1: a\n", "lambda *: a\n", "[*a, b for c in d]\n", "[a for b in c if d if e async for f in g]\n", "{**a, b: c}\n",
		"f(a, *b, c=d, **e)\n", "f(**a, *b)\n", "f(a for b in c)\n", "f(a for b in c, d)\n", "class A(a for b in c): pass\n",
		"a.b[c:d, *e] = f = yield g\n", "(a, b): int\n", "(a): int = b\n", "a, b += c\n", "for a.b, *c in *d, e: f\n", "with (a as b, c): d\n",
		"with (a, b) as c: d\n", "try: a\nexcept b as c: d\nelse: e\nfinally: f\n", "try: a\n", "try: a\nexcept* b: c\nexcept d: e\n",
		"match a:\n  case b.c | -1 | 'd' | {'e': f, **g} | h(i, j=k) | [*_, l] as m if n: o\n", "match a:\n  case b: c\nd\n",
		"type A[B: C, *D, **E] = F\n", "@a\nasync def b(): await c\n", "del a, (b, [c.d])\n", "del a()\n", "from . import (a as b, c,)\n",
		"from .a import b,\n", "import a.b as c, d\n", "global a, b; nonlocal c\n", "raise a from b; assert c, d; return *e, f\n",
		"f'{a!r:>{b}} {c=}'\n", "f'{a b}'\n", "a if b else c if d else e\n", "not a in b is not c < d\n", "a := b\n", "(a := b)\n", "x[a := b]\n",
		"-a ** ~b @ c // d\n", "await a ** b\n", "*a = b\n", "(*a)\n", "a; b;\n", "if a:\n  b\n c\n", "  a\n",
	} {
		fast, slow := bothParsers(text)
		require.Equal(t, fast, slow, text)
	}
}
