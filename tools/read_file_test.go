package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
)

// numbered gives n lines "line i".
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestReadFileAnswersWithTheTextItself(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, map[string]string{"a.txt": "one\r\ntwo\rthree\n\nlast", "empty": ""})
	result := call(t, env, "read_file", args{"path": "a.txt"})
	require.False(t, result.Failed)
	require.Equal(t, "one\r\ntwo\rthree\n\nlast", result.Text)
	require.Equal(t, map[string]any{
		"path": "a.txt", "sha256": hash(result.Text), "encoding": "utf-8", "size": 20.0, "lines": 5.0,
		"start_line": 1.0, "end_line": 5.0, "truncated": false, "text": result.Text,
		"line_ends": "mixed", "cut_lines": []any{}, "notes": []any{},
	}, data(t, result))
	require.Equal(t, []tools.FileState{{Path: "a.txt", SHA256: hash(result.Text), Size: 20}}, result.Files)
	result = call(t, env, "read_file", args{"path": "empty"})
	require.False(t, result.Failed)
	require.Empty(t, result.Text)
}

func TestReadFileShowsRanges(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, map[string]string{"a": numbered(9)})
	require.Equal(t, "line 8\nline 9\n", call(t, env, "read_file", args{"path": "a", "start_line": 8}).Text)
	require.Equal(t, "line 1\nline 2\n", call(t, env, "read_file", args{"path": "a", "end_line": 2}).Text)
	require.Equal(t, "ERROR: line 10 is out of range: a has 9 lines", call(t, env, "read_file",
		args{"path": "a", "start_line": 10}).Text)
}

func TestALongFileIsCutAndTheAnswerSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, map[string]string{"a": numbered(950)})
	env.Limits = tools.Limits{MaxLines: 201}
	result := call(t, env, "read_file", args{"path": "a"})
	require.True(t, strings.HasPrefix(result.Text, "line 1\n"))
	require.True(t, strings.HasSuffix(result.Text, "line 200\n… truncated: lines 201–950 of 950 not shown; call "+
		"read_file with start_line=201"), result.Text)
	require.Equal(t, 200.0, data(t, result)["end_line"])
	require.Equal(t, true, data(t, result)["truncated"])
	next := call(t, env, "read_file", args{"path": "a", "start_line": 751})
	require.True(t, strings.HasSuffix(next.Text, "line 950\n"))
	part := call(t, env, "read_file", args{"path": "a", "start_line": 2, "end_line": 900})
	require.True(t, strings.HasSuffix(part.Text, "… truncated: lines 202–900 of 950 not shown; call read_file with "+
		"start_line=202 and end_line=900"), part.Text)

	env.Limits = tools.Limits{MaxChars: 500}
	result = call(t, env, "read_file", args{"path": "a"})
	require.Contains(t, result.Text, "of 950 not shown; call read_file with start_line=")
	require.LessOrEqual(t, len([]rune(result.Text)), 500)
}

func TestAnExactFitIsNotCut(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, map[string]string{"fits": numbered(20), "over": numbered(21), "wide": strings.Repeat("é", 500),
		"wider": strings.Repeat("é", 501)})
	env.Limits = tools.Limits{MaxLines: 20, MaxChars: 500}
	require.Equal(t, numbered(20), call(t, env, "read_file", args{"path": "fits"}).Text)
	require.Contains(t, call(t, env, "read_file", args{"path": "over"}).Text, "truncated")
	require.Equal(t, strings.Repeat("é", 500), call(t, env, "read_file", args{"path": "wide"}).Text)
	wider := call(t, env, "read_file", args{"path": "wider"}).Text
	require.Contains(t, wider, "characters not shown")
	require.Contains(t, wider, "truncated: line 1 of 1 is too long")
	require.LessOrEqual(t, len([]rune(wider)), 500)
}

func TestEncodingsAreNamedAndHonoured(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, map[string]string{
		"bom": "\xEF\xBB\xBFäb\n", "le": "\xFF\xFEa\x00\xE4\x00\n\x00", "be": "\xFE\xFF\x00a\x00\xE4\x00\n",
		"latin": "caf\xe9\n", "damaged": "äöü \xff ok\n", "nul": "a\x00b", "odd": "\xFF\xFEa",
	})
	for name, want := range map[string][2]string{
		"bom": {"utf-8-bom", "äb\n"}, "le": {"utf-16le", "aä\n… encoding utf-16le"},
		"be":    {"utf-16be", "aä\n… encoding utf-16be"},
		"latin": {"latin-1", "café\n… encoding latin-1 (guessed)"}, "odd": {"latin-1", "ÿþa\n… encoding latin-1 (guessed)"},
		"damaged": {"utf-8 with invalid bytes", "äöü \uFFFD ok\n… invalid UTF-8 is shown as \uFFFD"},
	} {
		result := call(t, env, "read_file", args{"path": name})
		require.Equal(t, want[1], result.Text, name)
		require.Equal(t, want[0], data(t, result)["encoding"], name)
	}
	require.Equal(t, "ERROR: nul is a binary file of 3 bytes (NUL byte at offset 1), which this tool does not support",
		call(t, env, "read_file", args{"path": "nul"}).Text)
}

func TestReadFileFailsInOneLine(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, map[string]string{"sub/a": "", ".env": "KEY=1"})
	for path, want := range map[string]string{
		"none": "ERROR: none: does not exist", "sub": "ERROR: sub: is a directory",
		"sub/a/b": "ERROR: sub/a/b: a parent of this path is not a directory",
		"../x":    "ACCESS DENIED: ../x: this path is outside the allowed directories",
		".env":    "ACCESS DENIED: .env: this name is protected",
	} {
		result := call(t, env, "read_file", args{"path": path})
		require.True(t, result.Failed)
		require.Equal(t, want, result.Text)
	}
	require.Equal(t, []tools.FileState{{Path: "none"}}, call(t, env, "read_file", args{"path": "none"}).Files)
}

func TestGetFileSliceShowsExactlyTheLines(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, map[string]string{"a": numbered(5), "open": "x\ny", "empty": ""})
	slice := func(path string, from, to int) tools.Result {
		return call(t, env, "get_file_slice", args{"path": path, "start_line": from, "end_line": to})
	}
	require.Equal(t, "line 2\nline 3\n", slice("a", 2, 3).Text)
	require.Equal(t, "line 5\n", slice("a", 5, 5).Text)
	require.Equal(t, "line 5\n… end of file: a has 5 lines", slice("a", 5, 6).Text)
	require.Equal(t, "y\n… end of file: open has 2 lines", slice("open", 2, 9).Text)
	require.Equal(t, "ERROR: line 6 is out of range: a has 5 lines", slice("a", 6, 6).Text)
	require.Equal(t, "ERROR: start_line 3 is after end_line 2", slice("a", 3, 2).Text)
	require.Equal(t, "… end of file: empty has 0 lines", slice("empty", 1, 1).Text)
	require.Equal(t, "line 2\nline 3\n", data(t, slice("a", 2, 3))["text"])
	env.Limits = tools.Limits{MaxLines: 5}
	env2, _ := setup(t, map[string]string{"a": numbered(50)})
	env2.Limits = env.Limits
	require.Equal(t, "line 2\nline 3\nline 4\nline 5\n… truncated: lines 6–40 of 50 not shown; call get_file_slice with "+
		"start_line=6 and end_line=40",
		call(t, env2, "get_file_slice", args{"path": "a", "start_line": 2, "end_line": 40}).Text)
}
