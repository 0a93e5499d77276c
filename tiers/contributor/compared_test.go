package contributor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/basis"
	"manualslop/tiers/contributor"
	"manualslop/tiers/tierstest"
)

// looking is a session under some decisions whose tools have effects, in the
// round behind the one that read a.go.
func looking(decisions int) []events.Payload {
	of := basis.Of("test")
	of.Decisions[events.ActorContributor] = decisions
	s := events.Settings{Tiers: []events.TierSettings{{Tier: 3, Provider: "script", Models: []string{"m1"},
		MaxRounds: maxRounds}}}
	return given(events.SessionOpened{Basis: of, Settings: s},
		events.ToolsOffered{Tools: []events.ToolOffer{{Name: "read_file", Effect: "reads"}, {Name: "run_powershell",
			Effect: "executes"}}},
		starts(1), context(), reply("", read), approve(0), settle(0, events.ToolDone, "x", withFiles(file("a.go", "a1"))),
		reread())
}

// unchanged says of an outcome that its worker found every known file as it was.
func unchanged(p *events.ToolSettled) { p.Unchanged = true }

// comparing looks at the files that the requested calls are to compare.
func comparing(want ...[]events.FileState) []events.Payload {
	var out []events.Payload
	for _, files := range want {
		out = append(out, tierstest.Check(func(t testing.TB, p events.ToolRequested) { require.Equal(t, files, p.Known) }))
	}
	return out
}

func TestACallThatReadsLooksForChangedFiles(t *testing.T) {
	t.Parallel()
	shell := call("run_powershell", `{"script":"true"}`)
	known := []events.FileState{file("a.go", "a1")}
	next, refresh := given(decided[events.ModelRequested]()), given(decided[events.RefreshRequested]())
	done := func(i int, change ...func(*events.ToolSettled)) events.Payload {
		return settle(i, events.ToolDone, "x", change...)
	}
	one, two := given(looking(2), reply("", read), approve(0)), given(looking(2), reply("", read, read), approve(0),
		approve(1))
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "what the conversation knows", Given: looking(2), When: reply("", read), Then: comparing(known)},
		{Name: "the last call of a reply only", Given: looking(2), When: reply("", read, read), Then: comparing(nil, known)},
		{Name: "not one that may change files itself", Given: looking(2), When: reply("", read, shell),
			Then: comparing(nil, nil)},
		{Name: "not under older decisions", Given: looking(1), When: reply("", read), Then: comparing(nil)},

		{Name: "nothing changed, so the next round begins", Given: one, When: done(0, unchanged), Then: next},
		{Name: "something changed", Given: one, When: done(0), Then: refresh},
		{Name: "a call that failed looks as well", Given: one, When: settle(0, events.ToolFailed, "no", unchanged),
			Then: next},
		{Name: "an interrupted one has not ended", Given: one, When: settle(0, events.ToolInterrupted, "", unchanged)},
		{Name: "under older decisions it says nothing", Given: given(looking(1), reply("", read), approve(0)),
			When: done(0, unchanged), Then: refresh},
		{Name: "while another call runs, nothing begins", Given: two, When: done(1, unchanged)},
		{Name: "a call that ends behind the look", Given: given(two, done(1, unchanged)), When: done(0), Then: refresh},
		{Name: "a call that ends before it", Given: given(two, done(0)), When: done(1, unchanged), Then: next},
		{Name: "a call that is denied behind it", Given: given(two, done(1, unchanged)), When: deny(0, "no"), Then: refresh},
		{Name: "a round that wrote another file", Given: given(two, done(0, withFiles(wrote("b.go", "", "b1")))),
			When: done(1, unchanged), Then: refresh},
		{Name: "a round that may have changed files",
			Given: given(two, done(0, func(p *events.ToolSettled) { p.Unseen = true })), When: done(1, unchanged),
			Then: refresh},
		{Name: "the last round there may be", Given: given(one, done(0, unchanged), reply("", read), approve(0)),
			When: done(0, unchanged),
			Then: given(ends(events.ResolvedBlocked, "", "no end after 3 rounds"))},
	})
}

func TestALongListOfKnownFilesIsLeftToTheRefresh(t *testing.T) {
	t.Parallel()
	compared := func(size int) []events.FileState {
		name := strings.Repeat("x", size-len(`[{"path":"","sha256":"x1","size":1}]`))
		h := tierstest.Play(t, contributor.Decider(), given(looking(2)[:4], reply("", read), approve(0),
			settle(0, events.ToolDone, "x", withFiles(file(name, "x1"))), reread(), reply("", read))...)
		return h.Last("ToolRequested").Payload.(events.ToolRequested).Known
	}
	require.Len(t, compared(contributor.MaxCompared), 1)
	require.Empty(t, compared(contributor.MaxCompared+1))
}
