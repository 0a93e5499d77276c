//go:build unix

package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/sandbox"
)

func TestAFolderReadsWhatTheWorkspaceReads(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{
		"a/x": "one", "a/empty": "", "a/.env": "secret", "a/k.pem": "secret", "a/b/z": "deep",
		"a/big":      strings.Repeat("x", 100),
		"a/ctrl\x01": "c", "a/C:f": "drive", `a/s\t`: "slash", "a/s/t": "other", "outside": "o",
	}, func(c *sandbox.Config) { c.MaxFileBytes = 99 })
	require.NoError(t, os.Symlink("x", filepath.Join(dir, "a", "link")))
	require.NoError(t, os.Symlink("../outside", filepath.Join(dir, "a", "up")))
	for _, at := range []string{"a", "./a/", dir + "/a"} {
		folder, err := w.OpenFolder(at)
		require.NoError(t, err)
		defer folder.Close()
		for _, name := range []string{"x", "empty", ".env", ".ENV", "k.pem", "b", "b/z", "big", "ctrl\x01", "C:f", `s\t`, "link",
			"up", "none", "", ".", "..", "../outside"} {
			want, problem := w.ReadFile(t.Context(), "a/"+name)
			got, err := folder.ReadFile(t.Context(), name, make([]byte, 3))
			require.Equal(t, want.Data, got, name)
			if problem == nil {
				require.NoError(t, err)
				continue
			}
			require.EqualError(t, err, problem.Error())
		}
	}
}

func TestOnlyAFolderIsOpenedAsOne(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"a/x": "", ".slop/x": ""})
	require.NoError(t, os.Symlink("a", filepath.Join(dir, "link")))
	for _, name := range []string{"a/x", "link", "none", ".slop", "..", "", "a\x00"} {
		_, err := w.OpenFolder(name)
		require.Error(t, err, name)
	}
}

// What a handle leads to is not read where its path would not be.
func TestAFolderThatIsMovedIsNotRead(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"a/x": "old", "b/x": "new", ".slop/y": ""})
	folder, err := w.OpenFolder("a")
	require.NoError(t, err)
	defer folder.Close()
	require.NoError(t, os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, ".slop", "a")))
	_, err = folder.ReadFile(t.Context(), "x", nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.Symlink("b", filepath.Join(dir, "a")))
	_, err = folder.ReadFile(t.Context(), "x", nil)
	require.ErrorIs(t, err, sandbox.ErrDenied)
	require.NoError(t, os.Remove(filepath.Join(dir, "a")))
	require.NoError(t, os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "a")))
	data, err := folder.ReadFile(t.Context(), "x", nil)
	require.NoError(t, err)
	require.Equal(t, "new", string(data), "the path decides")
}

func TestAFolderReadsNoSecondNameOfAProtectedFile(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"a/x": "", ".env": "secret"})
	require.NoError(t, os.Link(filepath.Join(dir, ".env"), filepath.Join(dir, "a", "y")))
	folder, err := w.OpenFolder("a")
	require.NoError(t, err)
	defer folder.Close()
	_, err = folder.ReadFile(t.Context(), "y", nil)
	require.ErrorIs(t, err, sandbox.ErrDenied)
}
