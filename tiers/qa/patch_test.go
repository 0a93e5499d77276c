package qa_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/qa"
	"manualslop/tiers/tierstest"
)

const aPatch = "--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-x\n+y\n"

// failedAt is a session in which c1 failed with this output and has its hint.
func failedAt(output string) []events.Payload {
	return given(events.TicketStarted{Ticket: events.Ticket{ID: "T-0", TargetFile: "other.go"}}, opened(),
		settled(stderr(output)), reply("a typo"))
}

// viewsFor checks which files are asked for.
func viewsFor(paths ...string) []events.Payload {
	want := events.ContextRequested{Tier: 4, Views: []events.ViewRequest{}}
	for _, p := range paths {
		want.Views = append(want.Views, events.ViewRequest{Path: p, View: events.ViewRaw})
	}
	return given(want)
}

func shown(views ...events.View) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ContextBuilt{Request: h.LastID("ContextRequested"), Views: views}
	})
}

func patchSkipped(reason string) []events.Payload {
	return given(tierstest.Check(func(t testing.TB, p events.PatchSkipped) {
		t.Helper()
		require.Equal(t, "c1", p.Call)
		require.Contains(t, p.Reason, reason)
	}))
}

func proposes(diff string) []events.Payload {
	return given(tierstest.Check(func(t testing.TB, p events.PatchProposed) {
		t.Helper()
		require.Equal(t, diff, p.Patch)
		require.Equal(t, "T-1", p.Ticket)
	}))
}

func TestAPatchIsMadeFromTheOutputAndTheFilesThatItNames(t *testing.T) {
	t.Parallel()
	wish := events.PatchRequested{Call: "c1"}
	raw := events.View{Path: "a.go", View: events.ViewRaw, Text: "x", SHA256: "aa", Size: 1}
	large := events.View{Path: "b.go", View: events.ViewRaw, SHA256: "bb", Size: qa.MaxPatchFileBytes + 1, Blob: true}
	tierstest.Run(t, qa.Decider(), scenarios{
		{Name: "the files", Given: failedAt("--- FAIL\na.go:3: boom\n./b/c_test.go:4 a.go:9"), When: wish,
			Then: viewsFor("a.go", "b/c_test.go")},
		{Name: "no more than fit", Given: failedAt("a.go b.go c.go d.go"), When: wish, Then: viewsFor("a.go", "b.go",
			"c.go")},
		{Name: "none", Given: failedAt("boom"), When: wish, Then: viewsFor()},
		{Name: "the model", Given: given(failedAt("a.go:3: boom"), wish), When: shown(raw, large, events.View{Path: "c.go",
			Error: "gone"}),
			Then: given(tierstest.Check(func(t testing.TB, m events.ModelRequested) {
				t.Helper()
				require.Len(t, m.Manifest, 3)
				require.Contains(t, m.Manifest[1].Text, "a.go:3: boom")
				require.NotEmpty(t, m.Manifest[1].Fence)
				require.Equal(t, "aa", m.Manifest[2].SHA256)
				require.Empty(t, m.Ticket, "no ticket waits for it")
			}))},
		{Name: "a call that did not fail", Given: given(opened(), settled(outcome(events.ToolDone))), When: wish,
			Then: patchSkipped("no failed shell call")},
		{Name: "a call that nobody knows", Given: opened(), When: wish, Then: patchSkipped("no failed shell call")},
		{Name: "after the session", Given: given(failedAt("boom"), events.SessionClosed{}), When: wish},
	})
}

func TestAPatchIsTheDiffInTheReply(t *testing.T) {
	t.Parallel()
	open := given(failedAt("a.go:3: boom"), events.PatchRequested{Call: "c1"}, shown())
	limit := strings.Repeat("+", events.MaxPatch-len(aPatch)-1) + "\n"
	tierstest.Run(t, qa.Decider(), scenarios{
		{Name: "alone", Given: open, When: reply(aPatch), Then: proposes(aPatch)},
		{Name: "with words and a fence around it", Given: open, When: reply("Here it is:\n```diff\n" + aPatch +
			"```\nThat mends it.\n"), Then: proposes(aPatch)},
		{Name: "at the limit", Given: open, When: reply(aPatch + limit), Then: proposes(aPatch + limit)},
		{Name: "one byte over", Given: open, When: reply(aPatch + "+" + limit), Then: patchSkipped("too long")},
		{Name: "none", Given: open, When: reply("NONE"), Then: patchSkipped("no unified diff")},
		{Name: "half of one", Given: open, When: reply("--- a/a.go\n+++ b/a.go\n"), Then: patchSkipped("no unified diff")},
		{Name: "cut off", Given: open, When: tierstest.With(func(h *tierstest.History) events.Payload {
			return events.ModelReplied{Request: h.LastID("ModelRequested"), Text: aPatch, Finish: "max_tokens"}
		}), Then: patchSkipped("cut off")},
		{Name: "a model that fails", Given: open, When: failed(events.ModelAuth), Then: patchSkipped("model auth: oh")},
		{Name: "a model that is busy", Given: open, When: failed(events.ModelOverloaded),
			Then: given(tierstest.Check(func(t testing.TB, m events.ModelRequested) { require.Equal(t, 2, m.Attempt) }))},
		{Name: "for a ticket that was killed", Given: given(open, events.TicketKilled{Ticket: "T-1", Attempt: 1}),
			When: reply(aPatch), Then: proposes(aPatch)},
	})
}

func TestAPatchIsForTheWorkspaceInWhichTheCallFailed(t *testing.T) {
	t.Parallel()
	inWorktree := failedAt("a.go:3: boom")
	for i, p := range inWorktree {
		if r, ok := p.(events.ToolRequested); ok {
			r.Workspace = "T-1.1"
			inWorktree[i] = r
		}
	}
	tierstest.Run(t, qa.Decider(), []tierstest.Scenario{
		{Name: "its files are shown", Given: inWorktree, When: events.PatchRequested{Call: "c1"},
			Then: given(tierstest.Check(func(t testing.TB, p events.ContextRequested) {
				require.Equal(t, "T-1.1", p.Workspace)
			}))},
	})
	h := tierstest.Play(t, qa.Decider(), given(inWorktree, events.PatchRequested{Call: "c1"}, shown(),
		tierstest.With(func(h *tierstest.History) events.Payload {
			return events.ModelReplied{Request: h.LastID("ModelRequested"),
				Text: "--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-a\n+b\n", Finish: "stop"}
		}))...)
	require.Equal(t, "T-1.1", h.Last("PatchProposed").Payload.(events.PatchProposed).Workspace)
}
