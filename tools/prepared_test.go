package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/sandbox"
)

type nothing struct{}

// writer makes a tool that plans the same changes every time.
func writer(plan func(ctx context.Context, env tools.Env) (tools.Plan, error)) tools.Tool {
	return tools.Writer(spec("w", tools.Writes), func(ctx context.Context, env tools.Env, _ nothing) (tools.Plan, error) {
		return plan(ctx, env)
	})
}

func ready(t *testing.T, env tools.Env, tool tools.Tool) *tools.Prepared {
	t.Helper()
	p, err := registry(t, tool).Prepare(t.Context(), env, tool.Spec().Name, json.RawMessage(`{}`))
	require.NoError(t, err)
	return p
}

// swap plans a change of a, the creation of n/new and the removal of old.
func swap(ctx context.Context, env tools.Env) (tools.Plan, error) {
	a, err := env.ReadFile(ctx, "a")
	if err != nil {
		return tools.Plan{}, err
	}
	old, err := env.ReadFile(ctx, "old")
	if err != nil {
		return tools.Plan{}, err
	}
	return tools.Plan{Summary: "swapped", Changes: []tools.Change{
		tools.Edit(a, []byte("2\n")), tools.Create("n/new", []byte("n\n"), 0), tools.Delete(old),
	}}, nil
}

// stored is a planned change as a claim keeps it.
func stored(t *testing.T, c tools.PlannedChange) (out tools.PlannedChange) {
	t.Helper()
	b, err := json.Marshal(c)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &out))
	return out
}

func TestPlanShowsTheChangesAndTouchesNothing(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a": "1\n", "old": "o\n"})
	preview, err := ready(t, env, writer(swap)).Plan(t.Context())
	require.NoError(t, err)
	for i := range preview.Changes {
		require.Equal(t, i == 0, len(preview.Changes[i].Edits) > 0, "of a file that stays")
		preview.Changes[i] = stored(t, preview.Changes[i])
		preview.Changes[i].Edits = nil
	}
	require.Equal(t, tools.Preview{Summary: "swapped", Changes: []tools.PlannedChange{
		{Path: "a", Before: hash("1\n"), After: hash("2\n"), BeforeSize: 2, AfterSize: 2, BeforeMode: 0o644, AfterMode: 0o644,
			Diff: "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n"},
		{Path: "n/new", After: hash("n\n"), AfterSize: 2, Diff: "--- /dev/null\n+++ b/n/new\n@@ -0,0 +1 @@\n+n\n"},
		{Path: "old", Before: hash("o\n"), BeforeSize: 2, BeforeMode: 0o644,
			Diff: "--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-o\n"},
	}}, preview)
	require.Equal(t, "1\n", get(t, dir, "a"))
	require.NoDirExists(t, filepath.Join(dir, "n"))

	preview, err = prepare(t, env, "read_file", args{"path": "a"}).Plan(t.Context())
	require.NoError(t, err)
	require.Empty(t, preview.Changes)
}

func TestRunHandsTheChangesOverBeforeItWrites(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a": "1\n", "old": "o\n"})
	p := ready(t, env, writer(swap))
	preview, err := p.Plan(t.Context())
	require.NoError(t, err)
	var claimed []tools.PlannedChange
	result := p.Run(t.Context(), func(_ context.Context, changes []tools.PlannedChange) error {
		claimed = changes
		require.Equal(t, "1\n", get(t, dir, "a"))
		return nil
	})
	require.False(t, result.Failed, result.Text)
	require.Equal(t, preview.Changes, claimed)
	require.Equal(t, "2\n", get(t, dir, "a"))
	require.Equal(t, "n\n", get(t, dir, "n/new"))
	require.NoFileExists(t, filepath.Join(dir, "old"))
	require.Equal(t, []tools.FileState{
		{Path: "a", SHA256: hash("2\n"), Size: 2, Written: true}, {Path: "n/new", SHA256: hash("n\n"), Size: 2,
			Written: true}, {Path: "old", Written: true},
	}, result.Files)
	require.True(t, strings.HasPrefix(result.Text, "swapped\na: sha256 "+hash("2\n")), result.Text)
	require.Equal(t, true, data(t, result)["written"])
	for _, change := range claimed {
		state, err := tools.ResumeChange(t.Context(), env, change)
		require.NoError(t, err)
		require.Equal(t, tools.ChangeAfter, state)
	}
}

