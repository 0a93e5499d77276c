package cfamily_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/cfamily"
)

// realFiles are the samples and, where they are installed, some headers of the system.
func realFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/read/*.[ch]*")
	require.NoError(t, err)
	files = append(files, "/usr/include/fmt/core.h", "/usr/include/stdlib.h", "/usr/include/absl/strings/string_view.h",
		"/usr/include/c++/12/bits/stl_pair.h")
	var out []string
	for _, f := range files {
		if _, err := os.Stat(f); err == nil && !strings.HasSuffix(f, ".txt") {
			out = append(out, f)
		}
	}
	return out
}

// What a tool shows as a definition can be given back, and is then no change.
func TestADefinitionGivenBackIsNoChange(t *testing.T) {
	t.Parallel()
	for _, name := range realFiles(t) {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		file := cfamily.Read(string(raw), cfamily.CPP, cfamily.Macros{})
		whole := 0
		for _, s := range file.Symbols {
			start := s.Start
			for start > 0 && strings.ContainsRune(" \t", rune(file.Text[start-1])) {
				start--
			}
			splice, err := file.Update(t.Context(), s, file.Text[start:s.End])
			if err != nil { // an #if cuts it, or it is not closed
				require.Regexp(t, "an #if splits|does not end where it should", err.Error(), "%s %s", name, s.Name)
				continue
			}
			whole++
			require.Equal(t, file.Text[splice.Start:splice.End], splice.New, "%s %s", name, s.Name)
		}
		if len(file.Problems()) == 0 {
			require.GreaterOrEqual(t, whole*100, len(file.Symbols)*90, "%s: few can be replaced", name)
		}
	}
}

// A comment more in a function's body is a change that is taken, and changes nothing else.
func TestEveryFunctionCanBeReplaced(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/read/plus.hpp")
	require.NoError(t, err)
	file := cfamily.Read(string(raw), cfamily.CPP, cfamily.Macros{})
	tried := 0
	for _, s := range file.Symbols {
		if s.BodyEnd == 0 || s.Kind == "namespace" || strings.Contains(file.Text[s.Start:s.End], "#if") {
			continue
		}
		content := file.Text[s.Start:s.BodyStart+1] + "\n/* new */\n" + file.Text[s.BodyStart+1:s.End]
		splice, err := file.Update(t.Context(), s, content)
		require.NoError(t, err, s.Name)
		after := cfamily.Read(file.Text[:splice.Start]+splice.New+file.Text[splice.End:], cfamily.CPP, cfamily.Macros{})
		require.Len(t, after.Symbols, len(file.Symbols), s.Name)
		for i := range after.Symbols {
			require.Equal(t, file.Symbols[i].Name, after.Symbols[i].Name)
		}
		tried++
	}
	require.Greater(t, tried, 20)
}

func TestFindKnowsNamespacesAndOrdinals(t *testing.T) {
	t.Parallel()
	file := cfamily.Read(`namespace a { namespace b {
struct S { void m(); bool operator()(int) const { return true; } };
void S::m() {}
void f(int); void f(long) {} void f(char) {}
} }
template <> struct hash<a::b::S> {};`, cfamily.CPP, cfamily.Macros{})
	for query, want := range map[string][]string{
		"a::b::S": {"a::b::S"}, "S": {"a::b::S"}, "b::S": {"a::b::S"}, "::a::b::S": {"a::b::S"}, "m": nil,
		"S::m": {"a::b::S::m"}, "S.m": {"a::b::S::m"}, "S::m()": {"a::b::S::m"},
		"f": {"a::b::f", "a::b::f"}, "f#1": {"a::b::f"}, "f#4": nil, "S::operator()": {"a::b::S::operator()"},
		"S::operator ()": {"a::b::S::operator()"},
		"hash<a::b::S>":  {"hash"}, "hash< a::b::S >": {"hash"}, "": nil, "#2": nil, "::": nil,
	} {
		var have []string
		for _, s := range cfamily.Find(file.Symbols, query) {
			have = append(have, s.Name)
		}
		require.Equal(t, want, have, "%q", query)
	}
}

// In C a struct inside a struct has a name of its own; in C++ it is a member.
func TestFindKnowsNestedTagsOfCByTheirOwnName(t *testing.T) {
	t.Parallel()
	const text = "struct O { struct I { int a; } i; enum E { A } e; };\n" +
		"struct P { union U { struct I { int a; } i; } u; };\nstruct E2 { int a; };\n"
	for query, want := range map[string][]string{
		"I": {"O::I", "P::U::I"}, "O::I": {"O::I"}, "U::I": {"P::U::I"}, "E": {"O::E"}, "U": {"P::U"}, "E2": {"E2"}, "i": nil,
	} {
		var have []string
		for _, s := range cfamily.Find(cfamily.Read(text, cfamily.C, cfamily.Macros{}).Symbols, query) {
			have = append(have, s.Name)
		}
		require.Equal(t, want, have, "%q", query)
	}
	require.Empty(t, cfamily.Find(cfamily.Read(text, cfamily.CPP, cfamily.Macros{}).Symbols, "I"))
}

