package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
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
	prepared, err := tools.Engine().Prepare(t.Context(), env, "restore_files", raw)
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
	t.Run("nothing protected", func(t *testing.T) {
		t.Parallel()
		env, dir := setup(t, map[string]string{".env": "new"})
		r := restore(t, env, kept, args{"path": ".env", "before": digestOf("new"), "after": digestOf("old")})
		require.True(t, r.Failed)
		require.Equal(t, "new", get(t, dir, ".env"))
	})
}

func TestNoModelIsOfferedTheEnginesOwnTool(t *testing.T) {
	t.Parallel()
	for _, tool := range tools.Builtin().All() {
		require.NotEqual(t, "restore_files", tool.Spec().Name)
	}
}
