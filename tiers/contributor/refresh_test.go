package contributor_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/basis"
	"manualslop/tiers/contributor"
	"manualslop/tiers/fence"
	"manualslop/tiers/tierstest"
)

func file(path, digest string) events.FileState {
	return events.FileState{Path: path, SHA256: digest, Size: 1}
}

func wrote(path, before, after string) events.FileState {
	return events.FileState{Path: path, SHA256: after, Size: 1, Written: true, Before: before}
}

func TestARefreshRereadsWhatTheConversationKnows(t *testing.T) {
	t.Parallel()
	view := events.View{Path: "t.go", View: "raw", SHA256: "x", File: &events.FileState{Path: "t.go", SHA256: "t1",
		Size: 9}}
	seen := given(opened(), starts(1), context(view), reply("", read, read), approve(0), approve(1))
	after := func(name string, want []events.FileState, history ...any) tierstest.Scenario {
		all := given(history...)
		return tierstest.Scenario{Name: name, Given: all[:len(all)-1], When: all[len(all)-1], Then: given(rereads(want...))}
	}
	of := func(i int, files ...events.FileState) events.Payload {
		return settle(i, events.ToolDone, "", withFiles(files...))
	}
	target := events.FileState{Path: "t.go", SHA256: "t1", Size: 9}
	known := given(opened(tracked("z.go", "a.go", "z.go")), starts(1), context(view), reply("", read), approve(0))
	tierstest.Run(t, contributor.Decider(), scenarios{
		after("the views", []events.FileState{target}, seen, of(0), of(1)),
		after("what was read, by path", []events.FileState{file("a.go", "a1"), file("b.go", "b1"), target}, seen,
			of(0, file("b.go", "b1")), of(1, file("a.go", "a1"))),
		after("what was read last", []events.FileState{file("a.go", "a2"), target}, seen, of(0, file("a.go", "a1")),
			of(1, file("a.go", "a2"))),
		after("what was written, as it was before", []events.FileState{{Path: "a.go", SHA256: "a1"}, target}, seen, of(0),
			of(1, wrote("a.go", "a1", "a2"))),
		after("what was made, as absent", []events.FileState{{Path: "a.go"}, target}, seen, of(0),
			of(1, wrote("a.go", "", "a2"))),
		after("what was read and then written, as it was read", []events.FileState{file("a.go", "a0"), target}, seen,
			of(0, file("a.go", "a0")), of(1, wrote("a.go", "a1", "a2"))),
		after("what was written and then read, as it was read", []events.FileState{file("a.go", "a2"), target}, seen,
			of(0, wrote("a.go", "a1", "a2")), of(1, file("a.go", "a2"))),
		after("what was written twice, as it was before both", []events.FileState{{Path: "a.go", SHA256: "a1"}, target}, seen,
			of(0, wrote("a.go", "a1", "a2")), of(1, wrote("a.go", "a2", "a3"))),
		after("what an interrupted call touched", []events.FileState{{Path: "a.go", SHA256: "a1"}, target}, seen, of(0),
			settle(1, events.ToolInterrupted, "", withFiles(wrote("a.go", "a1", "a2"))), resolve(1, "fail", "")),
		after("tracked files, each once", []events.FileState{{Path: "a.go"}, target, {Path: "z.go"}}, known, of(0)),
		after("a tracked file that is known", []events.FileState{file("a.go", "a1"), target, {Path: "z.go"}}, known,
			of(0, file("a.go", "a1"))),
	})
}

// stateOf is the state of a tracked file at the beginning of an attempt.
func stateOf(path, digest string) events.View {
	return events.View{Path: path, View: events.ViewState, File: &events.FileState{Path: path, SHA256: digest, Size: 1}}
}

