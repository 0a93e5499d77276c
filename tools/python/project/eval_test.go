package project

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const library1 = `lib.py: import abc
class Base:
    kind = "x"
    def me(self): return self
    @classmethod
    def make(cls): return cls()
    @property
    def part(self) -> "Part": ...
    def __enter__(self) -> "Part": ...
    def __call__(self) -> "Part": ...
class Sub(Base):
    def __init__(self, other: "Part | None"):
        self.field = Part()
        self.other = other
class Part:
    def turn(self): ...
def build(): return Sub(None)
def typed() -> "Base": ...
async def later() -> Part: ...
made = Sub(None)
`

func TestExpressionsStandForWhatPythonMakesOfThem(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"lib.Base":                       "class Base",
		"lib.Base()":                     "instance Base",
		"lib.Base().me()":                "instance Base",
		"lib.Sub.make()":                 "instance Base",
		"lib.Sub(None).part":             "instance Part",
		"lib.Sub(None).part.turn":        "function Part.turn",
		"lib.Sub(1).field.turn":          "function Part.turn",
		"lib.Sub(1).other":               "instance Part",
		"lib.Sub(1).kind":                "library str",
		"lib.build().field":              "instance Part",
		"lib.typed().me":                 "function Base.me",
		"lib.made.field":                 "instance Part",
		"lib.Base()()":                   "instance Part",
		"lib.Base or lib.Part":           "",
		"lib.Base if x else lib.Part":    "",
		"lib.Base[int]()":                "instance Base",
		"lib.nothing":                    "",
		"lib.Sub.nothing":                "",
		"len":                            "builtin len",
		"os.path.join":                   "library os.path.join",
		"'a'.join":                       "library str.join",
		"[1].append":                     "library list.append",
		"again.Base":                     "class Base",
		"Alias()":                        "instance Base",
		"(await lib.later()).turn":       "function Part.turn",
		"unknown.x.y(1)[2]":              "",
		"lib.Base().me().me().part.turn": "function Part.turn",
		"1 + lib.Base":                   "",
		"lambda: 1":                      "",
		"":                               "",
		"(((":                            "",
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			p := made(library1, "use.py: import lib, os\nimport lib as again\nfrom lib import Base as Alias\nx = "+expression+
				"\n")
			u := p.Unit("use.py")
			at := strings.LastIndex(u.Text(), "x = ") + 4
			s := u.statementAt(at)
			if s == nil {
				return
			}
			tokens := u.tokens(s.Span)
			var got []string
			for _, v := range p.resolver().evalTokens(u, tokens[min(2, len(tokens)):]) {
				got = append(got, describeValue(v))
			}
			require.Equal(t, want, strings.Join(got, ", "))
		})
	}
}

func describeValue(v value) string {
	kind := map[kind]string{
		kindModule: "module", kindClass: "class", kindFunction: "function", kindInstance: "instance", kindSuper: "super",
		kindVariable: "variable", kindParameter: "parameter", kindLibrary: "library", kindBuiltin: "builtin",
	}[v.kind]
	if v.symbol != nil {
		return kind + " " + v.symbol.Path
	}
	return kind + " " + v.name
}

func TestCirclesEnd(t *testing.T) {
	t.Parallel()
	p := made(
		"a.py: from b import *\nfrom b import x as y\nclass A(B): ...\nz = z.z\ndef f(): return f()\n",
		"b.py: from a import *\nfrom a import y as x\nclass B(A): ...\n",
		"c.py: from c import *\nimport c\nc = c.c.c\n",
	)
	everyUse(p)
	starred := []string{"fields.py: class A:\n    def m(self):\n" + strings.Repeat("        self.x = self.x.y or "+
		"self.y.x\n        self.y = self.x.x or self.y\n", 50) + "A().x.y\n"}
	for i := range 12 {
		text := ""
		for j := range 12 {
			text += fmt.Sprintf("from m%d import *\nfrom m%d import f\n", j, j)
		}
		starred = append(starred, fmt.Sprintf("m%d.py: %sunknown\n", i, text))
	}
	everyUse(made(starred...))
	deep := "d.py: x0 = 1\n"
	for i := range 3_000 {
		deep += fmt.Sprintf("x%d = x%d\n", i+1, i)
	}
	p = made(deep + "y = " + strings.Repeat("(", 5_000) + "x3000" + strings.Repeat(")", 5_000) + "\n")
	everyUse(p)
}

// everyUse asks what every name of a project refers to and stands for.
func everyUse(p *Project) {
	for _, u := range p.units {
		r := p.resolver()
		for i := range u.Names().Uses {
			use := &u.Names().Uses[i]
			r.allOrigins(r.refer(u, use).targets)
			r.used(u, *use)
		}
	}
}
