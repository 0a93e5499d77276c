package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/git"
)

// inConflict are two worktrees that changed the same files in other ways; the first one is merged.
func inConflict(t *testing.T) (*home, git.Worktree) {
	t.Helper()
	h := newHome(t, map[string]string{"text": "a\n", "bin": "a\x00a", "gone here": "a\n", "gone there": "a\n",
		"marks": "a\n"})
	one, two := h.prepare("T-1.1"), h.prepare("T-2.1")
	h.put(one.Dir, map[string]string{"text": "one\n", "bin": "one\x00", "gone here": "one\n", "marks": "<<<<<<< one\n"})
	require.NoError(t, os.Remove(filepath.Join(one.Dir, "gone there")))
	h.put(two.Dir, map[string]string{"text": "two\n", "bin": "two\x00", "gone there": "two\n", "marks": "<<<<<<< two\n",
		"own": "x\n"})
	require.NoError(t, os.Remove(filepath.Join(two.Dir, "gone here")))
	require.NotEmpty(t, h.merge("T-1.1", 1).Commit)
	got := h.merge("T-2.1", 1)
	require.Equal(t, []string{"bin", "gone here", "gone there", "marks", "text"}, got.Files)
	require.Equal(t, []string{"bin", "gone here", "gone there"}, got.Whole)
	return h, two
}

func (h *home) take(try int, sides map[string]string) (git.Merge, error) {
	return h.trees.Merge(h.t.Context(), git.MergeRequest{Name: "T-2.1", Try: try, Title: "T-2", Take: sides})
}

func TestAPersonTakesASideOfEachFile(t *testing.T) {
	t.Parallel()
	h, two := inConflict(t)
	_, err := h.take(2, map[string]string{"own": git.SideTicket})
	require.ErrorContains(t, err, "own is not in conflict")
	left, err := h.take(3, map[string]string{"bin": git.SideTicket, "gone here": git.SideTicket,
		"gone there": git.SideTicket, "marks": git.SideTicket})
	require.NoError(t, err)
	require.Equal(t, []string{"text"}, left.Files, "what is not named must be mended")
	h.put(two.Dir, map[string]string{"text": "both\n"})
	done, err := h.take(4, nil)
	require.NoError(t, err)
	require.NotEmpty(t, done.Commit)
	require.Equal(t, "bin\ngone there\nmarks\nown\ntext", h.git("ls-tree", "-r", "--name-only", "slop/S1"))
	require.Equal(t, "two\x00", h.git("show", "slop/S1:bin"))
	require.Equal(t, "<<<<<<< two", h.git("show", "slop/S1:marks"), "a file that has such lines of its own is no trap")
	require.Equal(t, "both", h.git("show", "slop/S1:text"))
}

func TestAPersonTakesOneSideOfEverything(t *testing.T) {
	t.Parallel()
	h, _ := inConflict(t)
	before := h.git("rev-parse", "slop/S1^{tree}")
	done, err := h.take(2, map[string]string{git.AllOthers: git.SideMerged})
	require.NoError(t, err)
	require.NotEmpty(t, done.Commit)
	require.Equal(t, "A\town", h.git("diff", "--name-status", before, "slop/S1"), "what was in no conflict is merged")
}

func TestAPersonTakesAFileAsItStands(t *testing.T) {
	t.Parallel()
	h, _ := inConflict(t)
	done, err := h.take(2, map[string]string{"text": git.SideFile, git.AllOthers: git.SideMerged})
	require.NoError(t, err)
	require.NotEmpty(t, done.Commit)
	require.Contains(t, h.git("show", "slop/S1:text"), "<<<<<<< merged\none\n=======\ntwo\n>>>>>>> T-2.1")
}

func TestASideIsTakenOverNothingElse(t *testing.T) {
	t.Parallel()
	h, two := inConflict(t)
	for _, name := range []string{"text", "gone here"} { // taken from a side that has it, and from one that has not
		place := filepath.Join(two.Dir, name)
		require.NoError(t, os.Rename(place, filepath.Join(t.TempDir(), "kept")))
		h.put(two.Dir, map[string]string{name + "/mine.txt": "mine\n"})
		_, err := h.take(2, map[string]string{git.AllOthers: git.SideTicket})
		var problem *git.Problem
		require.ErrorAs(t, err, &problem)
		require.ErrorContains(t, err, "writing "+name+" would overwrite")
		require.FileExists(t, filepath.Join(place, "mine.txt"))
		require.Equal(t, "one\x00", textOf(t, filepath.Join(two.Dir, "bin")), "no other side is taken before that")
		require.NoError(t, os.RemoveAll(place))
	}
	done, err := h.take(2, map[string]string{git.AllOthers: git.SideTicket})
	require.NoError(t, err)
	require.NotEmpty(t, done.Commit)
}

func TestASideIsTakenThroughNoLink(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"d/f": "a\n"})
	one, two := h.prepare("T-1.1"), h.prepare("T-2.1")
	h.put(one.Dir, map[string]string{"d/f": "one\n"})
	h.put(two.Dir, map[string]string{"d/f": "two\n"})
	h.merge("T-1.1", 1)
	require.Equal(t, []string{"d/f"}, h.merge("T-2.1", 1).Files)
	outside := t.TempDir()
	h.put(outside, map[string]string{"f": "secret\n"})
	require.NoError(t, os.RemoveAll(filepath.Join(two.Dir, "d")))
	require.NoError(t, os.Symlink(outside, filepath.Join(two.Dir, "d")))
	_, err := h.take(2, map[string]string{"d/f": git.SideTicket})
	require.ErrorContains(t, err, "would overwrite something else")
	require.Equal(t, "secret\n", textOf(t, filepath.Join(outside, "f")))
}

func TestFilesOfAnyNameAreTaken(t *testing.T) {
	t.Parallel()
	names := []string{"-x", "--all", ":(glob)q", "new\nline", `quo"te`, "co,mma", "tab\tb", "star*", " lead", "trail ",
		"d/-y"}
	all := func(text string) map[string]string {
		out := map[string]string{}
		for _, name := range names {
			out[name] = text
		}
		return out
	}
	h := newHome(t, all("a\n"))
	one, two := h.prepare("T-1.1"), h.prepare("T-2.1")
	h.put(one.Dir, all("one\n"))
	h.put(two.Dir, all("two\n"))
	h.merge("T-1.1", 1)
	require.Len(t, h.merge("T-2.1", 1).Files, len(names))
	for _, bad := range []string{"../x", "/etc/passwd", "a\x00b", ":(glob)*", "d", ".git/config"} {
		_, err := h.take(2, map[string]string{bad: git.SideTicket})
		require.ErrorContains(t, err, "not in conflict")
	}
	done, err := h.take(3, all(git.SideTicket))
	require.NoError(t, err)
	require.NotEmpty(t, done.Commit)
	require.Equal(t, h.git("rev-parse", "slop/S1^1^{tree}"), h.git("rev-parse", "slop/S1^{tree}"))
}