func TestARefusedClaimWritesNothing(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a": "1\n", "old": "o\n"})
	lost := errors.New("somebody else was first")
	result := ready(t, env, writer(swap)).Run(t.Context(), func(context.Context, []tools.PlannedChange) error {
		return lost
	})
	require.True(t, result.Failed)
	require.ErrorIs(t, result.Err, lost)
	require.ErrorIs(t, result.Err, tools.ErrNotClaimed)
	require.NotContains(t, result.Text, "somebody", "the claim is not the model's business")
	require.Equal(t, "1\n", get(t, dir, "a"))
	require.NoDirExists(t, filepath.Join(dir, "n"))
}

func TestAFileThatChangesBetweenClaimAndWriteIsNotOverwritten(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a": "1\n", "old": "o\n"})
	result := ready(t, env, writer(swap)).Run(t.Context(), func(context.Context, []tools.PlannedChange) error {
		put(t, dir, map[string]string{"a": "editor\n"})
		return nil
	})
	require.True(t, result.Failed)
	require.Contains(t, result.Text, "ERROR: a: has changed")
	require.Equal(t, "editor\n", get(t, dir, "a"))
	require.FileExists(t, filepath.Join(dir, "old"), "all files or none")
	require.NoDirExists(t, filepath.Join(dir, "n"))
}

func TestDryRunsAndEmptyPlansNeedNoClaim(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a": "1\n", "old": "o\n"})
	never := func(context.Context, []tools.PlannedChange) error { t.Error("claimed"); return nil }
	dry := ready(t, env, writer(func(ctx context.Context, env tools.Env) (tools.Plan, error) {
		plan, err := swap(ctx, env)
		plan.DryRun = true
		return plan, err
	})).Run(t.Context(), never)
	require.False(t, dry.Failed)
	require.True(t, strings.HasPrefix(dry.Text, "dry run: nothing was written\nswapped\n"), dry.Text)
	require.Contains(t, dry.Text, "+2")
	same := ready(t, env, writer(func(ctx context.Context, env tools.Env) (tools.Plan, error) {
		a, err := env.ReadFile(ctx, "a")
		return tools.Plan{Changes: []tools.Change{tools.Edit(a, a.Data)}}, err
	})).Run(t.Context(), never)
	require.Equal(t, "no change: nothing was written", same.Text)
	require.Equal(t, "1\n", get(t, dir, "a"))
}

func TestParallelEditsOfOneFileAreAllKept(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a": ""})
	tool := writer(func(ctx context.Context, env tools.Env) (tools.Plan, error) {
		a, err := env.ReadFile(ctx, "a")
		return tools.Plan{Changes: []tools.Change{tools.Edit(a, append(a.Data, 'x'))}}, err
	})
	var wg sync.WaitGroup
	for range 8 {
		p := ready(t, env, tool)
		wg.Go(func() { p.Run(t.Context(), nil) })
	}
	wg.Wait()
	require.Equal(t, "xxxxxxxx", get(t, dir, "a"))
}

func TestResumeChangeTellsBeforeAfterAndOther(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a": "1"})
	change := tools.PlannedChange{Path: "a", Before: hash("1"), After: hash("2")}
	made := tools.PlannedChange{Path: "new", After: hash("n")}
	removed := tools.PlannedChange{Path: "a", Before: hash("1")}
	check := func(c tools.PlannedChange, want tools.ChangeState) {
		t.Helper()
		state, err := tools.ResumeChange(t.Context(), env, c)
		require.NoError(t, err)
		require.Equal(t, want, state)
	}
	check(change, tools.ChangeBefore)
	check(made, tools.ChangeBefore)
	check(removed, tools.ChangeBefore)
	put(t, dir, map[string]string{"a": "2", "new": "n"})
	check(change, tools.ChangeAfter)
	check(made, tools.ChangeAfter)
	check(removed, tools.ChangeOther)
	require.NoError(t, os.Remove(filepath.Join(dir, "a")))
	check(change, tools.ChangeOther)
	check(removed, tools.ChangeAfter)
	state, err := tools.ResumeChange(t.Context(), env, tools.PlannedChange{Path: "../x", After: "1"})
	require.Error(t, err)
	require.Equal(t, tools.ChangeOther, state)
}

