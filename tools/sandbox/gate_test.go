//go:build unix

package sandbox_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/sandbox"
)

func TestPathsOutsideAreDenied(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"a.txt": "a", "sub/b.txt": "b"})
	sibling := dir + "-secret"
	require.NoError(t, os.Mkdir(sibling, 0o755))
	t.Cleanup(func() { _ = os.RemoveAll(sibling) })
	put(t, sibling, map[string]string{"x.txt": "x"})
	for _, path := range []string{
		"..", "../x", "../../etc/passwd", "sub/../../x", "/etc/passwd", "/", `..\..\etc\passwd`,
		sibling + "/x.txt", "../" + filepath.Base(sibling) + "/x.txt", dir + "/../" + filepath.Base(sibling) + "/x.txt",
		"C:/Windows/win.ini", "c:boot.ini", `C:\Windows`, `\\host\share\x`, "//host/share", `\\?\C:\x`, `\\.\pipe\x`,
		`\??\C:\x`,
		"a\x00b", "a\nb", "a\x7fb", "a\u0085b", "a\u202Etxt.exe", "", "  ", "a\xff", strings.Repeat("a", 4097),
	} {
		_, err := w.ReadFile(t.Context(), path)
		require.ErrorIs(t, err, sandbox.ErrDenied, "%q", path)
		var denied *sandbox.DeniedError
		require.ErrorAs(t, err, &denied)
		require.True(t, strings.HasPrefix(denied.ModelText(), "ACCESS DENIED"), denied.ModelText())
		require.NotContains(t, denied.ModelText(), "\n")
		if !strings.Contains(path, dir) {
			require.NotContains(t, denied.ModelText(), dir, "the model must not learn the allowed directories")
		}
		require.Contains(t, denied.OperatorText(), dir)
	}
}

func TestPathsInsideAreReadInEverySpelling(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"sub/b.txt": "b"})
	for _, path := range []string{"sub/b.txt", "./sub//b.txt", `sub\b.txt`, "sub/../sub/b.txt", filepath.Join(dir, "sub",
		"b.txt")} {
		file, err := w.ReadFile(t.Context(), path)
		require.NoError(t, err, path)
		require.Equal(t, "sub/b.txt", file.Path)
		require.Equal(t, "b", string(file.Data))
		require.Equal(t, sandbox.Digest([]byte("b")), file.SHA256)
	}
	_, err := w.ReadFile(t.Context(), "none.txt")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Equal(t, "none.txt: does not exist", err.Error())
	_, err = w.ReadFile(t.Context(), strings.Repeat("n", 300))
	require.NotContains(t, err.Error(), dir)
}

func TestANilWorkspaceRefusesEverything(t *testing.T) {
	t.Parallel()
	var w *sandbox.Workspace
	require.ErrorIs(t, w.Check("a"), sandbox.ErrDenied)
	_, err := w.ReadFile(t.Context(), "a")
	require.ErrorIs(t, err, sandbox.ErrDenied)
	_, err = w.Lock(t.Context(), "a")
	require.ErrorIs(t, err, sandbox.ErrDenied)
	require.Empty(t, w.Primary())
	require.NoError(t, w.Close())
}

func TestProtectedNamesAreDeniedAnywhereAndInAnyCase(t *testing.T) {
	t.Parallel()
	w, _ := open(t, map[string]string{"x": ""}, func(c *sandbox.Config) {
		c.Blacklist = []string{"secret*", "private/keys/", "/top.txt", "*.TOKEN"}
		c.Engine = []string{"data/engine"}
	})
	for _, path := range []string{
		"history.toml", "HISTORY.TOML", "a/b/history.toml", "my_history.toml", "_history.toml", "config.toml", "Config.Toml",
		"credentials.toml", "server.pem", "id.KEY", ".env", ".ENV", ".env.local", ".env/inside", "x.pem/y", ".slop",
		".slop/run.json",
		"sub/.SLOP/x", ".env.", ".env ", ".env::$DATA", ".e\u200Bnv", "\uFEFF.env", "hi\u017Ftory.toml", "server.\u212Aey",
		"secrets.txt", "a/SECRET/b", "private/keys", "z/private/keys/k", "Private/Keys/k", "top.txt", "a.token",
		"data/engine", "data/engine/x", "DATA/Engine/x",
	} {
		require.ErrorIs(t, w.Check(path), sandbox.ErrDenied, path)
	}
	for _, path := range []string{
		"history.toml.txt", "my_config.toml", "env", ".environment", ".env.example", ".ENV.Sample", "slop", "keys/private",
		"a/top.txt", "data/engine2", "data", "pem",
	} {
		require.NoError(t, w.Check(path), path)
	}
}

