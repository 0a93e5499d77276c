package durable_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus/durable"
)

func TestAWriteThatFailsLeavesTheOldFileAndNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	require.NoError(t, durable.WriteFile(path, []byte("old")))
	broken := errors.New("broken")
	err := durable.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "ne")
		return errors.Join(err, broken)
	})
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, path)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old", string(content))
	all, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, all, 1)

	require.ErrorIs(t, durable.WriteFile(filepath.Join(dir, "none", "file"), nil), os.ErrNotExist)
}

func TestWhatIsMadeIsOfThisUserOnly(t *testing.T) {
	t.Parallel()
	inner := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, durable.MakeFolder(inner))
	require.NoError(t, durable.MakeFolder(inner), "it may exist")
	require.NoError(t, durable.WriteFile(filepath.Join(inner, "file"), []byte("x")))
	require.NoError(t, durable.SyncTree(filepath.Dir(inner)))
	for path, want := range map[string]os.FileMode{inner: 0o700, filepath.Join(inner, "file"): 0o600} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		if os.PathSeparator == '/' {
			require.Equal(t, want, info.Mode().Perm())
		}
	}
}
