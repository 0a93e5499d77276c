package sessionlog_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/projections/sessionlog"
)

func TestLogsMadeForAProjectAreNotSeenByGit(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	for range 2 {
		require.NoError(t, sessionlog.Prepare(project))
		require.DirExists(t, filepath.Join(project, filepath.FromSlash(sessionlog.Base)))
	}
	ignored, err := os.ReadFile(filepath.Join(project, "logs", ".gitignore"))
	require.NoError(t, err)
	require.Equal(t, "*\n", string(ignored))
}

func TestALogsFolderOfTheProjectsOwnIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(project, "logs"), 0o700))
	require.NoError(t, sessionlog.Prepare(project))
	require.NoFileExists(t, filepath.Join(project, "logs", ".gitignore"))

	other := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(other, "logs"), nil, 0o600))
	require.Error(t, sessionlog.Prepare(other), "a file stands there")
}

func TestNoFolderIsMadeWhereALinkLeads(t *testing.T) {
	t.Parallel()
	project, elsewhere := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(project, "logs")))
	require.NoError(t, sessionlog.Prepare(project))
	made, err := os.ReadDir(elsewhere)
	require.NoError(t, err)
	require.Empty(t, made)
}
