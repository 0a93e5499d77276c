//go:build unix

package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/sandbox"
)

func lock(t *testing.T, w *sandbox.Workspace, paths ...string) *sandbox.Guard {
	t.Helper()
	guard, err := w.Lock(t.Context(), paths...)
	require.NoError(t, err)
	t.Cleanup(guard.Release)
	return guard
}

func hash(s string) string { return sandbox.Digest([]byte(s)) }

func TestApplyCreatesReplacesAndRemoves(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"old": "1", "gone": "2"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "old"), 0o751))
	err := lock(t, w, "old", "gone", "new/deep/file", "empty").Apply(t.Context(), []sandbox.Write{
		{Path: "old", Before: hash("1"), After: []byte("one"), Mode: 0o600},
		{Path: "gone", Before: hash("2")},
		{Path: "new/deep/file", After: []byte("n"), Mode: 0o700},
		{Path: "empty", After: []byte{}},
	})
	require.NoError(t, err)
	require.Equal(t, []string{"empty", "new", "new/deep", "new/deep/file", "old"}, names(t, dir))
	require.Equal(t, "one", get(t, dir, "old"))
	require.Equal(t, "n", get(t, dir, "new/deep/file"))
	info, err := os.Stat(filepath.Join(dir, "old"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o751), info.Mode().Perm(), "an existing file keeps its mode")
	info, err = os.Stat(filepath.Join(dir, "new/deep/file"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

func TestApplyWritesNothingWhenOneFileIsNotAsExpected(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"a": "1", "b": "2", "linked": "3", "readonly": "4"})
	require.NoError(t, os.Link(filepath.Join(dir, "linked"), filepath.Join(dir, "twin")))
	require.NoError(t, os.Chmod(filepath.Join(dir, "readonly"), 0o444))
	require.NoError(t, os.Symlink("a", filepath.Join(dir, "link")))
	before := names(t, dir)
	good := sandbox.Write{Path: "a", Before: hash("1"), After: []byte("new")}
	fresh := sandbox.Write{Path: "x/y", After: []byte("new")}
	for name, c := range map[string]struct {
		write sandbox.Write
		want  error
	}{
		"changed":   {sandbox.Write{Path: "b", Before: hash("other"), After: []byte("n")}, sandbox.ErrConflict},
		"gone":      {sandbox.Write{Path: "none", Before: hash("x"), After: []byte("n")}, sandbox.ErrConflict},
		"appeared":  {sandbox.Write{Path: "b", After: []byte("n")}, sandbox.ErrConflict},
		"hard link": {sandbox.Write{Path: "linked", Before: hash("3"), After: []byte("n")}, sandbox.ErrDenied},
		"read-only": {sandbox.Write{Path: "readonly", Before: hash("4"), After: []byte("n")}, os.ErrPermission},
		"directory": {sandbox.Write{Path: ".", After: []byte("n")}, sandbox.ErrIsDirectory},
		"link":      {sandbox.Write{Path: "link", Before: hash("1"), After: []byte("n")}, sandbox.ErrDenied},
		"protected": {sandbox.Write{Path: ".env", After: []byte("n")}, sandbox.ErrDenied},
		"engine":    {sandbox.Write{Path: ".slop/x", After: []byte("n")}, sandbox.ErrDenied},
		"outside":   {sandbox.Write{Path: "../x", After: []byte("n")}, sandbox.ErrDenied},
		"over limit": {sandbox.Write{Path: "b", Before: hash("2"), After: make([]byte, sandbox.DefaultMaxFileBytes+1)},
			sandbox.ErrTooLarge},
	} {
		guard, err := w.Lock(t.Context(), "a", "b", "none", "linked", "readonly", "x/y", "link", ".")
		require.NoError(t, err)
		err = guard.Apply(t.Context(), []sandbox.Write{good, fresh, c.write})
		guard.Release()
		require.ErrorIs(t, err, c.want, name)
		require.Equal(t, before, names(t, dir), name)
		require.Equal(t, "1", get(t, dir, "a"), name)
	}
}

