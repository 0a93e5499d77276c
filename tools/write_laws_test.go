package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// edits are calls that change shared.txt, which holds "one\n", in every way the file tools know.
func edits(hash string) map[string]args {
	return map[string]args{
		"edit_file":      {"path": "shared.txt", "old_string": "one", "new_string": "two", "expected_hash": hash},
		"set_file_slice": {"path": "shared.txt", "start_line": 1, "end_line": 1, "new_content": "two", "expected_hash": hash},
		"multi_edit": {"edits": []any{map[string]any{"path": "shared.txt", "old_string": "one", "new_string": "two",
			"expected_hash": hash}}},
	}
}

// eachEdit runs a check for every tool on a workspace of its own.
func eachEdit(t *testing.T, check func(t *testing.T, env tools.Env, dir, tool string, in args)) {
	t.Helper()
	for tool, in := range edits(hash("one\n")) {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			env, dir := setup(t, map[string]string{"shared.txt": "one\n"})
			check(t, env, dir, tool, in)
		})
	}
}

func TestAWriteKeepsTheModeAndLeavesNothingBeside(t *testing.T) {
	t.Parallel()
	eachEdit(t, func(t *testing.T, env tools.Env, dir, tool string, in args) {
		for _, mode := range []os.FileMode{0o600, 0o640, 0o755} {
			put(t, dir, map[string]string{"shared.txt": "one\n"})
			require.NoError(t, os.Chmod(filepath.Join(dir, "shared.txt"), mode))
			result := call(t, env, tool, in)
			require.False(t, result.Failed, result.Text)
			info, err := os.Stat(filepath.Join(dir, "shared.txt"))
			require.NoError(t, err)
			require.Equal(t, mode, info.Mode().Perm())
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, left, 1, "no temporary file stays")
			require.Equal(t, []tools.FileState{{Path: "shared.txt", SHA256: hash("two\n"), Size: 4, Written: true}},
				result.Files)
		}
	})
}

func TestAReadOnlyFileIsNotWritten(t *testing.T) {
	t.Parallel()
	eachEdit(t, func(t *testing.T, env tools.Env, dir, tool string, in args) {
		require.NoError(t, os.Chmod(filepath.Join(dir, "shared.txt"), 0o444))
		result := call(t, env, tool, in)
		require.Equal(t, "ERROR: shared.txt: is read-only", result.Text)
		require.Equal(t, "one\n", get(t, dir, "shared.txt"))
	})
}

func TestAFileWithSeveralHardLinksIsNotWritten(t *testing.T) {
	t.Parallel()
	eachEdit(t, func(t *testing.T, env tools.Env, dir, tool string, in args) {
		require.NoError(t, os.Link(filepath.Join(dir, "shared.txt"), filepath.Join(dir, "other.txt")))
		result := call(t, env, tool, in)
		require.Equal(t, "ACCESS DENIED: shared.txt: this file has several hard links and will not be written", result.Text)
		require.Equal(t, "one\n", get(t, dir, "other.txt"))
	})
}

func TestALinkIsRefusedOrItsTargetIsWritten(t *testing.T) {
	t.Parallel()
	eachEdit(t, func(t *testing.T, env tools.Env, dir, tool string, in args) {
		require.NoError(t, os.Rename(filepath.Join(dir, "shared.txt"), filepath.Join(dir, "target.txt")))
		require.NoError(t, os.Symlink("target.txt", filepath.Join(dir, "shared.txt")))
		require.True(t, strings.HasPrefix(call(t, env, tool, in).Text, "ACCESS DENIED: shared.txt"))
		follows, err := sandbox.Open(sandbox.Config{Primary: dir, AllowSymlinks: true})
		require.NoError(t, err)
		defer func() { require.NoError(t, follows.Close()) }()
		result := call(t, tools.Env{Workspace: follows}, tool, in)
		require.False(t, result.Failed, result.Text)
		link, err := os.Lstat(filepath.Join(dir, "shared.txt"))
		require.NoError(t, err)
		require.NotZero(t, link.Mode()&os.ModeSymlink, "the link stays a link")
		require.Equal(t, "two\n", get(t, dir, "target.txt"))
	})
}

