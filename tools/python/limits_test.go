package python

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bombs are texts of about the given size that cost a careless reader its stack, its memory or the
// square of their length.
func bombs(mega int) map[string]string {
	repeat := func(piece string, size int) string { return strings.Repeat(piece, size/len(piece)) }
	deep := func(line string, levels int) string {
		var b strings.Builder
		for i := range levels {
			b.WriteString(strings.Repeat(" ", i) + line + "\n")
		}
		return b.String()
	}
	return map[string]string{
		"brackets":               repeat("(", mega),
		"brackets on lines":      repeat("[\n", mega),
		"brackets and back":      repeat("(", mega/40) + repeat(")", mega/40),
		"closing brackets":       repeat(")", mega),
		"brackets that differ":   repeat("([{", mega/4) + repeat(")", mega/4),
		"mismatches":             repeat("(]", mega),
		"open quotes":            repeat("'\n", mega),
		"open quotes deep":       repeat("(", mega/80) + repeat("'\n", mega/2),
		"backslashes":            repeat("\\", mega),
		"joined lines":           repeat("\\\n", mega),
		"joined lines with text": repeat("x\\\n", mega),
		"string of backslashes":  `"` + repeat("\\", mega),
		"long string":            `"""` + repeat("\\\"\"", mega),
		"f-strings in f-strings": repeat(`f'{`, mega),
		"fields of one line":     "f'" + repeat("{x}", mega) + "'",
		"fields of many lines":   "f'''" + repeat("{x\n}", mega) + "'''",
		"specifications":         "f'" + repeat("{a:", mega),
		"open fields on lines":   repeat("f'{\n", mega),
		"open triples in fields": repeat("f'''{'''", mega),
		"keywords in fields":     "f'''" + repeat("{(\ndef f():\n", mega),
		"one line":               "x = [" + repeat("1, ", mega) + "]\n",
		"semicolons":             repeat("x;", mega),
		"blank lines":            repeat("\n", mega),
		"CR":                     repeat("#\r", mega),
		"CRLF":                   repeat("x\r\n", mega),
		"comments":               repeat("#\n", mega) + "def f(): pass\n",
		"decorators":             repeat("@a\n", mega),
		"one-line definitions":   repeat("def f(): x\n", mega),
		"inline headers":         repeat("if x:", mega),
		"headers without blocks": repeat("if x:\n", mega),
		"deep blocks":            deep("if x:", 3000),
		"deep classes":           deep("class A:", 3000),
		"saw of indentation":     repeat("  x\n x\n", mega),
		"keywords in brackets":   repeat("(\ndef f\n", mega),
		"assignments":            repeat("a = ", mega) + "1\n",
		"targets":                repeat("a, ", mega) + "= 1\n",
		"nested targets":         repeat("(", 4000) + "a" + repeat(")", 4000) + " = 1\n" + repeat("[", mega) + " = 1",
		"lambdas":                "x: " + repeat("lambda: ", mega) + "1\n",
		"aliases":                repeat("type x = 1;", mega),
		"matches":                repeat("match x\n", mega),
		"literals":               repeat(`"a" `, mega),
		"named characters":       `"` + repeat(`\N{BULLET}`, mega/4) + `"`,
		"imports":                "import " + repeat("a, ", mega),
		"digits":                 repeat("1", mega) + "x",
		"numbers with keywords":  repeat("1or", mega),
		"characters":             repeat("€", mega),
		"names":                  repeat("é", mega),
		"names of methods":       "class A:\n" + repeat(" def f(): 1\n", mega),
		"zeros":                  repeat("\x00", mega),
		"invalid bytes":          repeat("\xff", mega),
	}
}

// SLOP_LOAD=full makes them 8 MB long.
func TestHostileTextsCostNoMoreThanTheirLength(t *testing.T) {
	t.Parallel()
	size := 1 << 18
	if os.Getenv("SLOP_LOAD") == "full" {
		size = 8 << 20
	}
	for name, text := range bombs(size) {
		t.Run(name, func(t *testing.T) {
			f := Parse(text)
			f.Broken()
			exercise(f)
			require.LessOrEqual(t, len(f.Problems), mostProblems)
			for range f.Tokens(Span{0, len(text)}) {
			}
			f.InString(len(f.Lines))
			f.Suggest("x")
		})
	}
}

// TestMemoryStaysFlatOverManyFiles parses one file 100,000 times.
func TestMemoryStaysFlatOverManyFiles(t *testing.T) {
	text := "import a\n\nclass A:\n    '''Doc.'''\n\n    x = 1\n\n    def m(self, a, b=(1, 2)):\n        return " +
		"f'{a}{b}'\n"
	used := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	parse := func(times int) {
		for range times {
			f := Parse(text)
			f.Variables()
			f.Imports()
			f.Docstring(f.Symbols[0])
		}
	}
	parse(1000)
	before := used()
	parse(100_000)
	require.Less(t, used(), before+1<<20)
}
