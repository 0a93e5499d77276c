package runtime_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestASmallFileIsShownWholeUnlessAPersonChoseItsView(t *testing.T) {
	t.Parallel()
	const text = "def one():\n    return 1\n"
	w := newWorld(t, map[string]string{"a.py": text, "b.txt": "words\n"})
	show := func(path, view string, chosen bool) events.View {
		t.Helper()
		built, ok := w.handOut(events.ActorContributor, events.ContextRequested{Tier: 3, Ticket: "T-1", Attempt: 1,
			Views: []events.ViewRequest{{Path: path, View: view, Fallback: true, Chosen: chosen}}}, 1).(events.ContextBuilt)
		require.True(t, ok)
		return built.Views[0]
	}
	whole := show("a.py", events.ViewSkeleton, false)
	require.Equal(t, events.ViewRaw, whole.View)
	require.Equal(t, text, whole.Text)
	for _, view := range []string{events.ViewSkeleton, events.ViewCurated, events.ViewOutline, events.ViewSummary} {
		chosen := show("a.py", view, true)
		require.Equal(t, view, chosen.View, chosen.Error)
		require.NotContains(t, chosen.Text, "return 1")
		require.Contains(t, chosen.Text, "one")
	}
	require.Equal(t, events.ViewRaw, show("b.txt", events.ViewSkeleton, true).View, "there is no skeleton of a text")
}

func TestASliceIsShownWhereItIsNowOrSaysThatItIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.go": "package a\n\nfunc one() {\n\tcall()\n}\n\nfunc two() {\n\tother()\n}\n"})
	ask := func(s *events.FileSlice) events.View {
		t.Helper()
		built, ok := w.handOut(events.ActorContributor, events.ContextRequested{Tier: 3, Ticket: "T-1", Attempt: 1,
			Views: []events.ViewRequest{{Path: "a.go", View: events.ViewSlice, Slice: s}}}, 1).(events.ContextBuilt)
		require.True(t, ok)
		return built.Views[0]
	}
	first := ask(&events.FileSlice{Name: "second", StartLine: 7, EndLine: 9})
	require.Equal(t, "second: lines 7-9\nfunc two() {\n\tother()\n}", first.Text)
	require.Equal(t, &events.FileSlice{Name: "second", StartLine: 7, EndLine: 9, Head: []string{"func two() {",
		"\tother()", "}"}, Tail: []string{"func two() {", "\tother()", "}"}}, first.Slice)
	built, ok := w.handOut("ada", events.ContextInjectionRequested{Path: "a.go", View: events.ViewSlice,
		Slice: &events.FileSlice{Name: "second", StartLine: 7, EndLine: 9}, Record: true}, 1).(events.ContextBuilt)
	require.True(t, ok)
	require.Equal(t, first.Slice, built.Views[0].Slice, "a person records it with the same anchors")
	w.write("a.go", "package a\n"+strings.Repeat("// more\n", 5)+"\nfunc two() {\n\tother()\n}\n")
	moved := ask(first.Slice)
	require.Equal(t, "second: lines 8-10, recorded as lines 7-9\nfunc two() {\n\tother()\n}", moved.Text)
	w.write("a.go", "package a\n")
	gone := ask(moved.Slice)
	require.Contains(t, gone.Error, "the anchor is gone: the beginning of the slice recorded as lines 8-10")
	require.Empty(t, gone.Text)
	w.write("a.go", "{\n\n}\ncall(1)\n")
	for end, wrong := range map[int]bool{3: true, 4: false} {
		built, ok = w.handOut("ada", events.ContextInjectionRequested{Path: "a.go", View: events.ViewSlice,
			Slice: &events.FileSlice{StartLine: end - 2, EndLine: end}, Record: true}, 1).(events.ContextBuilt)
		require.True(t, ok)
		require.Equal(t, wrong, strings.Contains(built.Views[0].Error, "the slice could not be located"),
			built.Views[0].Error)
	}
	require.NotEmpty(t, ask(nil).Error)
	require.NotEmpty(t, ask(&events.FileSlice{StartLine: 1, EndLine: 99}).Error)
}
