package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/git"
)

// TestFilesThatGitWouldStoreOtherwiseAreNobodysWork: their attributes are younger than they are.
func TestFilesThatGitWouldStoreOtherwiseAreNobodysWork(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"old.txt": "a\r\nb\r\nc\r\n", "old.bat": "a\r\n", "go.go": "x\n"})
	h.put(h.dir, map[string]string{".gitattributes": "*.txt text\n*.bat text eol=crlf\n"})
	h.git("add", ".gitattributes")
	h.git("commit", "-qm", "attributes")
	one, two := h.prepare("T-1.1"), h.prepare("T-2.1")
	h.put(one.Dir, map[string]string{"go.go": "one\n"})
	h.put(two.Dir, map[string]string{"old.txt": "a\r\nb\r\nC\r\n"})
	h.merge("T-1.1", 1)
	require.Equal(t, "M\tgo.go", h.git("diff", "--name-status", "main", "slop/S1"),
		"what the ticket left alone is as it was")
	require.NotEmpty(t, h.merge("T-2.1", 1).Commit)
	hold, err := h.trees.HoldMerged(t.Context())
	require.NoError(t, err)
	hold.Release()
	merged := filepath.Join(h.trees.Root, git.Merged)
	require.NoError(t, os.Chmod(filepath.Join(merged, "old.bat"), 0o755))
	require.ErrorContains(t, h.trees.Tidy(t.Context()), "were changed", "of a file's mode, too")
	require.NoError(t, os.Chmod(filepath.Join(merged, "old.bat"), 0o644))
	require.NoError(t, h.trees.Tidy(t.Context()))
}

func TestNamesOfAnyBytesAreInConflict(t *testing.T) {
	t.Parallel()
	const name, told = "a\xff.txt", "a\ufffd.txt"
	h := newHome(t, map[string]string{name: "a\n"})
	one, two := h.prepare("T-1.1"), h.prepare("T-2.1")
	h.put(one.Dir, map[string]string{name: "one\n"})
	h.put(two.Dir, map[string]string{name: "two\n"})
	h.merge("T-1.1", 1)
	require.Equal(t, []string{name}, h.merge("T-2.1", 1).Files)
	require.Equal(t, []string{name}, h.merge("T-2.1", 2).Files, "the marks are still there")
	require.Equal(t, "one", h.git("show", "slop/S1:"+name))
	done, err := h.take(3, map[string]string{told: git.SideTicket})
	require.NoError(t, err)
	require.NotEmpty(t, done.Commit)
	require.Equal(t, "two", h.git("show", "slop/S1:"+name))
}
