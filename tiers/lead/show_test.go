package lead_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/lead"
	"manualslop/tiers/planning"
	"manualslop/tiers/tierstest"
)

// show is a reply that asks for files.
func show(paths ...string) string {
	return fmt.Sprintf(`{"show": ["%s"]}`, strings.Join(paths, `", "`))
}

func wants(paths ...string) events.Payload {
	r := events.ContextRequested{Tier: 2, Goal: "G", Track: "TR-1"}
	for _, p := range paths {
		r.Views = append(r.Views, events.ViewRequest{Path: p, View: events.ViewRaw})
	}
	return r
}

// shown answers the newest request for context with files of these sizes.
func shown(sizes ...int64) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		out := events.ContextBuilt{Request: h.LastID("ContextRequested")}
		for i, n := range sizes {
			out.Views = append(out.Views, events.View{Path: fmt.Sprintf("f%d.go", i), View: events.ViewRaw, SHA256: "cc",
				Size: n, Blob: true})
		}
		return out
	})
}

// last looks at the texts of the last parts of a request.
func last(want ...string) events.Payload {
	return requested(func(t testing.TB, r events.ModelRequested) {
		parts := r.Manifest[len(r.Manifest)-len(want):]
		for i, w := range want {
			require.Equal(t, "user", parts[i].Role)
			require.Contains(t, parts[i].Prefix+parts[i].Text, w)
		}
	})
}

func TestALeadIsShownTheFilesItAsksFor(t *testing.T) {
	t.Parallel()
	nine := []string{"1.go", "2.go", "3.go", "4.go", "5.go", "6.go", "7.go", "8.go", "9.go"}
	once := after(asked(), replied(show("a.go")), shown(1))
	twice := after(once, replied(show("a.go")), shown(1))
	thrice := after(twice, replied(show("a.go")), shown(1))
	old := opened().(events.SessionOpened)
	old.Basis.Decisions = map[string]int{events.ActorLead: 1}
	tierstest.Run(t, lead.Decider(), scenarios{
		{Name: "a reply asks for files, each once", Given: asked(), When: replied("I need these.\n```json\n" + show("a.go",
			"b/c.py", "a.go") + "\n```"), Then: then(wants("a.go", "b/c.py"))},
		{Name: "they are shown", Given: after(asked(), replied(show("a.go", "b.go"))), When: shown(1, 2),
			Then: then(last("# f0.go\n", "# f1.go\n", "Write the plan now, or ask for files again (at most 2 times)."))},
		{Name: "what is planned then counts", Given: once, When: replied(array(draft("T-1"))),
			Then: then(plannedFor("TR-1", ticket("T-1")))},
		{Name: "eight files at a time", Given: asked(), When: replied(show(nine[:8]...)), Then: then(wants(nine[:8]...))},
		{Name: "nine are eight", Given: asked(), When: replied(show(nine...)), Then: then(wants(nine[:8]...))},
		{Name: "and it is told so", Given: after(asked(), replied(show(nine...))), When: shown(1),
			Then: then(last("1 more files that you asked for are not shown; one reply may name 8. Write"))},
		{Name: "the third time is the last", Given: after(twice, replied(show("a.go"))), When: shown(1),
			Then: then(last("Write the plan now; you cannot ask for files again."))},
		{Name: "the fourth time is no plan", Given: thrice, When: replied(show("a.go")),
			Then: then(corrected("the reply contains no JSON array of objects"))},
		{Name: "as much as there is room for", Given: after(asked(), replied(show("a.go", "b.go", "c.go"))),
			When: shown(64<<10, 32<<10, 1),
			Then: then(last("# f0.go\n", "# f1.go\n", "# f2.go\n\nIt is not shown, as there is no room: 1 bytes.",
				"Write the plan now"))},
		{Name: "a plan beside a question is a plan", Given: asked(), When: replied(show("a.go") + array(draft("T-1"))),
			Then: then(plannedFor("TR-1", ticket("T-1")))},
		{Name: "no path is no question", Given: asked(), When: replied(show("")),
			Then: then(corrected("the reply contains no JSON array of objects"))},
		{Name: "nor is one that is too long", Given: asked(), When: replied(show(strings.Repeat("a", planning.MaxPath+1))),
			Then: then(corrected("the reply contains no JSON array of objects"))},
		{Name: "the longest path", Given: asked(), When: replied(show(strings.Repeat("a", planning.MaxPath))),
			Then: then(wants(strings.Repeat("a", planning.MaxPath)))},
		{Name: "more than a question is none", Given: asked(), When: replied(`{"show": ["a.go"], "then": 1}`),
			Then: then(corrected("the reply contains no JSON array of objects"))},
		{Name: "a session of older decisions is not shown anything", Given: then(old, startedTrack("TR-1"), built()),
			When: replied(show("a.go")),
			Then: then(corrected("the reply contains no JSON array of objects"))},
	})
}
