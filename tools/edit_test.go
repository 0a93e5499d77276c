package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/document"
)

func TestSetFileSlice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before   string
		from, to int
		content  string
		after    string
	}{
		"replace":                         {"a\nb\nc\n", 2, 2, "B\n", "a\nB\nc\n"},
		"a missing line end is added":     {"a\nb\nc\n", 2, 2, "B", "a\nB\nc\n"},
		"more lines":                      {"a\nb\nc\n", 1, 2, "x\ny\nz", "x\ny\nz\nc\n"},
		"remove":                          {"a\nb\nc\n", 2, 3, "", "a\n"},
		"remove all":                      {"a\nb\n", 1, 2, "", ""},
		"insert before":                   {"a\nb\n", 2, 1, "x", "a\nx\nb\n"},
		"insert first":                    {"a\n", 1, 0, "x\n", "x\na\n"},
		"append":                          {"a\n", 2, 1, "x", "a\nx\n"},
		"fill an empty file":              {"", 1, 0, "x", "x\n"},
		"no final line end stays so":      {"a\nb", 2, 2, "B\n", "a\nB"},
		"append without final line end":   {"a\nb", 3, 2, "c\n", "a\nb\nc"},
		"remove last without line end":    {"a\r\nb", 2, 2, "", "a"},
		"first line of open file":         {"a\nb", 1, 1, "A", "A\nb"},
		"crlf":                            {"a\r\nb\r\nc\r\n", 2, 2, "x\ny", "a\r\nx\r\ny\r\nc\r\n"},
		"cr":                              {"a\rb\rc\r", 2, 2, "x\r\ny\n", "a\rx\ry\rc\r"},
		"mixed takes that of the line":    {"a\nb\r\nc\n", 2, 2, "x", "a\nx\r\nc\n"},
		"mixed append takes the last one": {"a\nb\r\n", 3, 2, "x", "a\nb\r\nx\r\n"},
		"bom stays":                       {"\xEF\xBB\xBFa\nb\n", 1, 1, "ä", "\xEF\xBB\xBFä\nb\n"},
		"utf-16 stays":                    {"\xFF\xFEa\x00\n\x00", 1, 1, "ä", "\xFF\xFE\xE4\x00\n\x00"},
		"latin-1 stays":                   {"caf\xe9\nb\n", 2, 2, "ü", "caf\xe9\n\xfc\n"},
		"invalid bytes stay":              {"äöü\n\xff\xfe\nb\n", 3, 3, "ü", "äöü\n\xff\xfe\nü\n"},
		"blank lines count":               {"a\n\n\nb\n", 3, 3, "x", "a\n\nx\nb\n"},
		"an empty line as content":        {"a\nb\n", 2, 1, "\n", "a\n\nb\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, dir := setup(t, map[string]string{"f": c.before})
			require.NoError(t, os.Chmod(filepath.Join(dir, "f"), 0o750))
			result := call(t, env, "set_file_slice", args{"path": "f", "start_line": c.from, "end_line": c.to,
				"new_content": c.content})
			require.False(t, result.Failed, result.Text)
			require.Equal(t, c.after, get(t, dir, "f"))
			require.Contains(t, result.Text, "sha256 "+hash(c.after))
			info, err := os.Stat(filepath.Join(dir, "f"))
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o750), info.Mode().Perm())
		})
	}
}

func TestSetFileSliceSaysWhereTheNewLinesAre(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"f": "a\nb\nc\n"})
	result := call(t, env, "set_file_slice", args{"path": "f", "start_line": 2, "end_line": 2, "new_content": "x\ny"})
	require.Equal(t, "set_file_slice f: line 2 replaced, now lines 2–3\nf: sha256 "+hash("a\nx\ny\nc\n")+
		", 8 bytes\n--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n a\n-b\n+x\n+y\n c", result.Text)
	require.Equal(t, map[string]any{"start_line": 2.0, "end_line": 3.0, "lines": 4.0}, data(t, result)["details"])
	require.Contains(t, call(t, env, "set_file_slice", args{"path": "f", "start_line": 2, "end_line": 3,
		"new_content": ""}).Text, "lines 2–3 removed")
	require.Contains(t, call(t, env, "set_file_slice", args{"path": "f", "start_line": 1, "end_line": 0,
		"new_content": "n"}).Text, "inserted as line 1")
	same := call(t, env, "set_file_slice", args{"path": "f", "start_line": 1, "end_line": 1, "new_content": "n"})
	require.False(t, same.Failed)
	require.True(t, strings.HasPrefix(same.Text, "no change: nothing was written"), same.Text)
	dry := call(t, env, "set_file_slice", args{"path": "f", "start_line": 1, "end_line": 1, "new_content": "dry",
		"dry_run": true})
	require.True(t, strings.HasPrefix(dry.Text, "dry run: nothing was written"), dry.Text)
	require.Equal(t, "n\na\nc\n", get(t, dir, "f"))
}

