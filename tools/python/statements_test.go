package python

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var kindNames = map[StatementKind]string{
	Simple: "simple", Def: "def", Class: "class", If: "if", Elif: "elif", Else: "else", For: "for", While: "while",
	Try: "try", Except: "except", Finally: "finally", With: "with", Match: "match", Case: "case",
	ImportModules: "import", ImportFrom: "from", Return: "return", Raise: "raise", Pass: "pass", Break: "break",
	Continue: "continue", Del: "del", Assert: "assert", Global: "global", Nonlocal: "nonlocal", TypeAlias: "type",
}

// draw shows statements, one to a line: kind, text on one line, and where the header ends.
func draw(f *File, body []*Statement, depth int) string {
	var b strings.Builder
	for _, s := range body {
		text := strings.NewReplacer("\n", "⏎", "\r", "␍", "\f", "␌").Replace(f.Text[s.Start:s.Header.End])
		kind := kindNames[s.Kind]
		if s.Async {
			kind = "async " + kind
		}
		if s.Inline {
			kind = "inline " + kind
		}
		fmt.Fprintf(&b, "%s%s: %s\n", strings.Repeat("  ", depth), kind, text)
		b.WriteString(draw(f, s.Body, depth+1))
	}
	return b.String()
}

func TestStatementsAreFoundInBlocks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"semicolons": {"x = 1; y = 2;\nz", "simple: x = 1\nsimple: y = 2\nsimple: z\n"},
		"one-line suites": {"class A: x = 1; pass\nif x: y\nelse: z", "inline class: class A:\n  simple: x = 1\n  pass: " +
			"pass\ninline if: if x:\n  simple: y\ninline else: else:\n  simple: z\n"},
		"clauses": {"try:\n x\nexcept* A as e:\n y\nelse:\n z\nfinally:\n w", "try: try:\n  simple: x\nexcept: " +
			"except* A as e:\n  simple: y\nelse: else:\n  simple: z\nfinally: finally:\n  simple: w\n"},
		"async": {"async def f():\n async for x in y:\n  pass\n async with z: w", "async def: async def " +
			"f():\n  async for: async for x in y:\n    pass: pass\n  inline async with: async with z:\n    simple: w\n"},
		"lambda": {"if lambda x=lambda: 1: 2: pass\nwhile (lambda: 1): y",
			"inline if: if lambda x=lambda: 1: 2:\n  pass: pass\ninline while: while (lambda: 1):\n  simple: y\n"},
		"slices, walrus": {"if x[1:2] and (y := 3) or {4: 5}: z\nif a:=b: c",
			"inline if: if x[1:2] and (y := 3) or {4: 5}:\n  simple: z\ninline if: if a:=b:\n  simple: c\n"},
		"type parameters": {"def f[T: int, *U, **V](x: T) -> U: x\nclass A[T: (a, b)](B): y",
			"inline def: def f[T: int, *U, **V](x: T) -> U:\n  simple: x\ninline class: class A[T: (a, b)](B):\n  simple: y\n"},
		"joined lines":       {"x = (1,\n\n# c\n2)\ny = 1 + \\\n  2", "simple: x = (1,⏎⏎# c⏎2)\nsimple: y = 1 + \\⏎  2\n"},
		"dedent in brackets": {"def f():\n  x = (a.\nb)\n  y", "def: def f():\n  simple: x = (a.⏎b)\n  simple: y\n"},
		"all simple kinds": {"import a\nfrom b import c\ndel d\nassert e\nglobal " +
			"f\nraise\nreturn\nbreak\ncontinue\nnonlocal g", "import: import a\nfrom: from b import c\ndel: del d\nassert: " +
			"assert e\nglobal: global f\nraise: raise\nreturn: return\nbreak: break\ncontinue: continue\nnonlocal: nonlocal g\n"},
		"match": {"match x, *y:\n case [1]: pass\n case {'a': b} if c:\n  d",
			"match: match x, *y:\n  inline case: case [1]:\n    pass: pass\n  case: case {'a': b} if c:\n    simple: d\n"},
		"match with bracket": {"match (x):\n case _: y\nmatch[x]: int\nmatch -x:\n case 1: z", "match: match (x):\n  " +
			"inline case: case _:\n    simple: y\nsimple: match[x]: int\nmatch: match -x:\n  inline case: case 1:\n    " +
			"simple: z\n"},
		"match the name": {
			"match = 1\nmatch: int = 2\nmatch.x\nmatch(x)\nmatch[1:2]\nmatch * y\nmatch in z; match\nmatch",
			"simple: match = 1\nsimple: match: int = 2\nsimple: match.x\nsimple: match(x)\nsimple: match[1:2]\nsimple: match " +
				"* y\nsimple: match in z\nsimple: match\nsimple: match\n"},
		"case the name": {"case = 1\ncase(x)\nif case: y", "simple: case = 1\nsimple: case(x)\ninline if: if case:\n  " +
			"simple: y\n"},
		"type aliases": {"type X = int\ntype Y[T] = T; type = 1\ntype(x)\ntype in y\ntype X",
			"type: type X = int\ntype: type Y[T] = T\nsimple: type = 1\nsimple: type(x)\nsimple: type in y\nsimple: type X\n"},
		"line ends": {"if x:\r  y\r\n  z\na\x0b\fb\n", "if: if x:\n  simple: y\n  simple: z\nsimple: a\x0b␌b\n"},
		"strings hide": {"x = '''\ndef f(): pass\n'''\n'#'; \"a\\\nb:\"",
			"simple: x = '''⏎def f(): pass⏎'''\nsimple: '#'\nsimple: \"a\\⏎b:\"\n"},
		"form feed":          {"if x:\n\f  y\n  \f  z\n", "if: if x:\n  simple: y\n  simple: z\n"},
		"joined indentation": {"if x:\n  \\\n      y\n  z\n", "if: if x:\n  simple: y\n  simple: z\n"},
		"comments between":   {"if x:\n# c\n  y\n# d\n      # e\n  z # f\n", "if: if x:\n  simple: y\n  simple: z\n"},
		"else within": {"for x in y:\n  if z: w\nelse:\n  v", "for: for x in y:\n  inline if: if z:\n    simple: " +
			"w\nelse: else:\n  simple: v\n"},
	} {
		f := Parse(c.text)
		require.Equal(t, c.want, draw(f, f.Body, 0), name)
	}
}

