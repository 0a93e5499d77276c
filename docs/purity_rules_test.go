package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPurityRulesCatchWhatTheyForbid(t *testing.T) {
	t.Parallel()
	load := exportImporter(t, "time", "maps", "slices", "os", "math/rand/v2", "log/slog")
	cases := []struct {
		name, imports, body string
		want                string // part of the only finding; empty: nothing is found
	}{
		{"clock", `"time"`, `_ = time.Now()`, "time.Now"},
		{"clock under another name", `clock "time"`, `f := clock.Since; _ = f`, "time.Since"},
		{"local time", `"time"`, `_ = time.Time{}.Local()`, "(time.Time).Local"},
		{"zone of the machine", `"time"`, `_ = time.Time{}.In(time.Local)`, "time.Local"},
		{"arithmetic on a given time", `"time"`, `_ = time.Unix(1, 0).Add(time.Second)`, ""},
		{"file", `"os"`, `_ = os.Args`, "imports os"},
		{"chance", `"math/rand/v2"`, `_ = rand.Int()`, "imports math/rand/v2"},
		{"log", `"log/slog"`, `slog.Info("x")`, "imports log/slog"},
		{"goroutine", ``, `go func() {}()`, "goroutine"},
		{"select", ``, `select { default: }`, "selects"},
		{"map", ``, `for range map[string]int{} { }`, "ranges over a map"},
		{"map behind a name", ``, `type m map[string]int; for range (m{}) { }`, "ranges over a map"},
		{"slice", ``, `for range []int{} { }`, ""},
		{"map with a reason", ``, "// order-independent: counts only.\nfor range map[string]int{} { }", ""},
		{"map with an empty reason", ``, "// order-independent:\nfor range map[string]int{} { }", "ranges over a map"},
		{"map with the reason too far away", ``, "// order-independent: counts only.\n\nfor range map[string]int{} { }",
			"ranges over a map"},
		{"keys unsorted", `"maps"`, `for range maps.Keys(map[string]int{}) { }`, "maps.Keys"},
		{"keys collected", `"maps"; "slices"`, `_ = slices.Collect(maps.Keys(map[string]int{}))`, "maps.Keys"},
		{"keys sorted", `"maps"; "slices"`, `_ = slices.Sorted(maps.Keys(map[string]int{}))`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source := "package snippet\nimport (" + c.imports + ")\nfunc f() {\n" + c.body + "\n}\n"
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, "snippet.go", source, parser.ParseComments)
			require.NoError(t, err)
			found := impurities(t, fset, "snippet", []*ast.File{file}, load(fset))
			if c.want == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1, strings.Join(found, "\n"))
			require.Contains(t, found[0], c.want)
		})
	}
}

func TestGenericMapsCountAsMaps(t *testing.T) {
	t.Parallel()
	load := exportImporter(t, "time")
	fset := token.NewFileSet()
	source := "package snippet\nfunc f[M ~map[string]int](m M) {\nfor range m {\n}\n}\n"
	file, err := parser.ParseFile(fset, "snippet.go", source, parser.ParseComments)
	require.NoError(t, err)
	require.Len(t, impurities(t, fset, "snippet", []*ast.File{file}, load(fset)), 1)
}