func TestTrackedFilesAreComparedWithTheirStateAtTheStart(t *testing.T) {
	t.Parallel()
	of := basis.Of("test")
	of.Decisions[events.ActorContributor] = 2
	older := given(events.SessionOpened{Basis: of, Settings: events.Settings{Tracked: []string{"a.go", "t.go"},
		Tiers: []events.TierSettings{{Tier: 3, Provider: "script", Models: []string{"m1"}}}}}, opened()[1])
	onTarget := starts(1, func(p *events.TicketStarted) { p.Ticket.TargetFile = "t.go" })
	asked := func(want ...events.ViewRequest) []events.Payload {
		return given(tierstest.Check(func(t testing.TB, p events.ContextRequested) {
			require.Equal(t, append(tiers.RuleViews(), want...), p.Views)
		}))
	}
	raw := events.View{Path: "t.go", View: "raw", SHA256: "x",
		File: &events.FileState{Path: "t.go", SHA256: "t1", Size: 1}}
	newer := opened(tracked("a.go", "t.go"))
	begun := given(newer, onTarget, context(raw, stateOf("a.go", "a1"), stateOf("t.go", "t2")))
	target := events.ViewRequest{Path: "t.go", View: events.ViewRaw}
	changed := given(begun, events.FilesTracked{Paths: []string{"a.go", "new.go", "t.go"}}, reply("", read), ran(0, "x"))
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "their states are asked for", Given: newer, When: onTarget, Then: asked(target,
			events.ViewRequest{Path: "a.go", View: events.ViewState},
			events.ViewRequest{Path: "t.go", View: events.ViewState})},
		{Name: "older decisions ask for none", Given: older, When: onTarget, Then: asked(target)},
		{Name: "what was shown counts before the state", Given: given(begun, reply("", read), approve(0)),
			When: settle(0, events.ToolDone, "x"), Then: given(rereads(file("a.go", "a1"), file("t.go", "t1")))},
		{Name: "a state is not shown", Given: given(newer, onTarget), When: context(raw, stateOf("a.go", "a1")),
			Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
				require.NotContains(t, string(mustJSON(t, p.Manifest)), "a.go")
			}))},
		{Name: "one that is tracked later is only noted", Given: changed,
			When: reread(events.FileUpdate{Path: "new.go", After: "n1", Diff: "+n"}),
			Then: given(refreshes(""))},
		{Name: "and shown when it changes again",
			Given: given(changed, reread(events.FileUpdate{Path: "new.go", After: "n1", Diff: "+n"}), reply("", read),
				ran(0, "x")),
			When: reread(events.FileUpdate{Path: "new.go", Before: "n1", After: "n2", Diff: "+m"}),
			Then: given(refreshes("+m\n"))},
		{Name: "under older decisions it is shown", Given: given(older, onTarget, context(raw), reply("", read), ran(0, "x")),
			When: reread(events.FileUpdate{Path: "a.go", After: "a1", Diff: "+a"}), Then: given(refreshes("+a\n"))},
	})
}

// refreshes checks the block of changed files of a request; empty means none.
func refreshes(want string) events.Payload {
	return tierstest.Check(func(t testing.TB, p events.ModelRequested) {
		t.Helper()
		text := ""
		for _, part := range p.Manifest {
			if part.Kind == events.PartRefresh {
				text = part.Text
			}
		}
		require.Equal(t, want, text)
	})
}

func TestTheStatesOfTrackedFilesAreBounded(t *testing.T) {
	t.Parallel()
	requested := func(n, size int) int {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("%04d", i)+strings.Repeat("x", size-4))
		}
		h := tierstest.Play(t, contributor.Decider(), given(opened(tracked(names...)), starts(1))...)
		views := h.Last("ContextRequested").Payload.(events.ContextRequested).Views
		return len(views) - len(tiers.RuleViews()) - 1 // the tree
	}
	state := stateOf("", strings.Repeat("0", 64))
	state.SHA256, state.File.Size = state.File.SHA256, math.MaxInt64
	const each = 1024 // of an answer, with its comma
	size := (each - len(mustJSON(t, state)) - 1) / 2
	require.Equal(t, contributor.MaxKnown/each, requested(contributor.MaxKnown/each, size))
	require.Equal(t, contributor.MaxKnown/each, requested(contributor.MaxKnown/each+1, size))
}

// block is the text of the refresh block after a round with these updates;
// empty if there is none.
func block(t *testing.T, files ...events.FileUpdate) string {
	t.Helper()
	h := tierstest.Play(t, contributor.Decider(), given(round1(), aRound(files...))...)
	manifest := h.LastRequest().Manifest
	last := manifest[len(manifest)-1]
	for _, p := range manifest[:len(manifest)-1] {
		require.Empty(t, p.Kind, "the block stands last")
	}
	if last.Kind != events.PartRefresh {
		return ""
	}
	require.Equal(t, "user", last.Role)
	require.Equal(t, fence.Repo, last.Origin)
	return last.Prefix + last.Text
}

func TestTheBlockOfChangedFiles(t *testing.T) {
	t.Parallel()
	diff := "--- a/a.go\n+++ b/a.go\n-a\n+b\n"
	require.Empty(t, block(t))
	require.Equal(t, "[SYSTEM: FILES UPDATED]\n"+diff, block(t, events.FileUpdate{Path: "a.go", Before: "1", After: "2",
		Diff: diff}))
	require.Equal(t, "[SYSTEM: FILES UPDATED]\n"+diff+diff, block(t, events.FileUpdate{Path: "a.go", After: "2",
		Diff: diff + "\n\n"}, events.FileUpdate{Path: "b.go", After: "2", Diff: diff}))
	require.Equal(t, "[SYSTEM: FILES UPDATED]\na.go: deleted\nb.go: cannot be read: not UTF-8\n"+
		"c.go: changed; the diff of 70000 bytes is too long to show, read the file again\n",
		block(t, events.FileUpdate{Path: "a.go", Before: "1"}, events.FileUpdate{Path: "b.go", After: "2",
			Error: "not UTF-8"},
			events.FileUpdate{Path: "c.go", After: "2", DiffBlob: &events.BlobRef{SHA256: "ab", Size: 70_000}}))
	require.Equal(t, "[SYSTEM: FILES UPDATED]\na.go: cannot be read: "+strings.Repeat("x", contributor.MaxReason)+"…\n",
		block(t, events.FileUpdate{Path: "a.go", Error: strings.Repeat("x", contributor.MaxReason+1)}))
}

