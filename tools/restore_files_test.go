package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/sandbox"
)

// restore runs the engine's own tool over contents that are kept.
func restore(t *testing.T, env tools.Env, kept []string, files ...args) tools.Result {
	t.Helper()
	env.Kept = func(_ context.Context, digest string) ([]byte, error) {
		for _, k := range kept {
			if digestOf(k) == digest {
				return []byte(k), nil
			}
		}
		return nil, errors.New("no such blob")
	}
	raw, err := json.Marshal(args{"files": files})
	require.NoError(t, err)
	prepared, err := builtin.Engine().Prepare(t.Context(), env, "restore_files", raw)
	require.NoError(t, err)
	return prepared.Run(t.Context(), nil)
}

func digestOf(text string) string { return sandbox.Digest([]byte(text)) }

func TestRestoreGivesEveryFileItsContentOrNone(t *testing.T) {
	t.Parallel()
	before := map[string]string{"changed": "new", "made": "made"}
	kept := []string{"old", "gone", "new", ""}
	all := []args{
		{"path": "changed", "before": digestOf("new"), "after": digestOf("old")},
		{"path": "made", "before": digestOf("made")},
		{"path": "gone", "after": digestOf("gone")},
	}
	t.Run("all", func(t *testing.T) {
		t.Parallel()
		env, dir := setup(t, before)
		r := restore(t, env, kept, all...)
		require.False(t, r.Failed, r.Text)
		require.Equal(t, "old", get(t, dir, "changed"))
		require.Equal(t, "gone", get(t, dir, "gone"))
		require.NoFileExists(t, dir+"/made")
	})
	t.Run("none where one changed", func(t *testing.T) {
		t.Parallel()
		env, dir := setup(t, map[string]string{"changed": "mine", "made": "made"})
		r := restore(t, env, kept, all...)
		require.True(t, r.Failed)
		require.Contains(t, r.Text, "changed changed since")
		require.Contains(t, r.Text, "-new")
		require.Contains(t, r.Text, "+mine")
		require.Equal(t, "mine", get(t, dir, "changed"))
		require.Equal(t, "made", get(t, dir, "made"))
	})
	t.Run("none where one is not kept", func(t *testing.T) {
		t.Parallel()
		env, dir := setup(t, before)
		r := restore(t, env, nil, all...)
		require.True(t, r.Failed)
		require.Contains(t, r.Text, "not kept")
		require.Equal(t, "new", get(t, dir, "changed"))
	})
	t.Run("none where one appeared", func(t *testing.T) {
		t.Parallel()
		env, dir := setup(t, map[string]string{"gone": "mine"})
		r := restore(t, env, kept, all[2])
		require.True(t, r.Failed)
		require.Equal(t, "mine", get(t, dir, "gone"))
	})
	t.Run("none where one is gone", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t, nil)
		require.True(t, restore(t, env, kept, all[0]).Failed)
	})
	t.Run("an empty file is not an absent one", func(t *testing.T) {
		t.Parallel()
		env, dir := setup(t, map[string]string{"changed": "new"})
		r := restore(t, env, kept, args{"path": "changed", "before": digestOf("new"), "after": digestOf("")})
		require.False(t, r.Failed, r.Text)
		require.Empty(t, get(t, dir, "changed"))
	})
	t.Run("one that was cut short comes to its end", func(t *testing.T) {
		t.Parallel()
		env, dir := setup(t, map[string]string{"changed": "old", "made": "made"})
		r := restore(t, env, kept, all...)
		require.False(t, r.Failed, r.Text)
		require.Equal(t, "old", get(t, dir, "changed"))
		require.Equal(t, "gone", get(t, dir, "gone"))
		require.NoFileExists(t, dir+"/made")
	})
	t.Run("nothing where all is as it was", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t, map[string]string{"changed": "old", "gone": "gone"})
		r := restore(t, env, kept, all...)
		require.False(t, r.Failed, r.Text)
		for _, f := range r.Files {
			require.False(t, f.Written, f.Path)
		}
	})
	t.Run("a file of another case is another file", func(t *testing.T) {
		t.Parallel()
		if runtime.GOOS != "linux" {
			t.Skip("names differ in case on Linux")
		}
		env, dir := setup(t, map[string]string{"GONE": "gone"})
		r := restore(t, env, kept, args{"path": "gone", "after": digestOf("gone")},
			args{"path": "GONE", "before": digestOf("gone")})
		require.False(t, r.Failed, r.Text)
		require.Equal(t, "gone", get(t, dir, "gone"))
		require.NoFileExists(t, dir+"/GONE")
	})
	t.Run("a mode stays", func(t *testing.T) {
		t.Parallel()
		env, dir := setup(t, map[string]string{"changed": "new"})
		require.NoError(t, os.Chmod(dir+"/changed", 0o751))
		r := restore(t, env, kept, all[0])
		require.False(t, r.Failed, r.Text)
		info, err := os.Stat(dir + "/changed")
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o751), info.Mode())
	})
	t.Run("one that is gone gets its mode back", func(t *testing.T) {
		t.Parallel()
		// whatever the umask is; 0: it is not on record
		for mode, want := range map[os.FileMode]os.FileMode{0o755: 0o755, 0o777: 0o777, 0o600: 0o600, 0o444: 0o444,
			0: 0o644} {
			env, dir := setup(t, nil)
			r := restore(t, env, kept, args{"path": "gone", "after": digestOf("gone"), "after_mode": mode})
			require.False(t, r.Failed, r.Text)
			require.Equal(t, want, modeOf(t, dir, "gone"))
		}
	})
	t.Run("one that was replaced gets its mode back, unless somebody changed it since", func(t *testing.T) {
		t.Parallel()
		for now, want := range map[os.FileMode]os.FileMode{0o644: 0o755, 0o600: 0o600} {
			env, dir := setup(t, map[string]string{"changed": "new"})
			require.NoError(t, os.Chmod(dir+"/changed", now))
			r := restore(t, env, kept, args{"path": "changed", "before": digestOf("new"), "after": digestOf("old"),
				"before_mode": 0o644, "after_mode": 0o755})
			require.False(t, r.Failed, r.Text)
			require.Equal(t, want, modeOf(t, dir, "changed"))
		}
	})
	t.Run("no mode but permission bits", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t, nil)
		raw, err := json.Marshal(args{"files": []args{{"path": "gone", "after": digestOf("gone"), "after_mode": 0o777 + 1}}})
		require.NoError(t, err)
		_, err = builtin.Engine().Prepare(t.Context(), env, "restore_files", raw)
		require.Error(t, err)
	})
	t.Run("nothing through other names of a file", func(t *testing.T) {
		t.Parallel()
		env, dir := setup(t, before)
		require.NoError(t, os.Link(dir+"/changed", dir+"/second"))
		r := restore(t, env, kept, all...)
		require.True(t, r.Failed)
		require.Contains(t, r.Text, "hard links")
		require.Equal(t, "made", get(t, dir, "made"))
		require.NoError(t, os.Remove(dir+"/changed"))
		require.NoError(t, os.Symlink("second", dir+"/changed"))
		r = restore(t, env, kept, all...)
		require.True(t, r.Failed, "a link took its place")
		require.Equal(t, "new", get(t, dir, "second"))
		require.NoFileExists(t, dir+"/gone")
	})
	t.Run("nothing that is read-only", func(t *testing.T) {
		t.Parallel()
		env, dir := setup(t, before)
		require.NoError(t, os.Chmod(dir+"/changed", 0o444))
		r := restore(t, env, kept, all...)
		require.True(t, r.Failed)
		require.Equal(t, "made", get(t, dir, "made"))
	})
	t.Run("nothing protected", func(t *testing.T) {
		t.Parallel()
		env, dir := setup(t, map[string]string{".env": "new"})
		r := restore(t, env, kept, args{"path": ".env", "before": digestOf("new"), "after": digestOf("old")})
		require.True(t, r.Failed)
		require.Equal(t, "new", get(t, dir, ".env"))
	})
}

func modeOf(t *testing.T, dir, name string) os.FileMode {
	t.Helper()
	info, err := os.Stat(dir + "/" + name)
	require.NoError(t, err)
	return info.Mode()
}

func TestNoModelIsOfferedTheEnginesOwnTool(t *testing.T) {
	t.Parallel()
	for _, tool := range builtin.Tools().All() {
		require.NotEqual(t, "restore_files", tool.Spec().Name)
	}
}
