package grammar_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/python/grammar"
)

// seeds are texts that fuzzing begins with.
var seeds = []string{
	"", "\n", "x", "def f(a, /, *, b: int = 1) -> c:\n\treturn [x for x in y if z]\n",
	"match x:\n case {'a': [*_]} | A(b=c): pass\n",
	"f'{a!r:{b}}' '\\x'", "f\"{x:{y:{z}}}", "if x:\n  try:\n y\n", "print 'x'\n", "x = (1,\ndef f(): pass\n",
	"class A[T: (int, str) = int](B, metaclass=C): pass",
	"try: pass\nexcept* (A, B) as c: pass\n", "with (a as b, c): pass\n", "f(a for b in c, *d, **e, g=1, 2)",
	"\ufeffx\r\ty\f\\\n\n", "\x00é\xff", "@a\n@b\nasync def c(): await d\n",
	"lambda *, **k: (yield) = 1\n", "{a: b, **c, d}", "from . import (a, b,)\nfrom a import *,\nimport a.b as c\n",
	"del (a, [b]), c()\n", "type X[*T = *int] = y\n",
}

func FuzzCheckAndAnalyze(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4_000 {
			return
		}
		for _, e := range grammar.Check(text, 5) {
			require.Positive(t, e.Line)
			require.GreaterOrEqual(t, e.Column, 0)
			require.NotEmpty(t, e.Text)
			require.NotContains(t, e.Source, "\n")
		}
		names := grammar.Analyze(text)
		last := 0
		for _, u := range names.Uses {
			require.LessOrEqual(t, last, u.Span.Start)
			require.Less(t, u.Span.Start, u.Span.End)
			require.LessOrEqual(t, u.Span.End, len(text))
			last = u.Span.Start
		}
		for _, s := range names.Scopes {
			for key, uses := range s.Bound {
				for _, i := range uses {
					require.Equal(t, key, names.Uses[i].Key)
					require.Same(t, s, names.Uses[i].Binding)
				}
			}
		}
	})
}

func TestDeepAndLongTextsEndInAnAnswer(t *testing.T) {
	t.Parallel()
	const n = 50_000
	for name, text := range map[string]string{
		"brackets": strings.Repeat("(", n), "closed brackets": strings.Repeat("(", n) + strings.Repeat(")", n),
		"unary": strings.Repeat("-", n) + "1",
		"not":   strings.Repeat("not ", n) + "x", "lambdas": strings.Repeat("lambda: ", n) + "x",
		"conditions": strings.Repeat("a if b else ", n) + "x",
		"sums":       strings.Repeat("a + ", n) + "x", "attributes": "a" + strings.Repeat(".b", n), "calls": "a" +
			strings.Repeat("()", n),
		"assignments": strings.Repeat("a = ", n) + "x", "decorators": strings.Repeat("@a\n", n) + "class A: pass",
		"f-strings": strings.Repeat("f'{", n),
		"patterns":  "match x:\n case " + strings.Repeat("[", n) + ": pass", "statements": strings.Repeat("a b\n", n),
		"braces":    strings.Repeat("{a:", n),
		"bad calls": strings.Repeat("f(a b, ", 300), "bad sets": strings.Repeat("{a = b, ", 300), "blocks": blocks(n),
		"targets":     "for " + strings.Repeat("[", 500) + " in x: pass",
		"comparisons": strings.Repeat("a < ", n) + "x x", "strings": strings.Repeat("'a' ", n) + "x", "arguments": "f(" +
			strings.Repeat("a, ", n) + "b c)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			grammar.Check(text, 3)
			grammar.Analyze(text)
		})
	}
}

// blocks nests n blocks, as deep as a line allows.
func blocks(n int) string {
	var b strings.Builder
	for i := range min(n, 1_000) {
		b.WriteString(strings.Repeat(" ", i) + "if x:\n")
	}
	return b.String()
}