func TestAToolThatPanicsFailsPolitely(t *testing.T) {
	t.Parallel()
	r := tools.Reader(spec("r", tools.Reads), func(context.Context, tools.Env, nothing) (tools.Result, error) {
		panic("secret detail")
	})
	w := writer(func(context.Context, tools.Env) (tools.Plan, error) { panic("secret detail") })
	for _, tool := range []tools.Tool{r, w} {
		result := ready(t, tools.Env{}, tool).Run(t.Context(), nil)
		require.True(t, result.Failed)
		require.ErrorIs(t, result.Err, tools.ErrPanic)
		require.True(t, strings.HasPrefix(result.Text, "ERROR:"))
		require.NotContains(t, result.Text, "secret detail")
		require.Contains(t, result.Operator, "secret detail")
	}
	_, err := ready(t, tools.Env{}, w).Plan(t.Context())
	require.ErrorIs(t, err, tools.ErrPanic)
}

func TestInnerErrorsStayWithTheOperator(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a": ""})
	fail := func(err error) tools.Result {
		return ready(t, env, tools.Reader(spec("r", tools.Reads), func(context.Context, tools.Env, nothing) (tools.Result,
			error) {
			return tools.Result{}, err
		})).Run(t.Context(), nil)
	}
	inner := fail(errors.New("disk 7 at /srv/secret"))
	require.Equal(t, "ERROR: the tool had an internal error; the operator's log has the details", inner.Text)
	require.Equal(t, "disk 7 at /srv/secret", inner.Operator)
	require.Equal(t, "ERROR: do this⏎instead", fail(tools.Refuse("do this\n%s", "instead")).Text)
	denied := fail(env.Workspace.Check("../x"))
	require.True(t, strings.HasPrefix(denied.Text, "ACCESS DENIED"))
	require.NotContains(t, denied.Text, dir)
	require.Contains(t, denied.Operator, dir)
}

func TestAPlanThatNamesAFileTwiceIsRefused(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, nil)
	result := ready(t, env, writer(func(context.Context, tools.Env) (tools.Plan, error) {
		return tools.Plan{Changes: []tools.Change{tools.Create("x", nil, 0), tools.Create("x", nil, 0)}}, nil
	})).Run(t.Context(), nil)
	require.True(t, result.Failed)
}

func TestAPlanOverTheLimitOfFilesIsRefused(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, nil)
	plan := tools.Plan{}
	for i := range sandbox.MaxWrites + 1 {
		plan.Changes = append(plan.Changes, tools.Create(fmt.Sprintf("f%d", i), nil, 0))
	}
	tool := writer(func(context.Context, tools.Env) (tools.Plan, error) { return plan, nil })
	require.Equal(t, "ERROR: this would change 1001 files, more than the limit of 1000",
		ready(t, env, tool).Run(t.Context(), nil).Text)
	require.Empty(t, fingerprint(t, dir))
	plan.Changes = plan.Changes[1:]
	require.False(t, ready(t, env, tool).Run(t.Context(), nil).Failed)
	require.Len(t, fingerprint(t, dir), sandbox.MaxWrites)
}

func TestHugeDiffsAreMadeSoon(t *testing.T) {
	t.Parallel()
	var before, after strings.Builder
	for i := range 100_000 {
		before.WriteString(strings.Repeat("a", i%50) + "\n")
		after.WriteString(strings.Repeat("b", i%47) + "\n")
	}
	env, _ := setup(t, map[string]string{"a": before.String()})
	result := ready(t, env, writer(func(ctx context.Context, env tools.Env) (tools.Plan, error) {
		a, err := env.ReadFile(ctx, "a")
		return tools.Plan{Changes: []tools.Change{tools.Edit(a, []byte(after.String()))}}, err
	})).Run(t.Context(), nil)
	require.False(t, result.Failed, result.Text)
	require.LessOrEqual(t, len(result.Text), 2*tools.DefaultMaxChars)
}
