package python

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProblemsHaveTheWordsAndPlacesOfCPython(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"x = 'abc\n":                    "4 unterminated string literal (detected at line 1)",
		"'a\\\nb\n":                     "0 unterminated string literal (detected at line 2)",
		"x = b'''abc\n\n":               "4 unterminated triple-quoted string literal (detected at line 2)",
		"x = f'abc\n":                   "4 unterminated f-string literal (detected at line 1)",
		"x = f'''abc\n":                 "4 unterminated triple-quoted f-string literal (detected at line 1)",
		"x = f'{a'\n":                   "8 f-string: expecting '}'",
		"f'}'\n":                        "2 f-string: single '}' is not allowed",
		"f'{a)}'\n":                     "4 f-string: unmatched ')'",
		"f'{a:{b:{c:{d}}}}'\n":          "10 f-string: expressions nested too deeply",
		"if x:\n  y = (\n\n":            "12 '(' was never closed",
		"x = [\ndef f(): pass\n":        "4 '[' was never closed",
		"(]\n":                          "1 closing parenthesis ']' does not match opening parenthesis '('",
		"{\n)\n":                        "2 closing parenthesis ')' does not match opening parenthesis '{' on line 1",
		"x = )\n":                       "4 unmatched ')'",
		strings.Repeat("(", 201) + "\n": "200 too many nested parentheses",
		"x=1\\ \ny\n":                   "4 unexpected character after line continuation character",
		"x=1\\\n":                       "4 unexpected EOF while parsing",
		"a\u00a0b\n":                    "1 invalid non-printable character U+00A0",
		"a\x0bb\n":                      "1 invalid non-printable character U+000B",
		"x = 5€\n":                      "5 invalid character '€' (U+20AC)",
		"a\x00b\n":                      "1 source code cannot contain null bytes",
		"x = 12a\n":                     "5 invalid decimal literal",
		"1__0\n":                        "1 invalid decimal literal",
		"1.5_\n":                        "3 invalid decimal literal",
		"0xg\n":                         "1 invalid hexadecimal literal",
		"0o18\n":                        "3 invalid digit '8' in octal literal",
		"0b\n":                          "1 invalid binary literal",
		"1ja\n":                         "1 invalid imaginary literal",
		"x = 0777\n": "4 leading zeros in decimal integer literals are not permitted; use an 0o prefix " +
			"for octal integers",
		"b'é'\n":                                   "0 bytes can only contain ASCII literal characters",
		"if x\n  y\n":                              "4 expected ':'",
		"x\n  y\n":                                 "3 unexpected indent",
		"if x:\n  a\n b\n":                         "12 unindent does not match any outer indentation level",
		"if x:\n\ta\n        b\n":                  "9 inconsistent use of tabs and spaces in indentation",
		"if x:\n  if y:\n\tb\n":                    "14 inconsistent use of tabs and spaces in indentation",
		"if a:\npass\n'abc\n":                      "11 unterminated string literal (detected at line 3)",
		"x = (\ndef f():\n  y = 'a\n":              "21 unterminated string literal (detected at line 3)",
		"if a:\n  if b:\n":                         "13 expected an indented block after 'if' statement on line 2",
		"class A:\n# c\n\n":                        "13 expected an indented block after class definition on line 1",
		"async def f():\nx\n":                      "15 expected an indented block after function definition on line 1",
		"match x:\n case 1:\n y\n":                 "19 expected an indented block after 'case' statement on line 2",
		"try:\n x\nexcept *A:\ny\n":                "19 expected an indented block after 'except*' statement on line 3",
		"async def f():\n async for x in y:\n z\n": "35 expected an indented block after 'for' statement on line 2",
	} {
		p, broken := Broken(text)
		require.True(t, broken, "%q", text)
		require.Equal(t, want, fmt.Sprint(p.Offset, " ", p.Text), "%q", text)
	}
}

func TestEveryHeaderNamesItsMissingBlock(t *testing.T) {
	t.Parallel()
	for header, name := range map[string]string{
		"if x:": "'if' statement", "while x:": "'while' statement", "for x in y:": "'for' statement",
		"with x:": "'with' statement", "try:": "'try' statement", "def f():": "function definition",
		"class A:": "class definition", "match x:": "'match' statement", "elif x:": "'elif' statement",
		"else:": "'else' statement", "except:": "'except' statement", "finally:": "'finally' statement",
	} {
		p, _ := Broken(header + "\nx\n")
		require.Equal(t, Problem{len(header) + 1, "expected an indented block after " + name + " on line 1", IndentationError,
			parsed, len(header) + 1}, p)
	}
}

func TestOnlySoManyLevelsOfIndentation(t *testing.T) {
	t.Parallel()
	nested := func(levels int) string {
		var b strings.Builder
		for i := range levels {
			b.WriteString(strings.Repeat(" ", i) + "if x:\n")
		}
		return b.String() + strings.Repeat(" ", levels) + "x\n"
	}
	require.Empty(t, Parse(nested(99)).Problems)
	p, _ := Broken(nested(100))
	require.Equal(t, "too many levels of indentation", p.Text)
	require.Equal(t, IndentationError, p.Type)
}

func TestValidTextsHaveNoProblems(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "\n", "# c", "\f\n\t\n  # c\nx", "\\\n\n", "x = 1 \\\n\n", "1if 2else 3\n", "0xfor x in y\n",
		"1or 2; 00; 0e0; 00.5; 09j; 0_0; 0xf_f; 1_0.0_1e1_0j; 1..a; .5\n",
		"if x:\n\ty\n\tz\n", "if x:\n  \ty\n  \tz\n", "µ = ªº·\n" + "℘x = 1\n", "f'{a:{b:{c}}}{{}}\\N{DASH}\\{x}'\n",
		"f'{x!r:>{w}}{y=}{z!=1}{(lambda: 1)}{ {1: 2}[1] }'\n",
		"f'{\nx # c\n}'\n", "f'{f'{'a'}'}'\n", "f'''{'''a'''}'''\n", "rf'\\{x}' fr\"{x}\\\"\" Rb'\\'' bR\"\" u'' U''\n",
		"f'{x:\n}'\n", "f'{x:%H:%M}'\n", "t'{x}' rt'{y}'\n",
		"x = '\\\r\n'\r\n", "if x: # c\n  y\n", "class A: pass;\n", "a <> b, c -> d, e ... f, g @= h\n",
	} {
		require.Empty(t, Parse(text).Problems, "%q", text)
	}
}

func TestAnErrorOfTheParserGivesWayToTheTokenizer(t *testing.T) {
	t.Parallel()
	p, ok := Parse("x y\n'abc\n").InsteadOf(1)
	require.True(t, ok)
	require.Equal(t, "unterminated string literal (detected at line 2)", p.Text)
	p, ok = Parse("f(\nx y\n").InsteadOf(2)
	require.True(t, ok)
	require.Equal(t, "'(' was never closed", p.Text)
	_, ok = Parse("x y\nz\n").InsteadOf(1)
	require.False(t, ok)
	_, ok = Parse("x y\nf'abc\n").InsteadOf(1)
	require.False(t, ok)
}