func TestApplyPutsBackWhatItWroteWhenALaterFileFails(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"a": "1", "b": "2"})
	guard := lock(t, w, "a", "b", "c")
	// The same file twice: both are staged against the old content, and the second is refused
	// after the first is in place.
	err := guard.Apply(t.Context(), []sandbox.Write{
		{Path: "c", After: []byte("3")},
		{Path: "b", Before: hash("2")},
		{Path: "a", Before: hash("1"), After: []byte("x")},
		{Path: "a", Before: hash("1"), After: []byte("y")},
	})
	require.ErrorIs(t, err, sandbox.ErrConflict)
	require.Equal(t, []string{"a", "b"}, names(t, dir))
	require.Equal(t, "1", get(t, dir, "a"))
	require.Equal(t, "2", get(t, dir, "b"))
}

func TestApplyTakesOnlyLockedFilesAndBoundedLists(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"a": "1"})
	guard := lock(t, w, "a")
	require.Error(t, guard.Apply(t.Context(), []sandbox.Write{{Path: "b", After: []byte("n")}}))
	require.ErrorIs(t, guard.Apply(t.Context(), make([]sandbox.Write, sandbox.MaxWrites+1)), sandbox.ErrTooLarge)
	guard.Release()
	require.Error(t, guard.Apply(t.Context(), []sandbox.Write{{Path: "a", Before: hash("1"), After: []byte("n")}}))
	require.Equal(t, []string{"a"}, names(t, dir))
}

func TestApplyStopsBeforeTheFirstRenameWhenCancelled(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"a": "1"})
	guard := lock(t, w, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, guard.Apply(ctx, []sandbox.Write{{Path: "a", Before: hash("1"), After: []byte("n")}}),
		context.Canceled)
	require.Equal(t, []string{"a"}, names(t, dir))
	require.Equal(t, "1", get(t, dir, "a"))
}

func TestALeftoverOfACrashIsHiddenAndCleanedUp(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"a": "1"})
	guard := lock(t, w, "a")
	leftovers := func() []string { m, _ := filepath.Glob(filepath.Join(dir, ".slop-*.tmp")); return m }
	require.NoError(t, guard.Apply(t.Context(), []sandbox.Write{{Path: "a", Before: hash("1"), After: []byte("2")}}))
	require.Empty(t, leftovers())
	temp := sandbox.TempName("a")
	put(t, dir, map[string]string{temp: "half"})
	require.ErrorIs(t, w.Check(temp), sandbox.ErrDenied)
	listing, err := w.List(t.Context(), ".")
	require.NoError(t, err)
	require.Len(t, listing.Entries, 1)
	require.Equal(t, 1, listing.Protected)
	require.NoError(t, guard.Apply(t.Context(), []sandbox.Write{{Path: "a", Before: hash("2"), After: []byte("3")}}))
	require.Empty(t, leftovers())
	require.Equal(t, "3", get(t, dir, "a"))
}

func TestAPlantedLinkAtTheTemporaryNameIsNotFollowed(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"a": "1", "victim": "v"})
	require.NoError(t, os.Symlink("victim", filepath.Join(dir, sandbox.TempName("a"))))
	require.NoError(t, lock(t, w, "a").Apply(t.Context(), []sandbox.Write{{Path: "a", Before: hash("1"),
		After: []byte("2")}}))
	require.Equal(t, "v", get(t, dir, "victim"))
	require.Equal(t, "2", get(t, dir, "a"))
}

func TestWritersOfOneFileTakeTurnsAcrossWorkspaces(t *testing.T) {
	t.Parallel()
	_, dir := open(t, map[string]string{"n": ""})
	var wg sync.WaitGroup
	errs := make(chan error, 8)
	for range 8 {
		wg.Go(func() { errs <- appendOne(t.Context(), dir) })
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	require.Equal(t, strings.Repeat("x", 8), get(t, dir, "n"), "no edit is lost")
}

func appendOne(ctx context.Context, dir string) error {
	w, err := sandbox.Open(sandbox.Config{Primary: dir})
	if err != nil {
		return err
	}
	defer w.Close()
	guard, err := w.Lock(ctx, "n")
	if err != nil {
		return err
	}
	defer guard.Release()
	file, err := w.ReadFile(ctx, "n")
	if err != nil {
		return err
	}
	return guard.Apply(ctx, []sandbox.Write{{Path: "n", Before: file.SHA256, After: fmt.Append(file.Data, "x")}})
}

func TestWaitingForALockEndsWithTheContext(t *testing.T) {
	t.Parallel()
	w, _ := open(t, map[string]string{"a": "1"})
	lock(t, w, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.Lock(ctx, "a")
	require.ErrorIs(t, err, context.Canceled)
}
