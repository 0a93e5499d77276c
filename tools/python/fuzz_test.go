package python

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// snippets are texts that are hard to read, one for each trap.
var snippets = []string{
	"",
	"\f\n\tx\n",
	"if x:\n\ty\n        z\n",
	"class A: x = 1; y = 2;\n",
	"def f(a=lambda: 1, *, b: lambda x: x = {1: 2}) -> lambda: 3: pass\n",
	"@a\n@ b . c(\n1)\n# c\n\n@(d)\nasync def f[T: int, *U, **V](x): return\n",
	"match x:\n  case [1, {'a': b}] if b: pass\n  case _:\n    y\nmatch = case = type = 1\nmatch (x)\nmatch[x]: int = 3\n",
	"type X[T] = int; type = 1\ntype (x)\n",
	"x = f'{a!r:{b}>{c}}{{}}' rf\"\\{d}\" f'''{\n# comment '\ne}''' f'{f'{f'{1}'}'}'\n",
	"f'{a:{b:{c:{d}}}}' t'{x:\n}' f'{x:=5}' f'{lambda x: 1}' f'{x!=y}' f'{x=}' f'\\N{DASH}{y}'\n",
	"x = (\n  1,\ny = 2\ndef f():\n  return [\nclass A:\n  pass\n",
	"x = 'a\\\nb' \\\n  'c'\n\\\n  y\n  \\\nz\n",
	"if a: pass\nelif b:\n  pass\nelse: x; y\ntry:\n  x\nexcept* A: y\nfinally: z\n",
	"def f():\n  '''doc\n   more\n  '''\nclass B: ('a' \"\"\"b\"\"\")\n",
	"from . import (a as b, # c\n c,)\nfrom ...x.y import *\nimport a . b as c, d\nif TYPE_CHECKING:\n  import e\n",
	"a, (b, *c), d.e, f[0] = g = h; (i): int = 1; j += 1; k: str; [l, m] = n = (o := 1)\n",
	"0777 1__0 0x 1e 1.5a 0o8 1_ 0b2 1if 2else 3 1..a 0_0 00.5j\n",
	"\u00b5 = 1\ndef \u03bc(): \u00e9\u20ac\u00a0\n",
	"x = '\n\"\ny = '''\n",
	"(]\n)}\n{(\n",
	"a\x00b\r\nc\rd\v\u2028e\n",
	"if x:\npass\n  y\n z\n      else\nwhile\n\tdef\n",
	"for x in y\n  async with z as w:\n\n\n    # c\n    v\nasync x\nasync\n",
	"\xff\xfe = '\xff'\nx\xc3 = 1\n",
	"x = \\",
	"def f(); x\n  y\nif a;\n  b\n",
	"@d\n",
	"@d\nx = 1\nclass A:\n  @e\n",
}

func FuzzParse(f *testing.F) {
	for _, s := range snippets {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := Parse(text)
		sound(t, file)
		exercise(file)
		_, broken := file.Broken()
		require.Equal(t, len(file.Problems) > 0, broken)
		for _, part := range []int{len(text) / 3, len(text) / 2} {
			sound(t, Parse(text[:part]))
		}
	})
}

// sound asserts what must hold of every file.
func sound(t *testing.T, f *File) {
	t.Helper()
	previous := 0
	for s := range f.Statements() {
		where := fmt.Sprintf("statement at %d", s.Start)
		require.LessOrEqual(t, previous, s.OuterStart(), where)
		previous = s.OuterStart()
		require.LessOrEqual(t, s.OuterStart(), s.Start, where)
		require.LessOrEqual(t, s.Start, s.Header.End, where)
		require.LessOrEqual(t, s.Header.End, s.End, where)
		require.LessOrEqual(t, s.End, len(f.Text), where)
		require.Equal(t, s.Start, s.Header.Start, where)
		require.Equal(t, s.Kind == Def || s.Kind == Class, s.Symbol != nil, where)
		end := s.Header.End
		for _, child := range s.Body {
			require.Same(t, s, child.Parent, where)
			require.LessOrEqual(t, end, child.OuterStart(), where)
			require.LessOrEqual(t, child.End, s.End, where)
			end = child.End
		}
	}
	line := 0
	for _, s := range f.Symbols {
		require.LessOrEqual(t, line, f.Line(s))
		line = f.Line(s)
		require.LessOrEqual(t, f.StartLine(s), line)
		require.LessOrEqual(t, line, f.EndLine(s))
		require.LessOrEqual(t, s.Ordinal, s.Of)
		require.Contains(t, f.Find(fmt.Sprintf("%s#%d", s.Path, s.Ordinal)), s)
		require.Contains(t, f.Source(s), f.Signature(s))
	}
	for _, p := range f.Problems {
		require.NotEmpty(t, p.Text)
		require.LessOrEqual(t, p.Offset, len(f.Text))
		require.GreaterOrEqual(t, p.Offset, 0)
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range snippets {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := Parse(text)
		at := 0
		for token := range file.Tokens(Span{0, len(text)}) {
			require.LessOrEqual(t, at, token.Start)
			require.LessOrEqual(t, token.Start, token.End)
			between := strings.Trim(text[at:token.Start], " \t\f\\\r\n")
			require.Empty(t, between, "text that belongs to no token")
			at = token.End
		}
		require.Empty(t, strings.Trim(text[at:], " \t\f\\\r\n"))
		places(t, file)
	})
}

// places compares InString and Joined, which begin at the statement before the line, with one pass over
// the whole text.
func places(t *testing.T, f *File) {
	t.Helper()
	l := f.lexer(len(f.Text))
	l.trivia = true
	line, kind := 1, Newline
	for line <= len(f.Lines) {
		at := f.Lines[line-1].Start
		inString, joined := l.innermost() >= 0, len(l.stack) > 0 || kind != Newline
		if l.pos < at {
			kind = l.next()
			switch {
			case l.start >= at:
				joined = true
			case l.pos > at:
				inString, joined = true, true
			default:
				continue
			}
			for ; line <= len(f.Lines) && f.Lines[line-1].Start < l.pos; line++ {
				within := l.start < f.Lines[line-1].Start
				require.Equal(t, inString || within, f.InString(line), "line %d", line)
				require.Equal(t, joined, f.Joined(line), "line %d", line)
			}
			continue
		}
		require.Equal(t, inString, f.InString(line), "line %d", line)
		require.Equal(t, joined, f.Joined(line), "line %d", line)
		line++
	}
}

func FuzzDocstring(f *testing.F) {
	for _, s := range []string{`"a\n\x41\u00e9\N{BULLET}\777\q"`, `r"\n"`, "'''a\r\n\tb\r  c'''", `"\ud800"`, `u'x' "y"`,
		`"\N{`, `"\x`, "'\\\r\n'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc, ok := Parse(text).Docstring(nil)
		if ok && utf8.ValidString(text) {
			require.True(t, utf8.ValidString(doc.Raw))
		}
	})
}
