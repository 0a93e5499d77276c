package python

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDocstringsAreTheFirstStringOfABody(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"a"`:                           "a",
		"# c\n\n'''a\n  b\n   c\n  '''": "a\n  b\n   c\n  ",
		`("a" # c` + "\n" + `"b")`:      "ab",
		`(("a"))`:                       "a",
		`r"\n" u'\x41\101\u00e9\U0001F600\'\q\` + "\n'": `\n` + "AAé😀'" + `\q`,
		`"\N{BULLET}\N{bullet}\N{no such}"`:             `••\N{no such}`,
		`"\ud800"`:                                      "\uFFFD",
		"'''a\r\nb\rc'''":                               "a\nb\nc",
		`"a"; x = 1`:                                    "a",
		`b"a"`:                                          "none",
		`f"a"`:                                          "none",
		`"a" f"b"`:                                      "none",
		`"a" ("b")`:                                     "none",
		`("a",)`:                                        "none",
		`"a" + "b"`:                                     "none",
		`"a".b`:                                         "none",
		`x = "a"`:                                       "none",
		"x\n'a'":                                        "none",
		"":                                              "none",
		`""`:                                            "",
	} {
		got := "none"
		if doc, ok := Parse(text).Docstring(nil); ok {
			got = doc.Raw
		}
		require.Equal(t, want, got, "%q", text)
	}
	f := Parse("class A: 'doc'; x = 1\n")
	doc, ok := f.Docstring(f.Symbols[0])
	require.True(t, ok)
	require.Equal(t, Docstring{Span{9, 14}, "doc", "doc"}, doc)
}

func TestDocstringsAreCleanedAsInspectDoes(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"a\n    b\n      c\n    ": "a\nb\n  c",
		"\n\n  a\n\n  b\n":        "a\n\nb",
		"\ta\n\tb":                "a\nb",
		"   a":                    "a",
		"a\n b\n  \n":             "a\nb\n ",
		"é\tb\n  \tc":             "é       b\nc",
		"":                        "",
		"a  \n  b  ":              "a  \nb  ",
	} {
		require.Equal(t, want, cleanDoc(raw), "%q", raw)
	}
}

func TestImportsAreTakenApart(t *testing.T) {
	t.Parallel()
	f := Parse("import a, b . c as d\nfrom . import e\nfrom ...f.g import (h as i, # c\n j,)\nfrom .... import *\n" +
		"def k():\n  import l\nif typing.TYPE_CHECKING:\n  from m import n\nelse:\n  import o\nif not TYPE_CHECKING: " +
		"import p\nfrom __future__ import µ\n")
	require.Empty(t, f.Problems)
	var got []string
	for _, i := range f.Imports() {
		line := fmt.Sprint(f.LineOf(i.Statement.Start), " ", strings.Repeat(".", i.Level), i.Module)
		for _, n := range i.Names {
			line += fmt.Sprintf(" %s/%s/%s", n.Name, n.Bound(), n.Of(f.Text))
		}
		if i.Conditional {
			line += " conditional"
		}
		if i.TypeChecking {
			line += " checking"
		}
		got = append(got, line)
	}
	require.Equal(t, []string{
		"1 a a/a/a", "1 b.c b.c/d/b . c as d", "2 . e/e/e", "3 ...f.g h/i/h as i j/j/j", "5 .... */*/*",
		"7 l l/l/l conditional", "9 m n/n/n conditional checking", "11 o o/o/o conditional", "12 p p/p/p conditional",
		"13 __future__ μ/μ/µ",
	}, got)
	require.Empty(t, Parse("import\nfrom\nfrom . import\nimport ,\nfrom x import (\n").Imports()[0].Names)
}

func TestVariablesAreWhatAssignmentsBind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"x = 1 # c":                            "x=1 alone",
		"x: int = (1)":                         "x:int=(1) alone",
		"x: int":                               "x:int alone",
		"(x): int":                             "x:int alone",
		"x += 1; y = 2":                        "x=1 alone, y=2 alone",
		"a, (b, *c), [d] = e":                  "a=e, b=e, c=e, d=e",
		"a = b = 1":                            "a=1, b=1",
		"a = b.c = 1":                          "a=1",
		"a.b = c[0] = 1":                       "",
		"a.b, c[d, e], f(g).h, i = 1":          "i=1",
		"(a, b)[0], c = 1":                     "c=1",
		"(a).b = 1":                            "",
		"(a) = [b] = 1":                        "a=1, b=1",
		"{a: b}[c], d = 1":                     "d=1",
		"'x'.y, z = 1":                         "z=1",
		"f'{a=}'.b, c = 1":                     "c=1",
		"x = y == z":                           "x=y == z alone",
		"x = lambda a=1, *, b=2: a":            "x=lambda a=1, *, b=2: a alone",
		"x: (lambda a=1: 2) = 3":               "x:(lambda a=1: 2)=3 alone",
		"x: lambda a=1: 2 = 3":                 "x:lambda a=1: 2=3 alone",
		"x = (y := 1)":                         "x=(y := 1)",
		"(x := 1)":                             "",
		"f(x=1)":                               "",
		"lambda x=1: x":                        "",
		"x == y":                               "",
		"x":                                    "",
		"yield x":                              "",
		"type X[T] = list[T]":                  "X=list[T] alone",
		"µ = 1":                                "μ=1 alone",
		"x = \\\n  1":                          "x=1 alone",
		"x = (\n1 # c\n)":                      "x=(\n1 # c\n) alone",
		"def f():\n  x = 1":                    "",
		"for x in y:\n  z = 1":                 "z=1 alone conditional",
		"with a as b: c = 1":                   "c=1 alone conditional",
		"class A:\n  x = 1\n  class B: y: int": "A.x=1 alone, A.B.y:int alone",
		"if a: x = 1\nelse: x = 2":             "x=1 alone conditional, x=2 alone conditional #2 of 2",
		"x = ":                                 "x alone",
		"= 1":                                  "",
		"x, = 1":                               "x=1",
		"*a, = b":                              "a=b",
		"print >>x, y":                         "",
	} {
		f := Parse(text)
		var got []string
		for _, v := range f.Variables() {
			line := v.Path
			if !v.Annotation.Empty() {
				line += ":" + v.Annotation.Of(text)
			}
			if !v.Value.Empty() {
				line += "=" + v.Value.Of(text)
			}
			if v.Alone {
				line += " alone"
			}
			if v.Conditional {
				line += " conditional"
			}
			if v.Ordinal > 1 {
				line += fmt.Sprintf(" #%d of %d", v.Ordinal, v.Of)
			}
			require.Equal(t, v.Name, Normalize(v.Target.Of(text)))
			got = append(got, line)
		}
		require.Equal(t, want, strings.Join(got, ", "), "%q", text)
	}
}