func TestTheBlockIsBounded(t *testing.T) {
	t.Parallel()
	half := strings.Repeat("<", contributor.MaxRefresh/2/len(`\u003c`))
	var updates []events.FileUpdate
	for i := range 100 {
		updates = append(updates, events.FileUpdate{Path: fmt.Sprintf("%04d", i) + strings.Repeat("x", 1000) + ".go",
			After: "2", Diff: half})
	}
	text := block(t, updates...)
	require.Equal(t, 1, strings.Count(text, half), "one diff fits, two do not")
	require.Contains(t, text, "xx.go: changed; its diff does not fit here, read the file again\n")
	named := strings.Count(text, ".go: changed")
	require.Greater(t, named, 10)
	require.True(t, strings.HasSuffix(text, fmt.Sprintf("and %d more files changed; read again what you need\n",
		100-1-named)))
	require.LessOrEqual(t, len(mustJSON(t, part{Role: "user", Kind: events.PartRefresh, Text: text})),
		contributor.MaxRefresh)
	require.NotContains(t, block(t, updates[:1]...), "changed")
}

func TestTheBlockIsInTheNextPromptOnly(t *testing.T) {
	t.Parallel()
	changed := events.FileUpdate{Path: "a.go", Before: "1", After: "2", Diff: "-a\n+b\n"}
	history := given(round1(), aRound(changed), failed(events.ModelNetwork), aRound(), reply("DONE: it is."))
	h := tierstest.Play(t, contributor.Decider(), history...)
	var blocks []int
	for _, p := range h.Requests() {
		n := 0
		for _, part := range p.Manifest {
			if part.Kind == events.PartRefresh {
				n++
			}
		}
		blocks = append(blocks, n)
	}
	require.Equal(t, []int{0, 1, 1, 0}, blocks, "first, second and its second attempt, third")
}

func TestTheNextRefreshLooksForLaterChanges(t *testing.T) {
	t.Parallel()
	round := func(updates ...events.FileUpdate) []events.Payload { return aRound(updates...) }
	history := given(round1(), round(events.FileUpdate{Path: "a.go", Before: "1", After: "2", Size: 7, Diff: "d"},
		events.FileUpdate{Path: "gone.go", Before: "1"},
		events.FileUpdate{Path: "odd.go", After: "3", Size: 3, Error: "not UTF-8"}), reply("", read), ran(0, "x"))
	h := tierstest.Play(t, contributor.Decider(), history...)
	require.Equal(t, []events.FileState{{Path: "a.go", SHA256: "2", Size: 7}, {Path: "gone.go"},
		{Path: "odd.go", SHA256: "3", Size: 3}},
		h.Last("RefreshRequested").Payload.(events.RefreshRequested).Files)
}

func TestARefreshIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	open := given(round1(), reply("", read), ran(0, "x"))
	first := tierstest.FactID(events.ActorContributor, 7, 0)
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "another one's answer", Given: open, When: events.FilesUpdated{Request: "X", Ticket: "T-1"}},
		{Name: "a second answer", Given: given(open, reread()), When: events.FilesUpdated{Request: first, Ticket: "T-1"}},
		{Name: "an old answer in a later round", Given: given(open, reread(), reply("", read), ran(0, "x")),
			When: events.FilesUpdated{Request: first, Ticket: "T-1"}},
		{Name: "the answer", Given: open, When: events.FilesUpdated{Request: first, Ticket: "T-1"},
			Then: given(decided[events.ModelRequested]())},
	})
}

func TestTheListOfKnownFilesIsBounded(t *testing.T) {
	t.Parallel()
	refreshOf := func(n, size int) []events.FileState {
		var files []events.FileState
		for i := range n {
			files = append(files, events.FileState{Path: fmt.Sprintf("%04d", i) + strings.Repeat("x", size)})
		}
		h := tierstest.Play(t, contributor.Decider(), given(round1(), reply("", read), approve(0), settle(0, events.ToolDone,
			"", withFiles(files...)))...)
		return h.Last("RefreshRequested").Payload.(events.RefreshRequested).Files
	}
	const each = 1024
	path := each - len(`{"path":"0000"},`)
	require.Len(t, refreshOf(contributor.MaxKnown/each, path), contributor.MaxKnown/each)
	over := refreshOf(contributor.MaxKnown/each+1, path)
	require.Len(t, over, contributor.MaxKnown/each)
	require.True(t, strings.HasPrefix(over[len(over)-1].Path, "0255"), "the first ones by path stay")
}