func TestLanguageOfHeadersGoesByWhatIsInThem(t *testing.T) {
	t.Parallel()
	require.Equal(t, cfamily.C, cfamily.LanguageOf("a.h", "struct a { int class_; };", cfamily.C))
	require.Equal(t, cfamily.CPP, cfamily.LanguageOf("a.h", "namespace a {}", cfamily.C))
	require.Equal(t, cfamily.CPP, cfamily.LanguageOf("a.h", "int a;", cfamily.CPP))
	require.Equal(t, cfamily.CPP, cfamily.LanguageOf("a.hpp", "int a;", cfamily.C))
	require.Equal(t, cfamily.C, cfamily.LanguageOf("a.c", "int class;", cfamily.CPP))
	require.True(t, cfamily.Belongs("x/a.C"))
	require.False(t, cfamily.Belongs("x/a.go"))
}

func TestIncludedHeadersAreFoundNearby(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"src/deep/a.c": "#include \"b.h\"\n#  include <lib/c.h>\n#include \"none.h\"\n",
		"src/deep/b.h": "#define NEAR\n#include \"b.h\"\n", "include/lib/c.h": "#define FAR __attribute__((x))\n",
	}
	read := func(name string) (string, bool) { text, ok := files[name]; return text, ok }
	macros := cfamily.LearnIncluded(t.Context(), "src/deep/a.c", files["src/deep/a.c"], nil, read)
	require.Equal(t, 2, macros.Len())
	file := cfamily.Read("NEAR\nint f(void) FAR {}\n", cfamily.C, macros)
	require.Len(t, file.Symbols, 1)
	require.Equal(t, 1, file.Symbols[0].StartLine)
}

