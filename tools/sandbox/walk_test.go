//go:build unix

package sandbox_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/sandbox"
)

func walk(t *testing.T, w *sandbox.Workspace, path string, opts sandbox.WalkOptions) ([]string, sandbox.WalkStats) {
	t.Helper()
	var out []string
	stats, err := w.Walk(t.Context(), path, opts, func(e sandbox.Entry) error {
		out = append(out, fmt.Sprintf("%s %s %d", e.Kind, e.Path, e.Depth))
		return nil
	})
	require.NoError(t, err)
	return out, stats
}

func TestWalkIsOrderedAndSeesNoProtectedNamesAndFollowsNoLinks(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{
		"b/z": "", "b/a": "", "a.txt": "x", ".env": "", ".slop/x": "", "b/k.pem": "", "c/config.toml": "",
	})
	require.NoError(t, os.Symlink("b", filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("..", filepath.Join(dir, "b", "loop")))
	got, stats := walk(t, w, ".", sandbox.WalkOptions{})
	require.Equal(t, []string{"file a.txt 1", "dir b 1", "file b/a 2", "link b/loop 2", "file b/z 2", "dir c 1",
		"link link 1"}, got)
	require.Equal(t, sandbox.WalkStats{Visited: 7, Protected: 4, LeftOut: map[string]int{".": 2, "b": 1, "c": 1}}, stats)
	got, _ = walk(t, w, "b", sandbox.WalkOptions{})
	require.Equal(t, []string{"file b/a 1", "link b/loop 1", "file b/z 1"}, got)
}

func TestLinksSayWhereTheyLead(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"a.txt": "", "sub/b": "", ".env": ""})
	for name, target := range map[string]string{
		"l1": "a.txt", "l2": filepath.Join(dir, "sub", "b"), "l3": "/etc/passwd", "l4": ".env", "l5": "none", "l6": "../../x",
		"sub/l7": "../a.txt", "l8": "l1", "l9": ".",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	got := map[string]string{}
	_, err := w.Walk(t.Context(), ".", sandbox.WalkOptions{NoSizes: true}, func(e sandbox.Entry) error {
		if e.Kind == sandbox.KindLink {
			got[e.Path] = e.Target
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"l1": "a.txt", "l2": "sub/b", "l3": sandbox.TargetOutside, "l4": sandbox.TargetProtected, "l5": "none",
		"l6":     sandbox.TargetOutside,
		"sub/l7": "a.txt", "l8": "l1", "l9": ".",
	}, got)
}

func TestWalkObeysItsBounds(t *testing.T) {
	t.Parallel()
	w, _ := open(t, map[string]string{"a/b/c/d": "", "e": "", "f": ""})
	got, stats := walk(t, w, ".", sandbox.WalkOptions{MaxDepth: 2})
	require.Equal(t, []string{"dir a 1", "dir a/b 2", "file e 1", "file f 1"}, got)
	require.False(t, stats.Truncated)
	got, stats = walk(t, w, ".", sandbox.WalkOptions{MaxEntries: 5})
	require.Len(t, got, 5)
	require.True(t, stats.Truncated, "one entry more than the bound")
	got, stats = walk(t, w, ".", sandbox.WalkOptions{MaxEntries: 6})
	require.Len(t, got, 6)
	require.False(t, stats.Truncated)
}

func TestWalkHonoursGitignoreFilesAboveAndBelowWhenAsked(t *testing.T) {
	t.Parallel()
	w, _ := open(t, map[string]string{
		".gitignore": "*.log\nout/\n", "sub/.gitignore": "!keep.log\nmine\n", "sub/keep.log": "", "sub/x.log": "",
		"sub/mine/a":    "",
		"sub/src/y.log": "", "sub/src/z": "", "out/b": "", ".git/HEAD": "",
	})
	got, stats := walk(t, w, "sub", sandbox.WalkOptions{Gitignore: true})
	require.Equal(t, []string{"file sub/.gitignore 1", "file sub/keep.log 1", "dir sub/src 1", "file sub/src/z 2"}, got)
	require.Equal(t, 3, stats.Ignored)
	got, _ = walk(t, w, ".", sandbox.WalkOptions{Gitignore: true, MaxDepth: 1})
	require.Equal(t, []string{"file .gitignore 1", "dir sub 1"}, got)
	all, _ := walk(t, w, ".", sandbox.WalkOptions{})
	require.Contains(t, strings.Join(all, "\n"), ".git/HEAD")
}

func TestAVisitorSteersTheWalk(t *testing.T) {
	t.Parallel()
	w, _ := open(t, map[string]string{"a/x": "", "b/x": "", "c/x": ""})
	var seen []string
	_, err := w.Walk(t.Context(), ".", sandbox.WalkOptions{}, func(e sandbox.Entry) error {
		seen = append(seen, e.Path)
		switch e.Path {
		case "a":
			return fs.SkipDir
		case "b/x":
			return fs.SkipAll
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "b/x"}, seen)
	_, err = w.Walk(t.Context(), ".", sandbox.WalkOptions{}, func(sandbox.Entry) error { return fs.ErrInvalid })
	require.ErrorIs(t, err, fs.ErrInvalid)
}
