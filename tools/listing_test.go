package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
)

func TestListDirectoryHasOneRowForEachEntry(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"b.txt": "12345", "a file.py": "", "src/x": "", ".env": "", "config.toml": "",
		".slop/x": "", "z/y": ""})
	require.NoError(t, os.Symlink("src", filepath.Join(dir, "link")))
	result := call(t, env, "list_directory", args{"path": "."})
	require.Equal(t, "[dir] src\n[dir] z\n[file] a file.py 0\n[file] b.txt 5\n[link] link -> src\n… left out: 3 protected",
		result.Text)
	require.Equal(t, map[string]any{"path": ".", "total": 5.0, "protected": 3.0, "truncated": false, "entries": []any{
		map[string]any{"kind": "dir", "name": "src", "size": 0.0}, map[string]any{"kind": "dir", "name": "z", "size": 0.0},
		map[string]any{"kind": "file", "name": "a file.py", "size": 0.0}, map[string]any{"kind": "file", "name": "b.txt",
			"size": 5.0},
		map[string]any{"kind": "link", "name": "link", "size": 0.0, "target": "src"},
	}}, data(t, result))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	require.Equal(t, "(empty directory)", call(t, env, "list_directory", args{"path": "empty"}).Text)
	require.Equal(t, "ERROR: b.txt: is a file, not a directory", call(t, env, "list_directory",
		args{"path": "b.txt"}).Text)
	require.True(t, call(t, env, "list_directory", args{"path": "link"}).Failed)
}

func many(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("f%03d.txt", i)] = ""
	}
	return files
}

func TestLongListingsAreCut(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, many(30))
	env.Limits = tools.Limits{MaxLines: 10}
	list := call(t, env, "list_directory", args{"path": "."})
	require.True(t, strings.HasSuffix(list.Text, "[file] f008.txt 0\n… truncated: lines 10–30 of 30 not shown; call "+
		"list_directory with start_line=10"), list.Text)
	require.Equal(t, 30.0, data(t, list)["total"])
	rest := call(t, env, "list_directory", args{"path": ".", "start_line": 25}).Text
	require.Equal(t, "[file] f024.txt 0\n[file] f025.txt 0\n[file] f026.txt 0\n[file] f027.txt 0\n[file] f028.txt "+
		"0\n[file] f029.txt 0", rest)
	require.Equal(t, "ERROR: start_line 31 is out of range: the answer has 30 lines", call(t, env, "list_directory",
		args{"path": ".", "start_line": 31}).Text)
	found := call(t, env, "search_files", args{"path": ".", "pattern": "*.txt"})
	require.True(t, strings.HasSuffix(found.Text, "f008.txt\n… truncated: lines 10–30 of 30 not shown; call "+
		"search_files with start_line=10"), found.Text)
	require.Equal(t, 30.0, data(t, found)["total"])
	tree := call(t, env, "get_tree", args{"path": "."})
	require.Contains(t, tree.Text, "truncated: lines 10–31 of 31 not shown; call get_tree with start_line=10")
}

func TestSearchFilesMatchesGlobs(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, map[string]string{
		"a.py": "", "src/b.py": "", "src/deep/c.py": "", "src/d.txt": "", "out/e.py": "", ".gitignore": "out/\n",
		"src/secret.key": "", ".env": "", ".slop/f.py": "",
	})
	for pattern, want := range map[string]string{
		"**/*.py":        "a.py\nsrc/b.py\nsrc/deep/c.py",
		"*.py":           "a.py",
		"./*.py":         "a.py",
		"src/*.{py,txt}": "src/b.py\nsrc/d.txt",
		"src/**":         "src/b.py\nsrc/d.txt\nsrc/deep/c.py",
		"**/[bc].py":     "src/b.py\nsrc/deep/c.py",
		"**/*.key":       "no file below . matches **/*.key",
	} {
		text, _, _ := strings.Cut(call(t, env, "search_files", args{"path": ".", "pattern": pattern}).Text, "\n…")
		require.Equal(t, want, text, pattern)
	}
	require.Contains(t, call(t, env, "search_files", args{"path": ".", "pattern": "*"}).Text,
		"… not searched: 1 entry that .gitignore leaves out")
	require.Equal(t, "out/e.py", call(t, env, "search_files", args{"path": ".", "pattern": "out/*",
		"include_ignored": true}).Text)
	require.Equal(t, "src/deep/c.py", call(t, env, "search_files", args{"path": "src", "pattern": "deep/*"}).Text,
		"the pattern is relative to path, the answer to the workspace")
	for _, pattern := range []string{"../*", "a/../../*", "/etc/*", `\\x`, "[", "{a", strings.Repeat("{a,aa,*}", 16) +
		"b"} {
		result := call(t, env, "search_files", args{"path": ".", "pattern": pattern})
		require.True(t, result.Failed, pattern)
		require.True(t, strings.HasPrefix(result.Text, "ERROR: the pattern"), result.Text)
	}
	require.True(t, strings.HasPrefix(call(t, env, "search_files", args{"path": "..", "pattern": "*"}).Text,
		"ACCESS DENIED"))
}