func TestADamagedTextKeepsMostOfItsStructure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"open bracket": {"x = (1,\ny = 2\ndef f():\n  return [\nclass A:\n  pass",
			"simple: x = (1,⏎y = 2\ndef: def f():\n  return: return [\nclass: class A:\n  pass: pass\n"},
		"wrong bracket":        {"x = f(a[1)\ny", "simple: x = f(a[1)\nsimple: y\n"},
		"open quote":           {"x = 'a\ny = f'{b\"\nz", "simple: x = 'a\nsimple: y = f'{b\"\nsimple: z\n"},
		"open bracket in text": {"x = f'''{(\ndef f\n'''\ny", "simple: x = f'''{(⏎def f⏎'''\nsimple: y\n"},
		"no colon": {"def f()\n  x\nif y\n  z\nw",
			"def: def f()\n  simple: x\nif: if y\n  simple: z\nsimple: w\n"},
		"no block":          {"def f():\nx\nclass A:", "def: def f():\nsimple: x\nclass: class A:\n"},
		"unexpected indent": {"x\n    y\n    z\nw", "simple: x\nsimple: y\nsimple: z\nsimple: w\n"},
		"unindent":          {"if x:\n    y\n  z\nw", "if: if x:\n  simple: y\n  simple: z\nsimple: w\n"},
		"decorators alone":  {"@a\n@b\nx\n@c", "simple: @a\nsimple: @b\nsimple: x\nsimple: @c\n"},
		"no name": {"def (x): pass\nclass:\n  y", "inline simple: def (x):\n  pass: pass\nsimple: class:\n  " +
			"simple: y\n"},
		"compound in a line": {"if x: if y: z\na; for b in c: d", "inline if: if x:\n  simple: if y: z\nsimple: a\nsimple: " +
			"for b in c: d\n"},
	} {
		f := Parse(c.text)
		require.Equal(t, c.want, draw(f, f.Body, 0), name)
		require.NotEqual(t, name == "decorators alone", len(f.Problems) > 0, name)
	}
}

func TestDecoratorsBelongToTheirDefinition(t *testing.T) {
	t.Parallel()
	f := Parse("@a\n@ b . c(\n1) # d\n# e\n\n@(x\n)\nasync def f(): pass\nclass A:\n  @p.setter\n  def m(self): pass;\n")
	require.Equal(t, []string{"a", "b . c(\n1)", "(x\n)"}, f.Decorators(f.Symbols[0]))
	require.Equal(t, []string{"p.setter"}, f.Decorators(f.Symbols[2]))
	require.Equal(t, 1, f.StartLine(f.Symbols[0]))
	require.Equal(t, 8, f.Line(f.Symbols[0]))
	require.Equal(t, "  @p.setter\n  def m(self): pass;", f.Source(f.Symbols[2]))
	require.Equal(t, "def m(self): pass;", f.Symbols[2].Statement.Of(f.Text))
}

func TestIndentIsWhatStandsInFrontOfTheLine(t *testing.T) {
	t.Parallel()
	f := Parse("if x:\n \t y; z\n \f \t if a: b\n")
	require.Empty(t, f.Problems)
	require.Equal(t, "", f.Body[0].Indent)
	require.Equal(t, " \t ", f.Body[0].Body[1].Indent)
	require.Equal(t, " \t ", f.Body[0].Body[2].Indent)
	require.Equal(t, " \t ", f.Body[0].Body[2].Body[0].Indent)
}