// refusals are edits that would lose or change something besides the definition: the text of a file, the name and the
// new content, and what the refusal says.
var refusals = []struct{ text, name, content, says string }{
	// A value or function behind a type.
	{"struct T { int a; } v = {1};\n", "T", "struct T { int a; int b; } v = {1};", `"v = {1};" follows the '}' of 'T'`},
	{"enum E { A, B } Cov = A;\n", "E", "enum E { A, C, B };", `"Cov = A;" follows`},
	{"struct V { enum T : int { A, B } Kind = A; };\n", "V::T", "enum T : int { A } Kind = A;", `"Kind = A; };" follows`},
	{"static const struct o {\n\tint a;\n} t[] = {\n\t{ 1 },\n};\n", "o",
		"static const struct o {\n\tint b;\n} t[] = {\n\t{ 1 },\n};", `"t[] = {" follows`},
	{"static const struct o {\n\tint a;\n} t[] = {\n\t{ 1 },\n};\n", "o", "struct o {\n\tint b;\n}",
		"leaves out 'static'"},
	{"struct T { int a; } f(void) { struct T t; return t; }\n", "T", "struct T { int b; };", "follows the '}'"},
	// Comments and strings without end.
	{"int f(void) { return 1; }\nint g;\nint h; /* x */\n", "f", "int f(void) { return 2; } /* b",
		"comment is not closed"},
	{"int f(void) { return 1; }\nint g;\n", "f", "int f(void) { return 2; } /* b", "comment is not closed"},
	{"int f(void) { return 1; }\n", "f", "#define A /* b\nint f(void) { return 2; }", "comment is not closed"},
	{"int f(void) { return 1; }\n", "f", "int f(void) { return 2; } \"", "string or character is not closed"},
	{"int f() { return 1; }\n", "f", "int f() { return 2; } R\"x(", "string or character is not closed"},
	{"int f() { return 1; }\n", "f", "#ifdef A\n#else\nint g() {\n#endif\nint f() { return 2; }", "braces of this branch"},
	// Directives beside other code.
	{"int f(void) { return 1; } int b;\n", "f", "int f(void) { return 2; }\n#define Z 3", "ends in a # line"},
	{"int f(void) { return 1; } int b;\n", "f", "int f(void) { return 2; }\n#if 0\n#endif", "ends in a # line"},
	{"int b; int f(void) { return 1; }\n", "f", "#define Z 3\nint f(void) { return 2; }", "would change how"},
	{"struct s { int a; }; int b;\n", "s", "struct s { int b; } // c", "ends in a // comment"},
	// Fronts.
	{"DECLARE(x) int f(void) { return 1; }\n", "f", "int f(void) { return 2; }", "leaves out 'DECLARE(x)'"},
	{"DECLARE(x) int f(void) { return 1; }\n", "f", "int f(void) { DECLARE(x) return 2; }", "leaves out 'DECLARE(x)'"},
	{"EXTERN_C DECLARE(x) int f(void) { return 1; }\n", "f", "EXTERN_C int f(void) { return 2; }",
		"leaves out 'DECLARE(x)'"},
	{"EXTERN_C DECLARE(x) int f(void) { return 1; }\n", "f", "DECLARE(x) int f(void) { return 2; }",
		"leaves out 'EXTERN_C'"},
	{"DECLARE(x) struct s { int a; };\n", "s", "struct s { int b; };", "leaves out 'DECLARE(x)'"},
	{"struct PACKED s { int a; };\n", "s", "struct s { int b; };", "leaves out 'PACKED'"},
	{"class A { Q_DISABLE_COPY(A) int f() { return 1; } };\n", "A::f", "int f() { return 2; }",
		"leaves out 'Q_DISABLE_COPY(A)'"},
	{"PyAPI_FUNC(void) f(int a) { return; }\n", "f", "void f(int a) { }", "leaves out 'PyAPI_FUNC(void)'"},
	{"DECLARE(x) /* keep me */ int f(void) { return 1; }\n", "f", "int f(void) { return 2; }", "leaves out 'DECLARE(x)'"},
	{"__attribute__((unused))\nint f(void) { return 1; }\n", "f", "int f(void) { return 2; }",
		"leaves out '__attribute__((unused))'"},
	{"__declspec(dllexport)\nint f(void) { return 1; }\n", "f", "int f(void) { return 2; }",
		"leaves out '__declspec(dllexport)'"},
	{"[[nodiscard]]\nint f(void) { return 1; }\n", "f", "int f(void) { return 2; }", "leaves out '[[nodiscard]]'"},
	{"struct alignas(8) s { int a; };\n", "s", "struct s { int b; };", "leaves out 'alignas(8)'"},
	{"__extension__\nint f(void) { return 1; }\n", "f", "int f(void) { return 2; }", "leaves out '__extension__'"},
	{"_Pragma(\"a\") int f(void) { return 1; }\n", "f", "int f(void) { return 2; }", `leaves out '_Pragma("a")'`},
	{"extern \"C\" int f(void) { return 1; }\n", "f", "int f(void) { return 2; }", "leaves out 'extern'"},
	// Tails.
	{"int f(void)\nDECLARE(x)\n{ return 1; }\n", "f", "int f(void)\n{ return 2; }", "leaves out 'DECLARE(x)'"},
	{"int f(void) __attribute__((x)) { return 1; }\n", "f", "int f(void) { return 2; }",
		"leaves out '__attribute__((x))'"},
	{"struct A { int f() const GUARDED override { return 1; } };\n", "A::f", "int f() const override { return 2; }",
		"leaves out 'GUARDED'"},
	{"struct s { int a; } __attribute__((packed));\n", "s", "struct s { int b; };",
		"leaves out '__attribute__((packed))'"},
	// Declarations without their ";".
	{"template class X<int>\nint f(void) { return 1; }\n", "f", "int f(void) { return 2; }", "leaves out 'X"},
	{"int x\n\nint f(void) { return 1; }\n", "f", "int f(void) { return 2; }", "leaves out 'x'"},
	{"typedef int (*g)(int)\n\nint f(void) { return 1; }\n", "f", "int f(void) { return 2; }", "leaves out 'typedef'"},
	// Types.
	{"void\nA::f() { g(); }\n", "A::f", "A::f() { h(); }", "leaves out the type of 'A::f'"},
	{"int f(void) { return 1; }\n", "f", "static f(void) { return 2; }", "leaves out the type of 'f'"},
	// Further definitions.
	{"int f(void) { return 1; }\nint g(void) { return 1; }\n", "f", "int f(void) { return 2; }\nint g(void) { return 2; }",
		"new_content also defines 'g'"},
	{"int f(void) { return 1; }\n", "f", "int f(void) { return 2; }\nint f(void) { return 3; }",
		"new_content also defines 'f'"},
}

func TestAnEditThatWouldLoseOrChangeTheRestIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range refusals {
		file := cfamily.Read(c.text, cfamily.CPP, cfamily.Macros{})
		found := cfamily.Find(file.Symbols, c.name)
		require.Len(t, found, 1, "%q", c.text)
		_, err := file.Update(t.Context(), found[0], c.content)
		require.ErrorContains(t, err, c.says, "%q", c.text)
	}
}

