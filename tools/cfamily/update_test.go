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
				require.Regexp(t, "an #if cuts|does not end where it should", err.Error(), "%s %s", name, s.Name)
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