func TestABadBlacklistPatternDoesNotOpen(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"[", "", "/", "{a"} {
		_, err := sandbox.Open(sandbox.Config{Primary: t.TempDir(), Blacklist: []string{pattern}})
		require.Error(t, err, "%q", pattern)
	}
}

func TestBases(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	put(t, outer, map[string]string{"project/a.txt": "a", "lib/b.txt": "b", "notes/n.txt": "n", "other/o.txt": "o",
		"certs/x.pem": ""})
	w, err := sandbox.Open(sandbox.Config{
		Primary: filepath.Join(outer, "project"), Bases: []string{filepath.Join(outer, "lib")},
		TrackedFiles: []string{"../notes/n.txt", filepath.Join(outer, "certs", "x.pem"), "/vanished/x",
			"/etc-like-file-in-root"},
	})
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.Check("a.txt"))
	require.NoError(t, w.Check(filepath.Join(outer, "lib", "b.txt")))
	require.NoError(t, w.Check("../notes/n.txt"), "the parent of a tracked file is allowed")
	require.ErrorIs(t, w.Check("../other/o.txt"), sandbox.ErrDenied)
	require.ErrorIs(t, w.Check(filepath.Join(outer, "certs", "y.txt")), sandbox.ErrDenied,
		"a protected file opens no folder")
	require.ErrorIs(t, w.Check("/etc/passwd"), sandbox.ErrDenied, "the root never becomes a base by itself")
	shown, err := w.Show("../notes/n.txt")
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(shown), "outside the primary directory paths are shown whole")
	file, err := w.ReadFile(t.Context(), shown)
	require.NoError(t, err)
	require.Equal(t, "n", string(file.Data))
}

func TestABaseInsideAnotherDoesNotHideAProtectedName(t *testing.T) {
	t.Parallel()
	_, dir := open(t, map[string]string{".slop/logs/l.txt": "l"})
	w, err := sandbox.Open(sandbox.Config{Primary: dir, TrackedFiles: []string{".slop/logs/l.txt"}})
	require.NoError(t, err)
	defer w.Close()
	require.ErrorIs(t, w.Check(".slop/logs/l.txt"), sandbox.ErrDenied)
	elsewhere, err := sandbox.Open(sandbox.Config{Primary: t.TempDir(),
		TrackedFiles: []string{filepath.Join(dir, ".slop/logs/l.txt")}})
	require.NoError(t, err)
	defer elsewhere.Close()
	require.ErrorIs(t, elsewhere.Check(filepath.Join(dir, ".slop/logs/l.txt")), sandbox.ErrDenied)
}

func TestTheWorkingDirectoryIsABaseOnlyWhenThereIsNoOther(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	require.NoError(t, err)
	w, err := sandbox.Open(sandbox.Config{})
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.Check("gate_test.go"))
	_, dir := open(t, map[string]string{"f": ""})
	tracked, err := sandbox.Open(sandbox.Config{TrackedFiles: []string{filepath.Join(dir, "f")}})
	require.NoError(t, err)
	defer tracked.Close()
	require.Equal(t, here, tracked.Primary())
	require.ErrorIs(t, tracked.Check("gate_test.go"), sandbox.ErrDenied)
	require.NoError(t, tracked.Check(filepath.Join(dir, "f")))
}

func TestOpenRefusesMissingDirectoriesAndFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"f": ""})
	for _, cfg := range []sandbox.Config{
		{Primary: filepath.Join(dir, "none")}, {Primary: filepath.Join(dir, "f")},
		{Primary: dir, Bases: []string{filepath.Join(dir, "none")}},
	} {
		_, err := sandbox.Open(cfg)
		require.Error(t, err)
	}
}

func TestABaseGivenThroughALinkWorksInBothSpellings(t *testing.T) {
	t.Parallel()
	outer, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	put(t, outer, map[string]string{"real/a.txt": "a"})
	require.NoError(t, os.Symlink("real", filepath.Join(outer, "alias")))
	w, err := sandbox.Open(sandbox.Config{Primary: filepath.Join(outer, "alias")})
	require.NoError(t, err)
	defer w.Close()
	for _, path := range []string{"a.txt", filepath.Join(outer, "alias", "a.txt"), filepath.Join(outer, "real", "a.txt")} {
		_, err := w.ReadFile(t.Context(), path)
		require.NoError(t, err, path)
	}
}

func TestLinksAreRefusedByDefault(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	put(t, outside, map[string]string{"secret": "s"})
	w, dir := open(t, map[string]string{"a.txt": "a", "sub/b.txt": "b"})
	for link, target := range map[string]string{
		"file": "a.txt", "dir": "sub", "chain": "dir", "out": outside, "abs": filepath.Join(dir, "a.txt"),
		"dangling": "none", "loop": "loop", "up": "..", "outfile": filepath.Join(outside, "secret"),
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	for _, path := range []string{
		"file", "dir/b.txt", "chain/b.txt", "out/secret", "abs", "dangling", "loop", "loop/x", "up/x", "outfile", "dir/",
		"dangling/x", "out/none",
	} {
		_, err := w.ReadFile(t.Context(), path)
		require.ErrorIs(t, err, sandbox.ErrDenied, path)
		require.Contains(t, err.Error(), "symbolic link", path)
	}
	_, err := w.List(t.Context(), "dir")
	require.ErrorIs(t, err, sandbox.ErrDenied)
	_, err = w.Stat("dir/b.txt")
	require.ErrorIs(t, err, sandbox.ErrDenied)
	entry, err := w.Stat("file")
	require.NoError(t, err)
	require.Equal(t, sandbox.KindLink, entry.Kind)
}

func TestLinksInsideAreFollowedWhenAllowed(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	put(t, outside, map[string]string{"secret": "s"})
	w, dir := open(t, map[string]string{"a.txt": "a", "sub/b.txt": "b", ".env": "KEY=1", "notes": ""},
		func(c *sandbox.Config) { c.AllowSymlinks = true })
	for link, target := range map[string]string{
		"file": "a.txt", "dir": "sub", "abs": filepath.Join(dir, "a.txt"), "out": outside, "mine": ".env",
		"dangling": "none", "outnew": filepath.Join(outside, "new"),
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	for path, want := range map[string]string{"file": "a.txt", "dir/b.txt": "sub/b.txt", "abs": "a.txt"} {
		file, err := w.ReadFile(t.Context(), path)
		require.NoError(t, err, path)
		require.Equal(t, want, file.Path, "the real name is shown")
	}
	for _, path := range []string{"out/secret", "mine", "dangling", "outnew", "out/new"} {
		require.ErrorIs(t, w.Check(path), sandbox.ErrDenied, path)
	}
	guard, err := w.Lock(t.Context(), "file")
	require.NoError(t, err)
	defer guard.Release()
	require.NoError(t, guard.Apply(t.Context(), []sandbox.Write{{Path: "file", Before: sandbox.Digest([]byte("a")),
		After: []byte("A")}}))
	require.Equal(t, "A", get(t, dir, "a.txt"), "the target is replaced")
	info, err := os.Lstat(filepath.Join(dir, "file"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&fs.ModeSymlink, "the link stays")
}

func TestALinkSwappedInDuringReadsNeverLeadsOutside(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	put(t, outside, map[string]string{"f": "SECRET"})
	w, dir := open(t, map[string]string{"d/f": "fine"})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			_ = os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "e"))
			_ = os.Symlink(outside, filepath.Join(dir, "d"))
			_ = os.Remove(filepath.Join(dir, "d"))
			_ = os.Rename(filepath.Join(dir, "e"), filepath.Join(dir, "d"))
		}
	})
	for range 2_000 {
		if file, err := w.ReadFile(t.Context(), "d/f"); err == nil {
			require.Equal(t, "fine", string(file.Data))
		}
	}
	cancel()
	wg.Wait()
}

