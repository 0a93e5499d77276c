package cfamily_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/cfamily"
)

// A text of which a part cannot be read says so, wherever the damage is.
func TestDamageIsAlwaysNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, says string }{
		{"#ifdef X\n#else\nint b(void) { return 2;\nint d(void) { return 1; }\n#endif\n",
			"2 the braces of this branch"},
		{"#if A\nint a;\n#elif B\nint b(void) { return 2;\n#else\nint c;\n#endif\n",
			"3 the braces of this branch"},
		{"#ifndef H\n#define H\n#if A\n#else\nint b(void) { return 2;\n#endif\n#endif\n",
			"4 the braces of this branch"},
		{"#ifdef X\nint a(int b) {\n#else\nint a(long b) {\nint c() {\n#endif\n}\n",
			"3 the braces of this branch"},
		{"int a(void) { return 1; }\n/* open\nint g(void) { return 1; }\n", "2 a comment is not closed"},
		{"int a(void) { return 1; }\n#define A /* open\nint g(void) { return 1; }\n",
			"2 a comment is not closed"},
		{"auto s = R\"x(abc)y\";\nint g() { return 1; }\n", "1 a string or character"},
		{"const char *s = \"abc;\nint g() { return 1; }\n", "1 a string or character"},
		{"#if 0\ndon't\n#endif\nint a;\n", ""},
		{"#ifdef __cplusplus\nextern \"C\" {\n#else\nint a;\n#endif\n#if defined(__cplusplus)\n}\n#endif\n", ""},
		{"#ifdef X_BEGIN_N\nX_BEGIN_N\n#else\nnamespace n {\n#endif\n#ifdef X_END_N\nX_END_N\n#else\n}\n#endif\n",
			""},
		{"#ifdef X\nint a(int b) {\n#else\nint a(long b) {\n#endif\nreturn 1; }\n", ""},
		{"#ifdef X\nif (a) {\n#endif\n#ifdef X\n}\n#endif\n", ""},
	} {
		problems := cfamily.Read(c.text, cfamily.CPP, cfamily.Macros{}).Problems()
		if c.says == "" {
			require.Empty(t, problems, "%q", c.text)
			continue
		}
		require.NotEmpty(t, problems, "%q", c.text)
		require.Contains(t, fmt.Sprintf("%d %s", problems[0].Line, problems[0].Text), c.says, "%q", c.text)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"char *s = \"a;\n", "( }\n", "#if A@\n#else\n{\n#endif\n"} {
		for n, want := range map[int]int{20: 20, 21: 20} {
			text := ""
			for i := range n {
				text += strings.ReplaceAll(piece, "@", strconv.Itoa(i))
			}
			require.Len(t, cfamily.Read(text, cfamily.C, cfamily.Macros{}).Problems(), want, "%d of %q", n, piece)
		}
	}
}

// A header that lost one brace either says so or still has its definitions.
func TestALostBraceIsNamedOrHarmless(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, name := range []string{"uses_allocator", "unique_lock", "quoted_string", "locale_conv"} {
		raw, err := os.ReadFile("/usr/include/c++/12/bits/" + name + ".h")
		if err != nil {
			continue
		}
		text := string(raw)
		whole := len(cfamily.Read(text, cfamily.CPP, cfamily.Macros{}).Symbols)
		for i, c := range text {
			if c != '{' && c != '}' {
				continue
			}
			tried++
			file := cfamily.Read(text[:i]+text[i+1:], cfamily.CPP, cfamily.Macros{})
			require.True(t, len(file.Problems()) > 0 || len(file.Symbols) >= whole-1, "%s at %d", name, i)
		}
	}
	if tried == 0 {
		t.Skip("the headers of C++ 12 are not installed")
	}
}

func TestAMacroThatIsOneKeywordIsRead(t *testing.T) {
	t.Parallel()
	for _, keyword := range []string{"struct", "union", "enum", "class", "do", "typedef"} {
		file := cfamily.Read("#define K "+keyword+"\nint a(void) { return 1; }\n", cfamily.CPP, cfamily.Macros{})
		require.Len(t, cfamily.Find(file.Symbols, "a"), 1, keyword)
	}
}
