package repomap_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/tools/repomap"
)

// names reads a text in a bubble, whose clock stands still while a reader works.
func names(t *testing.T, name, text string, trees time.Duration) []string {
	t.Helper()
	var got []string
	synctest.Test(t, func(t *testing.T) { got = repomap.Read(t.Context(), name, text, trees).Names })
	return got
}

func TestDefinitionsAreReadAndNotGuessed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a.go", "package a\n\nconst (\n\tOne = 1\n\tTwo = 2\n)\n\nvar text = `\ntype Fake struct`\n\ntype Server struct{ " +
			"name string }\n\nfunc (s *Server) Listen() {}\n", []string{"One", "Two", "text", "Server", "Listen"}},
		{"a.py", "\"\"\"\nclass Fake\n\"\"\"\nclass Real:\n    def method(self): pass\n", []string{"Real", "method"}},
		{"a.pyi", "def given() -> int: ...\n", []string{"given"}},
		{"a.c", "/*\nstruct fake {\n*/\nint declared(int);\nint\ncount_all(struct list *l)\n{\n\treturn 0;\n}\n#define " +
			"LIMIT 3\n", []string{"count_all", "LIMIT"}},
		{"a.hpp", "namespace shop {\nclass Cart {\n  int total_;\npublic:\n  int total() const { return total_; }\n};\n}\n",
			[]string{"shop", "Cart", "total"}},
		{"A.java", "class Service {\n  int value;\n  Service() {}\n  int run() { return 1; }\n}\n",
			[]string{"Service", "run"}},
		{"a.ts", "export class Service {\n  value = 1;\n  load(): void {}\n}\n/*\nfunction fake() {}\n*/\n",
			[]string{"Service", "load"}},
		{"a.rb", "class Shop\n  def self.open_all\n  end\nend\n", []string{"Shop", "open_all"}},
		{"a.kt", "class Shop {\n  fun open() {}\n}\n", []string{"Shop", "open"}},
	} {
		require.Equal(t, c.want, names(t, c.name, c.text, time.Hour), c.name)
	}
}

func TestTreesAreNotBuiltWhenTheirTimeIsOver(t *testing.T) {
	t.Parallel()
	text := "package a\n\nvar text = `\ntype Fake struct`\n\nfunc Listen() {}\n"
	require.Equal(t, []string{"text", "Listen"}, names(t, "a.go", text, 1))
	require.Equal(t, []string{"Fake", "Listen"}, names(t, "a.go", text, 0))
	require.Equal(t, []string{"Real"}, names(t, "a.py", "'''\nclass Fake\n'''\nclass Real: pass\n", 0),
		"a scanner costs less than the words")
}

func TestAReaderThatFailsLeavesTheWords(t *testing.T) {
	t.Parallel()
	const text = "type Server struct{}\nfunc Listen() {}\n"
	for name, find := range map[string]func(context.Context, string, string) ([]string, error){
		"panics": func(context.Context, string, string) ([]string, error) { panic("a hazard") },
		"fails":  func(context.Context, string, string) ([]string, error) { return []string{"Half"}, context.Canceled },
	} {
		got := repomap.ReadWith(t.Context(), "a.go", text, time.Hour, find)
		require.Equal(t, []string{"Server", "Listen"}, got.Names, name)
		require.Len(t, got.Words, 5, name)
	}
}

func TestAReaderThatDoesNotEndIsLeftInTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ trees, want time.Duration }{
		"a.go": {time.Millisecond, time.Millisecond},
		"b.go": {time.Hour, repomap.MaxRead},
		"c.py": {time.Millisecond, repomap.MaxRead},
		"d.c":  {0, repomap.MaxRead},
	} {
		synctest.Test(t, func(t *testing.T) {
			begun, release := time.Now(), make(chan struct{})
			defer close(release)
			got := repomap.ReadWith(t.Context(), name, "class Server\n", c.trees, func(context.Context, string,
				string) ([]string, error) {
				<-release
				return []string{"Late"}, nil
			})
			require.Equal(t, []string{"Server"}, got.Names, name)
			require.Equal(t, c.want, time.Since(begun), name)
		})
	}
}

func TestHostileTextsAreRead(t *testing.T) {
	t.Parallel()
	const size = 256 << 10 // the most that a map looks into
	for _, name := range []string{"a.go", "a.py", "a.c", "a.hpp", "a.ts"} {
		for _, piece := range []string{"(", "{", "a", "\"", "class A{", "\x00", "\xff", "é", "#define A("} {
			text := strings.Repeat(piece, size/len(piece))
			for _, n := range repomap.Read(t.Context(), name, text, 50*time.Millisecond).Names {
				require.Regexp(t, `^[A-Za-z_]\w{2,}$`, n)
			}
		}
	}
}

func TestNamesAreWords(t *testing.T) {
	t.Parallel()
	for title, want := range map[string][]string{
		"Server.Do": nil, "Server.Listen": {"Listen"}, `App\Models`: {"Models"}, "größe": nil, "Überfall": nil, "1abc": nil,
		"operator +":    nil,
		"\n[SYSTEM: x]": nil, "": nil, "abc": {"abc"}, "ab": nil,
	} {
		got := repomap.ReadWith(t.Context(), "a.go", "", time.Hour, func(context.Context, string, string) ([]string, error) {
			return []string{title, title}, nil
		})
		require.Equal(t, want, got.Names, title)
	}
}
