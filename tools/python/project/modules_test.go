package project

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// made makes a project of "path" or "path: content" entries.
func made(entries ...string) *Project {
	var files []File
	for _, e := range entries {
		path, content, _ := strings.Cut(e, ": ")
		files = append(files, File{path, []byte(content)})
	}
	return New(files)
}

func TestAbsoluteImportsFindTheirFile(t *testing.T) {
	t.Parallel()
	p := made("app.py", "pkg/__init__.py", "pkg/a.py", "pkg/sub/__init__.py", "pkg/sub/b.py", "src/lib/__init__.py",
		"src/lib/c.py",
		"space/d.py", "tests/test_a.py", "json.py", "other/json.py", "tools/run.py", "tools/near.py", "stub.pyi", "both.py",
		"both.pyi")
	for name, c := range map[string]struct{ from, dotted, want string }{
		"module beside":                    {"app.py", "both", "both.py"},
		"package":                          {"app.py", "pkg", "pkg/__init__.py"},
		"module in a package":              {"app.py", "pkg.a", "pkg/a.py"},
		"deep":                             {"tests/test_a.py", "pkg.sub.b", "pkg/sub/b.py"},
		"from inside of a package":         {"pkg/sub/b.py", "pkg.a", "pkg/a.py"},
		"src layout":                       {"tests/test_a.py", "lib.c", "src/lib/c.py"},
		"namespace package":                {"app.py", "space.d", "space/d.py"},
		"beside a script":                  {"tools/run.py", "near", "tools/near.py"},
		"a module that hides the library":  {"app.py", "json", "json.py"},
		"the library from somewhere else":  {"src/lib/c.py", "os", ""},
		"only a stub":                      {"app.py", "stub", "stub.pyi"},
		"a module is no package":           {"app.py", "pkg.a.x", ""},
		"nowhere":                          {"app.py", "nothing.at.all", ""},
		"a folder that only holds folders": {"app.py", "src", "src/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, _ := p.modules.absolute(p.Unit(c.from), c.dotted)
			require.Equal(t, c.want, placeName(at))
		})
	}
}

func placeName(at place) string {
	switch {
	case at.unit != nil:
		return at.unit.Path
	case at.folder != "":
		return at.folder + "/"
	}
	return ""
}

func TestRelativeImportsFindTheirFile(t *testing.T) {
	t.Parallel()
	p := made("pkg/__init__.py", "pkg/a.py", "pkg/sub/__init__.py", "pkg/sub/b.py", "space/c.py", "space/d.py")
	for name, c := range map[string]struct {
		from   string
		level  int
		dotted string
		want   string
	}{
		"own package":          {"pkg/a.py", 1, "", "pkg/__init__.py"},
		"beside":               {"pkg/__init__.py", 1, "a", "pkg/a.py"},
		"one up":               {"pkg/sub/b.py", 2, "a", "pkg/a.py"},
		"from an __init__":     {"pkg/sub/__init__.py", 2, "a", "pkg/a.py"},
		"down":                 {"pkg/a.py", 1, "sub.b", "pkg/sub/b.py"},
		"namespace package":    {"space/c.py", 1, "d", "space/d.py"},
		"above the project":    {"pkg/a.py", 5, "a", ""},
		"what is not there":    {"pkg/a.py", 1, "z", ""},
		"package one level up": {"pkg/sub/b.py", 2, "", "pkg/__init__.py"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, placeName(p.modules.relative(p.Unit(c.from), c.level, c.dotted)))
		})
	}
}

func TestModulesHaveTheNameThatImportsUse(t *testing.T) {
	t.Parallel()
	p := made("pkg/__init__.py", "pkg/a.py", "src/lib/__init__.py", "src/lib/c.py", "tests/t.py")
	for path, want := range map[string]string{"pkg/__init__.py": "pkg", "pkg/a.py": "pkg.a", "src/lib/c.py": "lib.c",
		"tests/t.py": "t"} {
		require.Equal(t, want, p.modules.name(p.Unit(path)))
	}
}
