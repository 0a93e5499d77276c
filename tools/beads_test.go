package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/beads/beadstest"
	"manualslop/tools/sandbox"
)

const noBeads = "ERROR: no active workspace to run beads tools."

// tracked is a workspace with a database and a bd that answers for it.
func tracked(t *testing.T, titles ...string) (tools.Env, string) {
	t.Helper()
	env, dir := setup(t, nil)
	env.Shell.Inherit = []string{"PATH=" + beadstest.Install(t, dir, titles...), "HOME=" + t.TempDir()}
	return env, dir
}

func TestBeadsAreListedCreatedAndUpdated(t *testing.T) {
	t.Parallel()
	env, _ := tracked(t)
	require.Equal(t, "no beads", call(t, env, "bd_list", args{}).Text)
	made := call(t, env, "bd_create", args{"title": "--force it", "description": "why\nand how"})
	require.False(t, made.Failed, made.Text)
	require.Equal(t, "ID: t-1, Status: open, Title: --force it", made.Text)
	require.Equal(t, "ID: t-2, Status: open, Title: two words", call(t, env, "bd_create", args{"title": "two  words",
		"description": ""}).Text)
	require.Equal(t, "ID: t-1, Status: in_progress, Title: --force it", call(t, env, "bd_update", args{"bead_id": "t-1",
		"status": "in_progress"}).Text)
	require.Equal(t, "ID: t-2, Status: open, Title: two words", call(t, env, "bd_ready", args{}).Text)
	list := call(t, env, "bd_list", args{})
	require.Equal(t, "ID: t-2, Status: open, Title: two words\nID: t-1, Status: in_progress, Title: --force it", list.Text)
	require.Equal(t, map[string]any{
		"id": "t-1", "status": "in_progress", "title": "--force it", "description": "why\nand how", "priority": 2.0,
		"issue_type": "task",
	}, data(t, list)["beads"].([]any)[1])
	unknown := call(t, env, "bd_update", args{"bead_id": "t-9", "status": "open"})
	require.Equal(t, `ERROR: resolving issue: no issue found matching "t-9"`, unknown.Text)
	require.Contains(t, call(t, env, "bd_update", args{"bead_id": "t-1", "status": "half"}).Text,
		`ERROR: invalid status "half" (built-in: open,`)
}

func TestWithoutADatabaseOrAProgramBeadsSaySo(t *testing.T) {
	t.Parallel()
	env, dir := tracked(t)
	for name, in := range map[string]args{
		"bd_list": {}, "bd_ready": {}, "bd_create": {"title": "a", "description": "b"}, "bd_update": {"bead_id": "t-1",
			"status": "open"},
	} {
		require.False(t, strings.HasPrefix(call(t, env, name, in).Text, noBeads))
		none := env
		none.Shell.Inherit = []string{"PATH=" + t.TempDir()}
		require.Equal(t, noBeads, call(t, none, name, in).Text, "no bd")
		require.Equal(t, noBeads, call(t, tools.Env{Shell: env.Shell}, name, in).Text, "no workspace")
		other, _ := setup(t, nil)
		other.Shell = env.Shell
		require.Equal(t, noBeads, call(t, other, name, in).Text, "no database")
	}
	put(t, dir, map[string]string{".beads/redirect": "/elsewhere/.beads\n"})
	require.Equal(t, noBeads, call(t, env, "bd_list", args{}).Text, "a database that points elsewhere")
	linked, linkedDir := setup(t, nil)
	linked.Shell = env.Shell
	require.NoError(t, os.Symlink(filepath.Join(dir, ".beads"), filepath.Join(linkedDir, ".beads")))
	require.Equal(t, noBeads, call(t, linked, "bd_list", args{}).Text)
}

func TestAProgramInTheWorkspaceIsNotRun(t *testing.T) {
	t.Parallel()
	env, dir := tracked(t)
	put(t, dir, map[string]string{"bin/bd": "#!/bin/sh\ntouch " + dir + "/pwned\n"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "bin/bd"), 0o755))
	outside := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(dir, "bin/bd"), filepath.Join(outside, "bd")))
	for _, path := range []string{filepath.Join(dir, "bin"), outside, "bin", "."} {
		env.Shell.Inherit = []string{"PATH=" + path}
		require.Equal(t, noBeads, call(t, env, "bd_list", args{}).Text, path)
	}
	require.NoFileExists(t, filepath.Join(dir, "pwned"))
}

func TestManyCallsOfBeadsAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	env, _ := tracked(t)
	var wg sync.WaitGroup
	results := make([]tools.Result, 12)
	for i := range results {
		wg.Go(func() { results[i] = call(t, env, "bd_create", args{"title": "t", "description": ""}) })
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, r := range results {
		require.False(t, r.Failed, r.Text)
		require.False(t, seen[r.Text], r.Text)
		seen[r.Text] = true
	}
}

func TestAWorktreeUsesTheDatabaseOfItsMainCheckout(t *testing.T) {
	t.Parallel()
	_, main := repo(t, map[string]string{"a.txt": "a\n"})
	bin := beadstest.Install(t, main, "of the main checkout")
	tree := filepath.Join(t.TempDir(), "tree")
	git(t, main, "worktree", "add", "-q", tree)
	w, err := sandbox.Open(sandbox.Config{Primary: tree})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	env := tools.Env{Workspace: w, Shell: tools.Shell{Inherit: []string{"PATH=" + bin + ":" + os.Getenv("PATH")}}}
	require.Equal(t, "ID: t-1, Status: open, Title: of the main checkout", call(t, env, "bd_list", args{}).Text)
}

func TestChangesOutsideHaveNoPlanAndAreAskedAboutAsWrites(t *testing.T) {
	t.Parallel()
	env, dir := tracked(t, "one")
	before := fingerprint(t, dir)
	for name, in := range map[string]args{"bd_create": {"title": "a", "description": "b"}, "bd_update": {"bead_id": "t-1",
		"status": "closed"}} {
		p := prepare(t, env, name, in)
		require.True(t, p.Spec().Effect.Has(tools.Writes))
		require.False(t, p.Plans())
		preview, err := p.Plan(t.Context())
		require.NoError(t, err)
		require.Empty(t, preview.Changes)
	}
	require.Equal(t, before, fingerprint(t, dir))
	require.True(t, prepare(t, env, "edit_file", args{"path": "a", "old_string": "x", "new_string": "b"}).Plans())
	require.Panics(t, func() {
		tools.Outside(tools.Spec{Name: "x", Summary: "x", Effect: tools.Executes}, func(context.Context, tools.Env,
			struct{}) (tools.Result, error) {
			return tools.Result{}, nil
		})
	})
}
