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

func TestAReaderReadsWhatTheWorkspaceReads(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{
		"a/x": "one", "a/empty": "", "a/.env": "secret", "a/k.pem": "secret", "a/b/z": "deep",
		"a/big":      strings.Repeat("x", 100),
		"a/ctrl\x01": "c", "a/C:f": "drive", `a/s\t`: "slash", "a/s/t": "other", "outside": "o", ".slop/x": "secret",
	}, func(c *sandbox.Config) { c.MaxFileBytes = 99 })
	require.NoError(t, os.Symlink("x", filepath.Join(dir, "a", "link")))
	require.NoError(t, os.Symlink("../outside", filepath.Join(dir, "a", "up")))
	require.NoError(t, os.Symlink("a", filepath.Join(dir, "linked")))
	require.NoError(t, os.Link(filepath.Join(dir, ".slop", "x"), filepath.Join(dir, "a", "second")))
	reader := w.Reader()
	defer reader.Close()
	for _, name := range []string{
		"outside", "a/x", "a/empty", "a/.env", "a/.ENV", "a/k.pem", "a/b", "a/b/z", "a/big", "a/x", "a/ctrl\x01", "a/C:f",
		`a/s\t`, "a/link", "a/up", "a/none", "a/", "a", "a/.", "a/..", "a/../outside", "./a/x", "a//x", "", "linked/x",
		".slop/x", "none/x", "../x", "/etc/passwd", dir + "/a/x", "a\x00/x", "a/second",
	} {
		want, problem := w.ReadFile(t.Context(), name)
		want.SHA256 = ""
		for range 2 { // the folder is open then
			got, err := reader.ReadFile(t.Context(), name, make([]byte, 3))
			require.Equal(t, want, got, name)
			if problem == nil {
				require.NoError(t, err)
				continue
			}
			require.EqualError(t, err, problem.Error())
		}
	}
}

// What a handle leads to is not read where its path would not be.
func TestAFolderThatIsMovedIsNotRead(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"a/x": "old", "b/x": "new", ".slop/y": ""})
	reader := w.Reader()
	defer reader.Close()
	read := func() (string, error) {
		file, err := reader.ReadFile(t.Context(), "a/x", nil)
		return string(file.Data), err
	}
	_, err := read()
	require.NoError(t, err)
	require.NoError(t, os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, ".slop", "a")))
	_, err = read()
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.Symlink("b", filepath.Join(dir, "a")))
	_, err = read()
	require.ErrorIs(t, err, sandbox.ErrDenied)
	require.NoError(t, os.Remove(filepath.Join(dir, "a")))
	require.NoError(t, os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "a")))
	text, err := read()
	require.NoError(t, err)
	require.Equal(t, "new", text, "the path decides")
}
