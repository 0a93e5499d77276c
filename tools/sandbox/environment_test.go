package sandbox_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/sandbox"
)

func TestAChildSeesOnlyWhatIsAllowed(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths of this test are those of Unix")
	}
	got := sandbox.Environment(sandbox.Environ{
		Inherit: []string{
			"PATH=/usr/bin::.:bin:/bin:/usr/bin", "HOME=/home/u", "LC_ALL=C", "API_KEY=secret", "MY_VAR=1", "MINE_A=2",
			"OTHER=3",
			"BASH_ENV=/evil", "LD_PRELOAD=/evil.so", "=C:=x", "SLOP_CALL=outer",
		},
		Allow:       []string{"MY_VAR", "MINE_*"},
		PathPrepend: []string{"/opt/bin", "relative"},
		Set: map[string]string{"SUB": "${HOME}/sub", "LEAK": "[${API_KEY}]", "ODD": "$HOME ${HOME", "bad=name": "x",
			"NUL": "\x00", "HOME": "/tmp/h"},
	})
	require.Equal(t, []string{
		"HOME=/tmp/h", "LC_ALL=C", "LEAK=[]", "MINE_A=2", "MY_VAR=1", "ODD=$HOME ${HOME",
		"PATH=/opt/bin:/usr/bin:/bin", "SUB=/home/u/sub",
	}, got)
}

func TestFindProgramTriesNamesInOrderAndOnlyRunnableFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes of this test are those of Unix")
	}
	one, two := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(one, "b"), nil, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(two, "a"), nil, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(one, "plain"), nil, 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(one, "folder"), 0o755))
	env := []string{"PATH=" + one + string(filepath.ListSeparator) + two}
	path, ok := sandbox.FindProgram(env, "none", "plain", "folder", "a", "b")
	require.True(t, ok)
	require.Equal(t, filepath.Join(two, "a"), path, "the first name wins over the first folder")
	_, ok = sandbox.FindProgram(env, "none")
	require.False(t, ok)
}
