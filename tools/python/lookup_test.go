package python

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const zoo = `class Animal:
    def name(self): pass
    @property
    def size(self): pass
    @size.setter
    def size(self, v): pass
class Cat(Animal):
    def size(self): pass
    def purr(self):
        def inner(): pass
def make_animal(): pass
if x:
    def make_animal(): pass
def µ(): pass
`

func TestFindWantsTheWholePath(t *testing.T) {
	t.Parallel()
	f := Parse(zoo)
	found := func(name string) (lines []int) {
		for _, s := range f.Find(name) {
			lines = append(lines, f.Line(s))
		}
		return lines
	}
	require.Equal(t, []int{4, 6}, found("Animal.size"))
	require.Equal(t, []int{6}, found("Animal.size#2"))
	require.Empty(t, found("Animal.size#3"))
	require.Empty(t, found("size"))
	require.Empty(t, found("purr.inner"))
	require.Equal(t, []int{10}, found("Cat.purr.inner"))
	require.Equal(t, []int{11, 13}, found(" make_animal "))
	require.Equal(t, []int{14}, found("μ"))
	require.Equal(t, []int{14}, found("µ"))
	require.Equal(t, []*Symbol{}, f.Find(""))
}

func TestSuggestNamesWhatMayHaveBeenMeant(t *testing.T) {
	t.Parallel()
	f := Parse(zoo)
	for name, want := range map[string][]string{
		"size":            {"Cat.size", "Animal.size"},
		"Animal.purr":     {"Cat.purr"},
		"inner":           {"Cat.purr.inner"},
		"purr.inner":      {"Cat.purr.inner"},
		"cat":             {"Cat"},
		"Animal.sizes":    {"Animal.size", "Cat.size"},
		"make_aminal":     {"make_animal"},
		"animal":          {"Animal", "make_animal"},
		"nothing_like_it": {},
		"":                {},
	} {
		require.Equal(t, want, f.Suggest(name), name)
	}
}

func TestIndentUnitIsTheMostUsedOne(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                      "",
		"x\n":                                   "",
		"if x: y\n":                             "",
		"if x:\n y\n":                           " ",
		"if x:\n\tif y:\n\t\tz\n":               "\t",
		"if x:\n   y\nif x:\n  y\nif x:\n  y\n": "  ",
		"if x:\n    y\nif x:\n  y\n":            "    ",
	} {
		require.Equal(t, want, Parse(text).IndentUnit(), "%q", text)
	}
}

func TestLinesInsideStringsAndStatementsAreKnown(t *testing.T) {
	t.Parallel()
	f := Parse("x = '''\na\n''' + (\n\n# c\n1) \\\n  + 2\n\n# d\nif x: \\\n  y\n@a(\n)\ndef f(\n): pass\nz = " +
		"f'''\n{\n1}'''\nw = 'a\\\nb' \\\n\n# e\n")
	inString, joined := []int{}, []int{}
	for line := range f.Lines {
		if f.InString(line + 1) {
			inString = append(inString, line+1)
		}
		if f.Joined(line + 1) {
			joined = append(joined, line+1)
		}
	}
	require.Equal(t, []int{2, 3, 17, 18, 20}, inString)
	require.Equal(t, []int{2, 3, 4, 5, 6, 7, 11, 13, 15, 17, 18, 20, 21}, joined)
	require.False(t, f.Joined(0))
	require.False(t, f.InString(1000))
}

// TestLinesAreKnownInRealFiles compares what is found from the statement before a line with one pass
// over the whole text.
func TestLinesAreKnownInRealFiles(t *testing.T) {
	t.Parallel()
	for _, path := range sample(t, pythonFiles(t), 60) {
		if text := read(t, path); len(text) < 50_000 {
			places(t, Parse(text))
		}
	}
}

func TestCommentsDirectlyAboveBelongToADefinition(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# a\n# b\n@c\ndef f(): pass":             "# a\n# b",
		"# a\n\n# b\ndef f(): pass":               "# b",
		"# a\n\ndef f(): pass":                    "",
		" # a\ndef f(): pass":                     "",
		"x # a\ndef f(): pass":                    "",
		"'''\n# a'''\ndef f(): pass":              "",
		"x = (\n# a\n)\ndef f(): pass":            "",
		"x = 1 \\\n# a\n# b\ndef f(): pass":       "# b",
		"class A:\n  # a\n  # b\n  def f(): pass": "# a\n  # b",
		"def f(): pass":                           "",
	} {
		f := Parse(text)
		got := ""
		if span, ok := f.Comment(f.Symbols[len(f.Symbols)-1]); ok {
			got = span.Of(text)
		}
		require.Equal(t, want, got, "%q", text)
	}
}

func TestTokensCoverThePiece(t *testing.T) {
	t.Parallel()
	text := "def f(a): # c\n\n  return f'x{a!r:>{w}}y' if 0x1F <= b'' else ... # µ\n"
	names := map[TokenKind]string{Name: "name", Keyword: "keyword", Number: "number", String: "string",
		FStringStart: "start", FStringMiddle: "middle", FStringEnd: "end", Op: "op", Comment: "comment", Newline: "newline",
		NL: "nl"}
	var got []string
	for token := range Parse(text).Tokens(Span{0, len(text)}) {
		got = append(got, names[token.Kind]+" "+token.Of(text))
	}
	require.Equal(t, []string{
		"keyword def", "name f", "op (", "name a", "op )", "op :", "comment # c", "newline \n", "nl \n",
		"keyword return", "start f'", "middle x", "op {", "name a", "op !", "name r", "op :", "middle >", "op {", "name w",
		"op }", "op }",
		"middle y", "end '", "keyword if", "number 0x1F", "op <=", "string b''", "keyword else", "op ...", "comment # µ",
		"newline \n",
	}, got)
	got = nil
	for token := range Parse(text).Tokens(Span{4, 8}) {
		got = append(got, token.Of(text))
	}
	require.Equal(t, []string{"f", "(", "a", ")"}, got)
}
