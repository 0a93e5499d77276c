package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/sandbox"
)

// git runs git in a folder, without the person's configuration.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.CommandContext(t.Context(), program, append([]string{"-C", dir, "-c", "user.name=a",
		"-c", "user.email=a@b", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%v: %s", args, out)
}

// TestTheConfigurationOfEveryGitFolderIsProtected has repositories in folders of any name, made by git.
func TestTheConfigurationOfEveryGitFolderIsProtected(t *testing.T) {
	t.Parallel()
	w, dir := open(t, map[string]string{"config": "mine", "app/config": "mine", "app/HEAD": "mine", "app/credentials": "x",
		"src/objects/a": "x", "src/config": "mine", "lib/a.txt": "x"})
	git(t, dir, "init", "-q", "--bare", "bare")
	git(t, dir, "init", "-q", "--bare", "empty.git")
	git(t, dir, "init", "-q", "lib")
	git(t, filepath.Join(dir, "lib"), "add", ".")
	git(t, filepath.Join(dir, "lib"), "commit", "-qm", "a")
	git(t, dir, "init", "-q", "--separate-git-dir", filepath.Join(dir, "meta"), "work")
	git(t, filepath.Join(dir, "work"), "submodule", "-q", "add", filepath.Join(dir, "lib"), "sub")
	git(t, filepath.Join(dir, "work"), "commit", "-qm", "a")
	git(t, filepath.Join(dir, "work"), "config", "extensions.worktreeConfig", "true")
	git(t, filepath.Join(dir, "work"), "worktree", "add", "-q", filepath.Join(dir, "tree"))
	git(t, filepath.Join(dir, "tree"), "config", "--worktree", "a.b", "c")
	put(t, dir, map[string]string{"bare/credentials": "https://a:b@c"})
	require.NoError(t, os.Link(filepath.Join(dir, "bare/config"), filepath.Join(dir, "linked.txt")))
	require.NoError(t, os.Link(filepath.Join(dir, "lib/.git/config"), filepath.Join(dir, "linked2.txt")))
	hidden := []string{"bare/config", "bare/credentials", "empty.git/config", "empty.git/CONFIG", "meta/config",
		"meta/modules/sub/config", "meta/worktrees/tree/config.worktree", "lib/.git/config", "linked.txt", "linked2.txt",
		"work/../meta/config"}
	reader := w.Reader()
	defer reader.Close()
	for _, name := range hidden {
		var denied *sandbox.DeniedError
		_, err := w.ReadFile(t.Context(), name)
		require.ErrorAs(t, err, &denied, name)
		_, err = reader.ReadFile(t.Context(), name, nil)
		require.ErrorAs(t, err, &denied, name)
	}
	for _, name := range []string{"config", "app/config", "app/credentials", "src/config", "bare/HEAD", "meta/HEAD"} {
		_, err := w.ReadFile(t.Context(), name)
		require.NoError(t, err, name)
	}
	seen := map[string]bool{}
	_, err := w.Walk(t.Context(), ".", sandbox.WalkOptions{}, func(e sandbox.Entry) error {
		seen[e.Path] = true
		return nil
	})
	require.NoError(t, err)
	require.True(t, seen["bare/HEAD"])
	require.True(t, seen["app/config"])
	for _, name := range hidden[:8] {
		require.False(t, seen[name], name)
	}
	inside, err := sandbox.Open(sandbox.Config{Primary: filepath.Join(dir, "meta")})
	require.NoError(t, err)
	defer inside.Close()
	require.Error(t, inside.Check("config"))
	require.Error(t, inside.Check("modules/sub/config"))
}