func TestAFileThatIsReplacedMeanwhileIsNotOverwritten(t *testing.T) {
	t.Parallel()
	eachEdit(t, func(t *testing.T, env tools.Env, dir, tool string, in args) {
		result := prepare(t, env, tool, in).Run(t.Context(), func(context.Context, []tools.PlannedChange) error {
			return os.WriteFile(filepath.Join(dir, "shared.txt"), []byte("somebody else\n"), 0o600)
		})
		require.True(t, result.Failed)
		require.ErrorIs(t, result.Err, sandbox.ErrConflict)
		require.Contains(t, result.Text, "shared.txt: has changed since it was read; nothing was written; read it again")
		require.Equal(t, "somebody else\n", get(t, dir, "shared.txt"))
	})
}

func TestAStaleHashAndNoChangeWriteNothing(t *testing.T) {
	t.Parallel()
	for tool, in := range edits(hash("older\n")) {
		env, dir := setup(t, map[string]string{"shared.txt": "one\n"})
		before, err := os.Stat(filepath.Join(dir, "shared.txt"))
		require.NoError(t, err)
		require.Contains(t, call(t, env, tool, in).Text, "shared.txt is not the expected file: its SHA-256 is "+hash("one\n"))
		same := call(t, env, "set_file_slice", args{"path": "shared.txt", "start_line": 1, "end_line": 1,
			"new_content": "one"})
		require.Contains(t, same.Text, "no change: nothing was written")
		now, err := os.Stat(filepath.Join(dir, "shared.txt"))
		require.NoError(t, err)
		require.True(t, os.SameFile(before, now) && before.ModTime().Equal(now.ModTime()), "the same file as before")
	}
}

func TestTheLimitOfBytesHoldsForReadsAndWrites(t *testing.T) {
	t.Parallel()
	_, dir := setup(t, map[string]string{"fits": "1234567\n", "over": "12345678\n"})
	w, err := sandbox.Open(sandbox.Config{Primary: dir, MaxFileBytes: 8})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	env := tools.Env{Workspace: w}
	require.Equal(t, "1234567\n", call(t, env, "read_file", args{"path": "fits"}).Text)
	for _, tool := range []string{"read_file", "find_text"} {
		require.ErrorIs(t, call(t, env, tool, args{"path": "over", "pattern": "1"}.only(tool)).Err, sandbox.ErrTooLarge, tool)
	}
	require.Contains(t, call(t, env, "find_text", args{"path": ".", "pattern": "1"}).Text, "1 too large")
	require.False(t, call(t, env, "edit_file", args{"path": "fits", "old_string": "1", "new_string": "x"}).Failed,
		"as long as before")
	require.ErrorIs(t, call(t, env, "edit_file", args{"path": "fits", "old_string": "x", "new_string": "xy"}).Err,
		sandbox.ErrTooLarge)
	require.ErrorIs(t, call(t, env, "set_file_slice", args{"path": "new", "start_line": 1, "end_line": 0,
		"new_content": "123456789"}).Err, sandbox.ErrTooLarge)
	require.Equal(t, "x234567\n", get(t, dir, "fits"))
}

// only leaves out the arguments that a tool does not take.
func (a args) only(tool string) args {
	if tool == "read_file" {
		return args{"path": a["path"]}
	}
	return a
}

func TestTheLimitsOfMultiEditAndFindTextHold(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, map[string]string{"a": strings.Repeat("x\n", 2_100)})
	many := func(n int) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = map[string]any{"path": "a", "old_string": "x\nx", "new_string": "y\ny", "replace_all": true}
		}
		return out
	}
	bad := func(tool string, in args) error {
		_, err := callTool(t.Context(), env, tool, in)
		return err
	}
	require.ErrorIs(t, bad("multi_edit", args{"edits": many(501)}), tools.ErrBadArguments)
	require.NoError(t, bad("multi_edit", args{"edits": many(500)}))
	for name, most := range map[string]int{"max_results": 2_000, "context_lines": 20} {
		require.NoError(t, bad("find_text", args{"path": "a", "pattern": "x", name: most}))
		require.ErrorIs(t, bad("find_text", args{"path": "a", "pattern": "x", name: most + 1}), tools.ErrBadArguments)
	}
	require.NoError(t, bad("find_text", args{"path": "a", "pattern": strings.Repeat("x", 1_000)}))
	require.ErrorIs(t, bad("find_text", args{"path": "a", "pattern": strings.Repeat("x", 1_001)}), tools.ErrBadArguments)
	found := call(t, env, "find_text", args{"path": "a", "pattern": "x", "max_results": 2_000})
	require.Contains(t, found.Text, "2100 matching lines in 1 file")
	require.Equal(t, true, data(t, found)["truncated"])
}