func TestSetFileSliceCreatesAMissingFile(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, nil)
	result := call(t, env, "set_file_slice", args{"path": "new/dir/f.py", "start_line": 1, "end_line": 0,
		"new_content": "a\r\nb"})
	require.False(t, result.Failed, result.Text)
	require.Equal(t, "a\r\nb", get(t, dir, "new/dir/f.py"), "the content is taken as it is")
	require.Contains(t, result.Text, "new file with 2 lines")
	for want, in := range map[string]args{
		"ERROR: none does not exist; start_line=1 and end_line=0 create it": {"path": "none", "start_line": 1, "end_line": 1,
			"new_content": "x"},
		"ERROR: none does not exist, but expected_hash was given": {"path": "none", "start_line": 1, "end_line": 0,
			"new_content": "x", "expected_hash": hash("")},
		"ERROR: none/ ends with a slash; give the name of a file": {"path": "none/", "start_line": 1, "end_line": 0,
			"new_content": "x"},
		"ACCESS DENIED: .env: this name is protected": {"path": ".env", "start_line": 1, "end_line": 0,
			"new_content": "x"},
		"ACCESS DENIED: ../x: this path is outside the allowed directories": {"path": "../x", "start_line": 1, "end_line": 0,
			"new_content": "x"},
	} {
		require.Equal(t, want, call(t, env, "set_file_slice", in).Text)
	}
}

func TestSetFileSliceRefusesWrongNumbersHashesAndCharacters(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"f": "a\nb\n", "latin": "\xe9\n", "bin": "\x00", "damaged": "äöü\nx \xff z\n",
		"mark": "a \uFFFD b\n"})
	for want, in := range map[string]args{
		"lines 1–3 are out of range: f has 2 lines; start_line=3 and end_line=2 append": {"path": "f", "start_line": 1,
			"end_line": 3, "new_content": "x"},
		"lines 4–3 are out of range": {"path": "f", "start_line": 4, "end_line": 3,
			"new_content": "x"},
		"end_line 0 is before start_line 2; end_line=1 inserts before line 2": {"path": "f", "start_line": 2, "end_line": 0,
			"new_content": "x"},
		"f is not the expected file: its SHA-256 is " + hash("a\nb\n"): {"path": "f", "start_line": 1, "end_line": 1,
			"new_content": "x", "expected_hash": "0123456789"},
		"expected_hash needs at least 8 hex digits": {"path": "f", "start_line": 1, "end_line": 1, "new_content": "x",
			"expected_hash": hash("a\nb\n")[:7]},
		"cannot represent '→'":              {"path": "latin", "start_line": 1, "end_line": 1, "new_content": "→"},
		"f line 1: the new text has U+FFFD": {"path": "f", "start_line": 1, "end_line": 1, "new_content": "\uFFFD"},
		"damaged line 2: the new text has U+FFFD": {"path": "damaged", "start_line": 2, "end_line": 2,
			"new_content": "x \uFFFD y"},
		"binary": {"path": "bin", "start_line": 1, "end_line": 1, "new_content": "x"},
	} {
		result := call(t, env, "set_file_slice", in)
		require.True(t, result.Failed)
		require.Contains(t, result.Text, want)
	}
	require.Equal(t, "a\nb\n", get(t, dir, "f"))
	result := call(t, env, "edit_file", args{"path": "damaged", "old_string": "x", "new_string": "\uFFFD"})
	require.True(t, result.Failed)
	require.Contains(t, result.Text, "U+FFFD")
	result = patch(t, env, "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+\uFFFD\n")
	require.True(t, result.Failed)
	require.Contains(t, result.Text, "U+FFFD")
	for _, in := range []args{{"path": "mark", "start_line": 1, "end_line": 1, "new_content": "A \uFFFD B"},
		{"path": "mark", "start_line": 2, "end_line": 1, "new_content": "\uFFFD"},
		{"path": "new", "start_line": 1, "end_line": 0, "new_content": "\uFFFD"}} {
		require.False(t, call(t, env, "set_file_slice", in).Failed, "nothing is lost")
	}
	ok := call(t, env, "set_file_slice", args{"path": "f", "start_line": 1, "end_line": 1, "new_content": "x",
		"expected_hash": strings.ToUpper(hash("a\nb\n")[:8])})
	require.False(t, ok.Failed, ok.Text)
}

func TestEditFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, old, new string
		all              bool
		after            string
	}{
		"once":                              {"a b c\n", "b", "B", false, "a B c\n"},
		"several lines":                     {"a\n\tb\nc\n", "a\n\tb\n", "x\n", false, "x\nc\n"},
		"all":                               {"x.x.x", "x", "yy", true, "yy.yy.yy"},
		"all does not match its own output": {"aaa", "a", "aa", true, "aaaaaa"},
		"no overlaps":                       {"aaaa", "aa", "b", true, "bb"},
		"remove":                            {"a\nb\nc\n", "b\n", "", false, "a\nc\n"},
		"crlf file, lf text":                {"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", false, "x\r\ny\r\nz\r\nc\r\n"},
		"lf file, crlf text":                {"a\nb\nc\n", "a\r\nb", "x\r\ny", false, "x\ny\nc\n"},
		"cr file":                           {"a\rb\rc", "a\nb", "x\ny", false, "x\ry\rc"},
		"mixed file keeps every other byte": {"a\r\nb\nc\rd\n", "b\nc", "B\nC", false, "a\r\nB\nC\rd\n"},
		"ends at a crlf":                    {"a\r\nb\r\n", "a\n", "x\n", false, "x\r\nb\r\n"},
		"ends before a crlf":                {"a\r\nb\r\n", "a", "x", false, "x\r\nb\r\n"},
		"begins behind a crlf":              {"a\r\nb\r\n", "b", "x", false, "a\r\nx\r\n"},
		"all in a crlf file":                {"a\r\nb\r\na\r\nb\r\n", "a\nb\n", "x\n", true, "x\r\nx\r\n"},
		"only the line ends change":         {"a\r\nb\r\n", "a\r\n", "a\n", false, "a\nb\r\n"},
		"bom stays":                         {"\xEF\xBB\xBFa\n", "a", "ä", false, "\xEF\xBB\xBFä\n"},
		"utf-16": {"\xFF\xFEa\x00\r\x00\n\x00b\x00", "a\nb", "x\ny", false,
			"\xFF\xFEx\x00\r\x00\n\x00y\x00"},
		"latin-1":                      {"caf\xe9 \xe0\n", "é", "è", false, "caf\xe8 \xe0\n"},
		"invalid bytes stay":           {"äöü \xff\xfe b\n", "b", "c", false, "äöü \xff\xfe c\n"},
		"no final line end":            {"a\nb", "b", "c", false, "a\nc"},
		"dollar signs and backslashes": {"a", "a", `$1\n${x}`, false, `$1\n${x}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, dir := setup(t, map[string]string{"f": c.before})
			result := call(t, env, "edit_file", args{"path": "f", "old_string": c.old, "new_string": c.new,
				"replace_all": c.all})
			require.False(t, result.Failed, result.Text)
			require.Equal(t, c.after, get(t, dir, "f"))
			require.Contains(t, result.Text, "sha256 "+hash(c.after))
		})
	}
}

func TestEditFileRefusesWhatIsNotUnique(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"f": "x\ny\nx\n\nx x\n"})
	result := call(t, env, "edit_file", args{"path": "f", "old_string": "x", "new_string": "z"})
	require.True(t, result.Failed)
	require.Equal(t, "ERROR: old_string occurs 4 times in f, at lines 1, 3, 5, 5; add text around it to make it unique, "+
		"or set replace_all", result.Text)
	require.Equal(t, "x\ny\nx\n\nx x\n", get(t, dir, "f"))
	result = call(t, env, "edit_file", args{"path": "f", "old_string": "x", "new_string": "z", "replace_all": true})
	require.Contains(t, result.Text, "edit_file f: 4 occurrences replaced, at lines 1, 3, 5, 5")
	details, _ := data(t, result)["details"].(map[string]any)
	require.Equal(t, 4.0, details["replacements"])
	require.Equal(t, []any{1.0, 3.0, 5.0, 5.0}, details["lines"])
}

func TestEditFileExplainsWhatItDoesNotFind(t *testing.T) {
	t.Parallel()
	source := "import os\n\ndef load(path):\n    return open(path).read()\n\ndef save(path, text):\n    print('saved')\n"
	env, dir := setup(t, map[string]string{"f.py": source, "empty": ""})
	edit := func(old string) string {
		result := call(t, env, "edit_file", args{"path": "f.py", "old_string": old, "new_string": "x"})
		require.True(t, result.Failed)
		require.True(t, strings.HasPrefix(result.Text, "ERROR: old_string not found in f.py"), result.Text)
		require.NotContains(t, result.Text, "\n")
		return result.Text
	}
	require.Contains(t, edit("def lod(path):"), `nearest lines: 3: "def load(path):" | 6: "def save(path, text):"`)
	require.Contains(t, edit("def load(path):\n  return open(path).read()"),
		"differs only in blanks or indentation is at lines 3–4")
	require.Contains(t, edit("     3\tdef load(path):\n     4\t    return open(path).read()"),
		"begins its lines with line numbers")
	require.Contains(t, edit("    print(‘saved’)"), "differs only in look-alike characters is at line 7")
	require.NotContains(t, edit("@@@@"), "nearest lines")
	require.Equal(t, source, get(t, dir, "f.py"))
	require.Contains(t, call(t, env, "edit_file", args{"path": "empty", "old_string": "a", "new_string": "b"}).Text,
		"old_string not found in empty")
	require.Contains(t, call(t, env, "edit_file", args{"path": "f.py", "old_string": "os", "new_string": "os"}).Text,
		"are the same")
	require.Contains(t, call(t, env, "edit_file", args{"path": "none", "old_string": "a", "new_string": "b"}).Text,
		"ERROR: none: does not exist")
	_, err := builtin.Tools().Prepare(t.Context(), env, "edit_file",
		[]byte(`{"path":"f.py","old_string":"","new_string":"x"}`))
	require.ErrorIs(t, err, tools.ErrBadArguments)
}

func FuzzEditsLeaveOtherBytesAlone(f *testing.F) {
	f.Add("a\r\nb\nc", "b", "x\ny")
	f.Add("\xff\xfe", "b", "c")
	f.Add("aXbXc\r", "X", "")
	env, dir := setup(f, nil)
	f.Fuzz(func(t *testing.T, text, old, replacement string) {
		put(t, dir, map[string]string{"f": text})
		raw := args{"path": "f", "old_string": old, "new_string": replacement, "replace_all": true}
		if old == "" || !utf8.ValidString(old) || !utf8.ValidString(replacement) || strings.ContainsRune(text, 0) ||
			strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
			return
		}
		result := call(t, env, "edit_file", raw)
		if result.Failed {
			require.Equal(t, text, get(t, dir, "f"))
			return
		}
		if !strings.Contains(text, "\r") && !strings.Contains(old, "\r") && !strings.Contains(replacement, "\r") &&
			utf8.ValidString(text) {
			require.Equal(t, strings.ReplaceAll(text, old, replacement), get(t, dir, "f"))
		}
	})
}

func FuzzSlicesLeaveOtherLinesAlone(f *testing.F) {
	f.Add("a\r\nb\nc", 2, 2, "x\ny")
	f.Add("\xff\xfe\rb", 1, 0, "c")
	f.Add("äö\n\xff\n", 2, 2, "")
	env, dir := setup(f, nil)
	f.Fuzz(func(t *testing.T, text string, from, to int, content string) {
		doc, ok := document.Decode([]byte(text))
		if !ok || !utf8.ValidString(content) || doc.Encoding != document.UTF8 && doc.Encoding != document.Damaged {
			return
		}
		put(t, dir, map[string]string{"f": text})
		_, err := callTool(t.Context(), env, "set_file_slice", args{"path": "f", "start_line": from, "end_line": to,
			"new_content": content})
		lines := document.Lines(text)
		after := get(t, dir, "f")
		if err != nil || from > len(lines)+1 || to > len(lines) || to < from-1 || strings.ContainsRune(content, 0) {
			require.Equal(t, text, after, "nothing was done")
			return
		}
		head, tail := "", ""
		if from > 1 {
			head = text[:lines[from-2].End] // its line end may come or go where the file lacks its last one
		}
		if to < len(lines) {
			tail = text[lines[to].Start:]
		}
		require.True(t, strings.HasPrefix(after, head) && strings.HasSuffix(after, tail), "%q became %q", text, after)
	})
}
