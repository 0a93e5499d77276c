package tools_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/builtin"
)

func TestParallelPythonEditsOfOneFileAreAllPresent(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a.py": "class A:\n    x = 1\n"})
	var wait sync.WaitGroup
	const edits = 50
	failed := make([]string, edits)
	for i := range edits {
		wait.Go(func() {
			p, err := builtin.Tools().Prepare(t.Context(), env, "py_add_def",
				[]byte(fmt.Sprintf(`{"path":"a.py","name":"A.m%d","new_content":"def m%d(self): pass"}`, i, i)))
			if err != nil {
				failed[i] = err.Error()
			} else if result := p.Run(t.Context(), nil); result.Failed {
				failed[i] = result.Text
			}
		})
	}
	wait.Wait()
	require.Empty(t, strings.Join(failed, ""))
	after := get(t, dir, "a.py")
	for i := range edits {
		require.Equal(t, 1, strings.Count(after, fmt.Sprintf("def m%d(self)", i)))
	}
}

func TestACancelledPythonEditOfALargeFileChangesNothing(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("def f(a, b):\n    return [a + b, {'x': (a, b)}]\n\n\n", 20_000)
	env, dir := setup(t, map[string]string{"a.py": text})
	p := prepare(t, env, "py_remove_def", args{"path": "a.py", "name": "f#7"})
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan tools.Result)
	go func() { answered <- p.Run(ctx, nil) }()
	cancel()
	result := <-answered
	require.True(t, result.Failed)
	require.ErrorIs(t, result.Err, context.Canceled)
	require.Equal(t, text, get(t, dir, "a.py"))
}
