package cfamily_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/cfamily"
)

// What stands in front of a definition and is no part of it survives an edit that does not mention it.
func TestAnEditKeepsWhatStandsInFront(t *testing.T) {
	t.Parallel()
	for _, front := range []string{
		"DECLARE_X(A)\n", "EXPORT_SYMBOL(x)\n", "Q_DECLARE_METATYPE(P)\n", "declare_stack(P)\n", "declare_stack(P)\n\n",
		"DECLARE_X(A) DECLARE_X(B)\n", "DECLARE_X(A)\n#define M 1\n", "BEGIN_X\n", "MARKER\n", "marker\n",
		"DECLARE_X(A,\n          B)\n", "DECLARE_X(A)\n/* and */\nDECLARE_Y(B)\n",
		"#define Array(T) struct { T *contents; int size; }\ntypedef Array(void) Array;\n",
		"#define DECLARE_E(x)\nDECLARE_E(1)\n", "#define DECLARE_E(x) int x;\nDECLARE_E(y)\n",
	} {
		for _, definition := range []string{
			"int f(void)\n{\n\treturn 1;\n}",
			"static int\nf(int a)\n{\n\treturn 1;\n}", "struct f {\n\tint a;\n};", "enum f { A };",
			"typedef struct g {\n\tint a;\n} f;",
		} {
			for _, language := range []cfamily.Language{cfamily.C, cfamily.CPP} {
				text := front + definition + "\nint last;\n"
				file := cfamily.Read(text, language, cfamily.Macros{})
				found := cfamily.Find(file.Symbols, "f")
				require.Len(t, found, 1, "%s: %q", language, text)
				content := strings.Replace(strings.Replace(definition, "1", "2", 1), "int a", "long a", 1)
				splice, err := file.Update(t.Context(), found[0], content)
				require.NoError(t, err, "%s: %q", language, text)
				require.Equal(t, front+content+"\nint last;\n", text[:splice.Start]+splice.New+text[splice.End:], language)
			}
		}
	}
}

func TestAnEditThatLeavesOutAnUncertainFrontIsRefused(t *testing.T) {
	t.Parallel()
	for text, content := range map[string]string{
		"API(int)\nf(void) { return 1; }\n":                        "int f(void) { return 2; }",
		"DECLARE_X(A)\nDECLARE_X(B)\nint f(void) { return 1; }\n":  "DECLARE_X(A)\nint f(void) { return 2; }",
		"static DECLARE_X(A)\nint f(void) { return 1; }\n":         "static int f(void) { return 2; }",
		"DECLARE_X(A)\nTEST(f, g) { return; }\n":                   "TEST(f, g) { }",
		"static\n#ifdef A\nint\n#else\nlong\n#endif\nf(void) {}\n": "static int f(void) { return; }",
	} {
		file := cfamily.Read(text, cfamily.CPP, cfamily.Macros{})
		symbol := file.Symbols[len(file.Symbols)-1]
		_, err := file.Update(t.Context(), symbol, content)
		require.ErrorContains(t, err, "new_content leaves out", "%q", text)
		require.ErrorContains(t, err, "edit_file", "%q", text)
	}
}

// A front that new text has is replaced, and so is a head over several lines that is only a type.
func TestAnEditReplacesTheFrontThatItNames(t *testing.T) {
	t.Parallel()
	for text, content := range map[string]string{
		"DECLARE_X(A)\nint f(void) { return 1; }\n":                       "DECLARE_X(B)\nint f(void) { return 2; }",
		"API(int)\nf(void) { return 1; }\n":                               "API(long)\nf(void) { return 2; }",
		"static struct point *\nf(void) { return 1; }\n":                  "static int f(void) { return 2; }",
		"foo_t\nf(void) { return 1; }\n":                                  "int f(void) { return 2; }",
		"__attribute__((noinline))\nint f(void) { return 1; }\n":          "__attribute__((cold)) int f(void) { return 2; }",
		"DECLARE(x) /* c */ int f(void) { return 1; }\n":                  "DECLARE(x) int f(void) { return 2; }",
		"STACK_OF(A) *f(void) { return 1; }\n":                            "STACK_OF(B) *f(void) { return 2; }",
		"FILE *f(void) { return 1; }\n":                                   "int *f(void) { return 2; }",
		"template <class T, class = enable<T>>\nint f(T) { return 1; }\n": "template <class T>\nint f(T) { return 2; }",
	} {
		file := cfamily.Read(text, cfamily.CPP, cfamily.Macros{})
		splice, err := file.Update(t.Context(), file.Symbols[0], content)
		require.NoError(t, err, "%q", text)
		require.Equal(t, content+"\n", text[:splice.Start]+splice.New+text[splice.End:])
	}
}
