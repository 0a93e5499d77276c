package hookgw_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/projections"
	"manualslop/projections/undo"
)

// moves undoes or redoes the next step and returns what it was.
func (f *fixture) moves(path string) string {
	f.t.Helper()
	var moved struct{ Step undo.Info }
	require.NoError(f.t, json.Unmarshal(f.says("/api/curation/"+path, `{}`, http.StatusOK).body, &moved))
	return moved.Step.What
}

func TestCurationIsUndoneAndRedone(t *testing.T) {
	t.Parallel()
	f := open(t)
	requireProblem(t, f.says("/api/curation/undo", `{}`, http.StatusConflict), "nothing to undo")
	f.says("/api/discussions/entries/add", `{"content":"one"}`, http.StatusOK)
	ids, _ := talkOf(f, "")
	f.says("/api/discussions/entries/edit", `{"entry":"`+ids[0]+`","content":"uno"}`, http.StatusOK)
	f.says("/api/project", `{"project":{"project":{"system_prompt":"Be brief."}}}`, http.StatusOK)
	f.says("/api/context/presets/save", `{"name":"p","files":["a.go"]}`, http.StatusOK)
	history := read[projections.Curation](f, "/api/curation")
	require.Len(t, history.Undo, 4)
	require.Equal(t, person, history.Undo[0].By)
	require.Equal(t, "saved preset p", f.moves("undo"))
	require.Equal(t, "changed project", f.moves("undo"))
	project := read[projections.Project](f, "/api/project/document").Document["project"]
	require.Empty(t, project.(map[string]any)["system_prompt"])
	require.Equal(t, "edited entry 1 of main", f.moves("undo"))
	_, contents := talkOf(f, "")
	require.Equal(t, []string{"one"}, contents)
	require.Len(t, read[projections.Curation](f, "/api/curation").Redo, 3)
	require.Equal(t, "edited entry 1 of main", f.moves("redo"))
	f.says("/api/discussions/entries/add", `{"content":"two"}`, http.StatusOK)
	requireProblem(t, f.says("/api/curation/redo", `{}`, http.StatusConflict), "nothing to redo")
	requireProblem(t, f.says("/api/curation/undo", `{"after":"x"}`, http.StatusBadRequest), "the body is not valid")
	requireProblem(t, f.says("/api/curation/undo", `{"to":1}`, http.StatusBadRequest), "the body is not valid")
	require.Equal(t, http.StatusForbidden, f.post("/api/curation/undo", access.RightRead, `{}`).status)
}

func TestAnUndoAtAPositionThatIsOverIsRefused(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.says("/api/discussions/entries/add", `{"content":"one"}`, http.StatusOK)
	seen := read[projections.Curation](f, "/api/curation").Position
	f.says("/api/discussions/entries/add", `{"content":"two"}`, http.StatusOK)
	a := f.says("/api/curation/undo", fmt.Sprintf(`{"after":%d}`, seen), http.StatusConflict)
	now := read[projections.Curation](f, "/api/curation").Position
	requireProblem(t, a, fmt.Sprintf("the history is at position %d, not at %d", now, seen))
	_, contents := talkOf(f, "")
	require.Equal(t, []string{"one", "two"}, contents)
	f.says("/api/curation/undo", fmt.Sprintf(`{"after":%d}`, now), http.StatusOK)
}

func TestPersonsWhoUndoAtOnceUndoOneStep(t *testing.T) {
	t.Parallel()
	f := open(t)
	for n := range 8 {
		f.says("/api/discussions/entries/add", fmt.Sprintf(`{"content":"%d"}`, n), http.StatusOK)
	}
	seen := read[projections.Curation](f, "/api/curation").Position
	two := f.another(t)
	answers := make([]answer, 8)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			at := f
			if i%2 == 1 {
				at = two
			}
			answers[i] = at.post("/api/curation/undo", access.RightHuman, fmt.Sprintf(`{"after":%d}`, seen))
		})
	}
	wg.Wait()
	done := 0
	for _, a := range answers {
		if a.status == http.StatusOK {
			done++
			continue
		}
		require.Equal(t, http.StatusConflict, a.status, "%s", a.body)
		requireProblem(t, a, "the history is at position")
	}
	require.Equal(t, 1, done)
	_, contents := talkOf(f, "")
	require.Len(t, contents, 7)
}

func TestAnUndoGoesOnWhileASessionGrows(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.says("/api/discussions/entries/add", `{"content":"one"}`, http.StatusOK)
	begun, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for n := range 200 {
			f.put(person, events.StepModeSet{On: n%2 == 0})
			if n == 10 {
				close(begun)
			}
		}
	}()
	<-begun
	require.Equal(t, "added entry 1 to main", f.moves("undo"))
	<-over
}

func TestUndoAtDepth101IsRefused(t *testing.T) {
	t.Parallel()
	f := open(t)
	for n := range undo.MaxSteps + 1 {
		f.put(person, events.DiscussionChanged{Operation: events.EntryAdd, Role: new("User"), Content: new(fmt.Sprint(n))})
	}
	for range undo.MaxSteps {
		f.moves("undo")
	}
	requireProblem(t, f.says("/api/curation/undo", `{}`, http.StatusConflict), "nothing to undo")
	_, contents := talkOf(f, "")
	require.Equal(t, []string{"0"}, contents)
}

func TestUndoOfALoadedPresetFindsTheFilesAgain(t *testing.T) {
	t.Parallel()
	f := open(t, withFolder(&folder{files: map[string]string{"a.py": "", "lib/b.py": "", "lib/c.py": ""}}))
	f.says("/api/context/presets/save", `{"name":"one","files":["a.py"]}`, http.StatusOK)
	f.says("/api/context/presets/save", `{"name":"two","files":["lib/*.py"]}`, http.StatusOK)
	f.says("/api/context/presets/load", `{"name":"one"}`, http.StatusOK)
	first := read[ContextState](f, "/api/context/state")
	f.says("/api/context/presets/load", `{"name":"two"}`, http.StatusOK)
	second := read[ContextState](f, "/api/context/state")
	require.NotEqual(t, first.Files, second.Files)
	require.Equal(t, "changed files.paths", f.moves("undo"))
	now := read[ContextState](f, "/api/context/state")
	require.Equal(t, first.Files, now.Files)
	require.Equal(t, "one", now.Selection.Preset)
	f.moves("redo")
	now = read[ContextState](f, "/api/context/state")
	require.Equal(t, second.Files, now.Files)
	require.Equal(t, "two", now.Selection.Preset)
}