func TestAFileReadWhileItIsReplacedIsOldOrNew(t *testing.T) {
	t.Parallel()
	w, _ := open(t, map[string]string{"f": "a"})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for text := "a"; ctx.Err() == nil; {
			guard, err := w.Lock(t.Context(), "f")
			if err != nil {
				return
			}
			next := map[string]string{"a": "b", "b": "a"}[text]
			if guard.Apply(t.Context(), []sandbox.Write{{Path: "f", Before: hash(text), After: []byte(next)}}) == nil {
				text = next
			}
			guard.Release()
		}
	})
	for range 300 {
		file, err := w.ReadFile(t.Context(), "f")
		require.NoError(t, err)
		require.Contains(t, []string{"a", "b"}, string(file.Data))
	}
	cancel()
	wg.Wait()
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"sub/x": ""})
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	socket, err := net.Listen("unix", filepath.Join(dir, "s"))
	require.NoError(t, err)
	defer socket.Close()
	for path, want := range map[string]error{"pipe": sandbox.ErrNotRegular, "s": sandbox.ErrNotRegular,
		"sub": sandbox.ErrIsDirectory, ".": sandbox.ErrIsDirectory} {
		_, err := w.ReadFile(t.Context(), path)
		require.ErrorIs(t, err, want, path)
	}
	_, err = w.List(t.Context(), "sub/x")
	require.ErrorIs(t, err, sandbox.ErrNotRegular)
}

func TestFilesOverTheLimitAreRefused(t *testing.T) {
	t.Parallel()
	w, _ := open(t, map[string]string{"fits": strings.Repeat("x", 100), "over": strings.Repeat("x", 101)},
		func(c *sandbox.Config) { c.MaxFileBytes = 100 })
	_, err := w.ReadFile(t.Context(), "fits")
	require.NoError(t, err)
	_, err = w.ReadFile(t.Context(), "over")
	require.ErrorIs(t, err, sandbox.ErrTooLarge)
}

func TestAHardLinkToAProtectedFileIsNotRead(t *testing.T) {
	t.Parallel()
	engine := t.TempDir()
	w, dir := open(t, map[string]string{".env": "KEY=1", "a.txt": "a"}, func(c *sandbox.Config) {
		c.Engine = []string{engine}
	})
	put(t, engine, map[string]string{"human.token": "t"})
	require.NoError(t, os.Link(filepath.Join(dir, ".env"), filepath.Join(dir, "notes.txt")))
	require.NoError(t, os.Link(filepath.Join(engine, "human.token"), filepath.Join(dir, "t.txt")))
	require.NoError(t, os.Link(filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")))
	for _, path := range []string{"notes.txt", "t.txt"} {
		_, err := w.ReadFile(t.Context(), path)
		require.ErrorIs(t, err, sandbox.ErrDenied, path)
		require.Contains(t, err.Error(), "hard link")
	}
	_, err := w.ReadFile(t.Context(), "b.txt")
	require.NoError(t, err, "a harmless hard link is read")
}

func TestACancelledContextReadsNothing(t *testing.T) {
	t.Parallel()
	w, _ := open(t, map[string]string{"a": "a"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.ReadFile(ctx, "a")
	require.ErrorIs(t, err, context.Canceled)
	_, err = w.List(ctx, ".")
	require.ErrorIs(t, err, context.Canceled)
	_, err = w.Walk(ctx, ".", sandbox.WalkOptions{}, func(sandbox.Entry) error { return errors.New("visited") })
	require.ErrorIs(t, err, context.Canceled)
}