func TestAnEditPutsTheEndOfADefinitionWhereItBelongs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, name, content, want string }{
		{"struct s { int a; };\nint x;\n", "s", "struct s { int b; } // ok", "struct s { int b; }; // ok\nint x;\n"},
		{"enum s { A };\nint x;\n", "s", "enum s { B } /* ok */", "enum s { B }; /* ok */\nint x;\n"},
		{"struct T { int a; } v = {1};\n", "T", "struct T { int b; }", "struct T { int b; } v = {1};\n"},
		{"struct T { int a; } v, w;\n", "T", "struct T { int b; } v, w;", "struct T { int b; } v, w;\n"},
		{"struct A { int f() { return 1; }; };\n", "A::f", "int f() { return 2; };",
			"struct A { int f() { return 2; }; };\n"},
		{"int f(void) { return 1; }\n", "f", "int f(void) { return 2; }; // c", "int f(void) { return 2; } // c\n"},
		{"int f(int) { return 1; }\nint g(int) { return 1; }\n", "f", "int f(int) { return 2; }\nint g(long) { return 2; }",
			"int f(int) { return 2; }\nint g(long) { return 2; }\nint g(int) { return 1; }\n"},
		{"void\nA::f() { g(); }\n", "A::f", "int A::f() { h(); }", "int A::f() { h(); }\n"},
		{"DECLARE_X(A)\n__attribute__((x)) int f() { g(); }\n", "f", "__attribute__((x)) int f() { h(); }",
			"DECLARE_X(A)\n__attribute__((x)) int f() { h(); }\n"},
		{"MARKER(a)\n::std::string f() { g(); }\n", "f", "int f() { h(); }", "MARKER(a)\nint f() { h(); }\n"},
		{"int f() const noexcept { g(); }\n", "f", "int f() { h(); }", "int f() { h(); }\n"},
		{"A::A(int b) EXCLUDES(m) : b(FOO(b)) { g(); }\n", "A::A", "A::A() EXCLUDES(n) { h(); }",
			"A::A() EXCLUDES(n) { h(); }\n"},
		{"std::map<int,\n int> f() { g(); }\n", "f", "int f() { h(); }", "int f() { h(); }\n"},
		{"DECLARE_X(A)\nA::A() { g(); }\n", "A::A", "A::A() { h(); }", "DECLARE_X(A)\nA::A() { h(); }\n"},
	} {
		file := cfamily.Read(c.text, cfamily.CPP, cfamily.Macros{})
		found := cfamily.Find(file.Symbols, c.name)
		require.Len(t, found, 1, "%q", c.text)
		splice, err := file.Update(t.Context(), found[0], c.content)
		require.NoError(t, err, "%q", c.text)
		require.Equal(t, c.want, c.text[:splice.Start]+splice.New+c.text[splice.End:])
	}
}

// Declarations of old-style parameters are no macros behind a head.
func TestOldStyleParametersCanBeReplaced(t *testing.T) {
	t.Parallel()
	const text = "int f(a, b) FOO *a; char b; { return 1; }\n"
	file := cfamily.Read(text, cfamily.C, cfamily.Macros{})
	splice, err := file.Update(t.Context(), file.Symbols[0], "int f(int a) { return 2; }")
	require.NoError(t, err)
	require.Equal(t, "int f(int a) { return 2; }\n", text[:splice.Start]+splice.New+text[splice.End:])
}

// Lines that hang inside brackets are no sign of a file's unit and keep their alignment.
func TestHangingHeadsDoNotHideTheUnit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, content, want string }{
		{"int f(int a,\n      int b)\n{\n\treturn 1;\n}\n", "int f(int a,\n      int b)\n{\n    return 2;\n}\n",
			"int f(int a,\n      int b)\n{\n\treturn 2;\n}\n"},
		{"int f(int a,\n      int b)\n{\n\treturn 1;\n}\n",
			"int f(int a)\n{\n    if (a) {\n        g(a,\n          a);\n    }\n}\n",
			"int f(int a)\n{\n\tif (a) {\n\t\tg(a,\n\t\t  a);\n\t}\n}\n"},
		{"int f(int a,\n\tint b)\n{\n    return 1;\n}\n", "int f(int a,\n\tint b)\n{\n\treturn 2;\n}\n",
			"int f(int a,\n    int b)\n{\n    return 2;\n}\n"},
	} {
		file := cfamily.Read(c.text, cfamily.C, cfamily.Macros{})
		splice, err := file.Update(t.Context(), file.Symbols[0], c.content)
		require.NoError(t, err, "%q", c.text)
		require.Equal(t, c.want, c.text[:splice.Start]+splice.New+c.text[splice.End:])
	}
}
