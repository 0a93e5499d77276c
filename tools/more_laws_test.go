package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
)

// looks is a context that is cancelled by the look at it that has a number.
type looks struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64 // looks before that one
	after  atomic.Int64 // looks behind it
}

func newLooks(t *testing.T, left int64) *looks {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	l := &looks{Context: ctx, cancel: cancel}
	l.left.Store(left)
	return l
}

// Err counts the look.
func (l *looks) Err() error {
	switch left := l.left.Add(-1); {
	case left == -1:
		l.cancel()
	case left < -1:
		l.after.Add(1)
	}
	return l.Context.Err()
}

func TestLawACallThatIsCancelledInTheMiddleEndsSoon(t *testing.T) {
	t.Parallel()
	everyTool(t, func(t *testing.T, tool tools.Tool) {
		if outside(tool.Spec().Name) {
			return // what runs outside is waited for by its own tests
		}
		for left := int64(0); left < 1<<20; left += 1 + left/3 {
			env, dir := project(t)
			before := fingerprint(t, dir)
			p := prepare(t, env, tool.Spec().Name, sample(t, tool))
			ctx := newLooks(t, left)
			result := p.Run(ctx, nil)
			if ctx.Context.Err() == nil {
				require.False(t, result.Failed, result.Text)
				return // the call looks less often than that
			}
			require.True(t, result.Failed, "cancelled by look %d", left+1)
			require.ErrorIs(t, result.Err, context.Canceled)
			require.LessOrEqual(t, ctx.after.Load(), int64(100), "looks after the one that was cancelled")
			require.Equal(t, before, fingerprint(t, dir), "nothing is written")
		}
		t.Error("the call looks too often to see its end")
	})
}

func TestLawAWalkLooksAtItsContextForEachFile(t *testing.T) {
	t.Parallel()
	env, _ := project(t)
	for _, name := range []string{"find_text", "get_tree", "search_files", "list_directory"} {
		ctx := newLooks(t, 1<<40)
		in := args{"path": "."}
		if name == "find_text" || name == "search_files" {
			in["pattern"] = "x"
		}
		result := prepare(t, env, name, in).Run(ctx, nil)
		require.False(t, result.Failed, result.Text)
		require.Greater(t, 1<<40-ctx.left.Load(), int64(60), name)
	}
}

func TestLawNoAnswerNamesTheWorkspace(t *testing.T) {
	t.Parallel()
	everyTool(t, func(t *testing.T, tool tools.Tool) {
		env, dir := project(t)
		for _, path := range []string{"", "none.py", "src", "../none.py"} {
			in := sample(t, tool)
			if _, takes := in["path"]; !takes && path != "" {
				continue
			} else if takes && path != "" {
				in["path"] = path
			}
			result := call(t, env, tool.Spec().Name, in)
			raw, err := json.Marshal(result)
			require.NoError(t, err)
			require.NotContains(t, string(raw), dir)
			if result.Failed && result.Exit == nil {
				require.NotContains(t, result.Text, "\n", "errors are one line")
				require.True(t, strings.HasPrefix(result.Text, "ERROR: ") || strings.HasPrefix(result.Text, "ACCESS DENIED"),
					result.Text)
			}
		}
	})
}

func TestLawTwinsHaveListsRatherThanNull(t *testing.T) {
	t.Parallel()
	everyTool(t, func(t *testing.T, tool tools.Tool) {
		if tool.Spec().Name == "get_ui_performance" {
			return // what is not measured is null
		}
		env, _ := project(t)
		result := call(t, env, tool.Spec().Name, sample(t, tool))
		require.False(t, result.Failed, result.Text)
		raw, err := json.Marshal(result.Data)
		require.NoError(t, err)
		var twin any
		require.NoError(t, json.Unmarshal(raw, &twin))
		checkNoNull(t, tool.Spec().Name, twin)
	})
}

func checkNoNull(t *testing.T, at string, value any) {
	t.Helper()
	switch v := value.(type) {
	case nil:
		t.Errorf("%s is null", at)
	case []any:
		for _, item := range v {
			checkNoNull(t, at+"[]", item)
		}
	case map[string]any:
		for key, item := range v {
			checkNoNull(t, at+"."+key, item)
		}
	}
}