func TestSearchFilesCanShowTheNewestFirst(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a": "", "b": "", "c": "", "d": ""})
	for i, name := range []string{"b", "d", "a"} {
		when := time.Date(2001, 1, 1+i, 0, 0, 0, 0, time.UTC)
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), when, when))
	}
	require.Equal(t, "c\na\nd\nb", call(t, env, "search_files", args{"path": ".", "pattern": "*", "order": "newest"}).Text)
	require.Equal(t, "a\nb\nc\nd", call(t, env, "search_files", args{"path": ".", "pattern": "*", "order": "path"}).Text)
}

func TestGetTreeShowsLevelsAndCountsTheRest(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, map[string]string{"a.py": "", "src/b.py": "", "src/deep/c.py": "", "src/deep/more/d.py": "",
		"src/deep/e.py": "", "x/y": "", ".env": ""})
	require.Equal(t, "./ (1 left out)\n  a.py\n  src/\n    b.py\n    deep/ (3 entries)\n  x/\n    y\n… left out: 1 "+
		"protected", call(t, env, "get_tree", args{"path": ".", "max_depth": 2}).Text)
	require.Equal(t, "./ (1 left out)\n  a.py\n  src/ (2 entries)\n  x/ (1 entry)\n… left out: 1 protected",
		call(t, env, "get_tree", args{"path": ".", "max_depth": 1}).Text)
	require.Equal(t, "src/deep/\n  c.py\n  e.py\n  more/\n    d.py", call(t, env, "get_tree",
		args{"path": "src/deep"}).Text)
	whole := call(t, env, "get_tree", args{"path": ".", "max_depth": 20})
	require.Contains(t, whole.Text, "      more/\n        d.py")
}

func TestATreeThatIsTooLongLosesLevelsFirst(t *testing.T) {
	t.Parallel()
	files := map[string]string{"top": ""}
	for i := range 30 {
		files[fmt.Sprintf("a/b/f%02d", i)] = ""
	}
	env, _ := setup(t, files)
	env.Limits = tools.Limits{MaxLines: 20}
	result := call(t, env, "get_tree", args{"path": ".", "max_depth": 5})
	require.Equal(t, "./\n  a/\n    b/ (30 entries)\n  top\n… 2 of 3 levels shown, because more would be too long; call "+
		"get_tree on a subfolder", result.Text)
	require.Equal(t, 2.0, data(t, result)["depth"])
}

// TestFileNamesWithControlCharactersAreQuoted has names that would change what a terminal shows.
func TestFileNamesWithControlCharactersAreQuoted(t *testing.T) {
	t.Parallel()
	const name = "x\x1b[31m\u202ey"
	env, _ := setup(t, map[string]string{"d/" + name + ".txt": "needle\n", name + "/a.py": "def needle(): pass\n"})
	for _, c := range []struct {
		tool string
		in   args
	}{
		{"list_directory", args{"path": "d"}}, {"search_files", args{"path": ".", "pattern": "**/*"}},
		{"get_tree", args{"path": "."}}, {"find_text", args{"path": ".", "pattern": "needle"}},
		{"py_find_usages", args{"path": ".", "name": "needle"}}, {"read_file", args{"path": "d/" + name + ".txt"}},
		{"edit_file", args{"path": "d/" + name + ".txt", "old_string": "a", "new_string": "b"}},
	} {
		text := call(t, env, c.tool, c.in).Text
		require.NotContains(t, text, "\x1b", c.tool)
		require.NotContains(t, text, "\u202e", c.tool)
	}
	require.Contains(t, call(t, env, "list_directory", args{"path": "d"}).Text, `"x\x1b[31m\u202ey.txt"`)
}
