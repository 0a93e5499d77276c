package projections_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/sessiongen"
)

func foldAll(log []events.Event) *projections.Set {
	set := projections.NewSet()
	for i := range log {
		set.Apply(&log[i])
	}
	return set
}

func TestNamesAreSortedAndUnique(t *testing.T) {
	t.Parallel()
	set := projections.NewSet()
	var names []string
	for _, start := range projections.Catalogue() {
		m := start()
		require.Positive(t, m.Version(), m.Name())
		names = append(names, m.Name())
	}
	require.Equal(t, names, set.Names())
	slices.Sort(names)
	require.Len(t, slices.Compact(names), len(set.Names()))
}

func TestTheSameLogFoldsToTheSameBytes(t *testing.T) {
	t.Parallel()
	log := decoded(t, sessiongen.GenerateSession(3, 400))
	one, two := foldAll(log), foldAll(decoded(t, sessiongen.GenerateSession(3, 400)))
	require.Equal(t, one.Digest(), two.Digest())
	require.Equal(t, one.Sum(), two.Sum())
	other := foldAll(decoded(t, sessiongen.GenerateSession(4, 400)))
	require.NotEqual(t, one.Sum(), other.Sum())
	var light projections.Summarizer
	for i := range log {
		if projections.Summarizes(log[i].Type) {
			light.Apply(&log[i])
		}
	}
	require.Equal(t, one.Summary(), light.Summary(), "the types that Summarizes names are enough")
	for name, digest := range one.Digest() {
		if name != "diagnostics" && name != "project" && name != "turns" {
			require.NotEqual(t, projections.NewSet().Digest()[name], digest, "%s folds nothing of a whole session", name)
		}
	}
}

// TestDigestsNeedNoTexts holds a set that forgets texts to one that keeps them,
// also where entries are edited, branched off and deleted.
func TestDigestsNeedNoTexts(t *testing.T) {
	t.Parallel()
	logs := map[string][]events.Event{"whole": decoded(t, sessiongen.GenerateSession(3, 400))}
	for seed := range uint64(3) {
		logs["scrambled "+itoa(int(seed))] = sessiongen.Scrambled(seed, scrambledLength)
	}
	for name, log := range logs {
		whole, forgetful := projections.NewSet(), projections.NewDigestSet()
		for i := range log {
			whole.Apply(&log[i])
			forgetful.Apply(&log[i])
			if i%97 == 0 {
				require.Equal(t, whole.Digest(), forgetful.Digest(), "%s, event %d", name, i)
			}
		}
		require.Equal(t, whole.Digest(), forgetful.Digest(), name)
		if name == "whole" {
			require.NotEmpty(t, whole.Discussion().Entries)
		}
		for _, n := range forgetful.Discussion().Entries {
			require.Empty(t, n.Content, name)
		}
	}
}

func TestDigestTellsTextsApart(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, start := range map[string]func() *projections.Set{"whole": projections.NewSet,
		"digests": projections.NewDigestSet} {
		for _, goal := range []string{"Mend the parser", "Mend the printer"} {
			for _, edited := range []string{"parser", "writer"} {
				s := tell(t)
				s.set = start()
				s.by("ada", events.GoalSubmitted{Goal: goal})
				s.by("ada", events.GoalSubmitted{Goal: "Test it"})
				s.by("ada", events.DiscussionChanged{Operation: events.EntryEdit, Entry: s.last.ID, Content: &edited})
				require.Empty(t, s.set.DiscussionRefusal(s.last.ID))
				seen[name+goal+edited] = s.set.Digest()["session"]
			}
		}
	}
	for _, what := range []string{"Mend the parserparser", "Mend the parserwriter", "Mend the printerparser",
		"Mend the printerwriter"} {
		require.Equal(t, seen["whole"+what], seen["digests"+what])
	}
	require.Len(t, slices.Compact(slices.Sorted(maps.Values(seen))), 4)
}

func TestFoldingThroughASnapshotEqualsFoldingWhole(t *testing.T) {
	t.Parallel()
	log := decoded(t, sessiongen.GenerateSession(5, 300))
	want := foldAll(log)
	for _, cut := range []int{0, 1, 17, 60, 123, 222, 299, 300} {
		half := foldAll(log[:cut])
		snap, err := half.Snapshot()
		require.NoError(t, err)
		raw, err := json.Marshal(snap)
		require.NoError(t, err)
		var stored projections.Snapshot
		require.NoError(t, json.Unmarshal(raw, &stored))
		again := projections.NewSet()
		require.NoError(t, again.Restore(stored))
		require.Equal(t, half.Digest(), again.Digest(), "restored at %d", cut)
		require.Equal(t, half.Seq(), again.Seq())
		require.Equal(t, half.LastID(), again.LastID())
		for i := range log[cut:] {
			again.Apply(&log[cut+i])
		}
		require.Equal(t, want.Digest(), again.Digest(), "cut at %d", cut)
		for _, name := range want.Names() {
			a, err := want.View(name)
			require.NoError(t, err)
			b, err := again.View(name)
			require.NoError(t, err)
			require.JSONEq(t, string(a), string(b), name)
		}
	}
}

func TestSnapshotsOfOtherVersionsAreDiscarded(t *testing.T) {
	t.Parallel()
	set := foldAll(decoded(t, sessiongen.GenerateSession(5, 60)))
	change := map[string]func(*projections.Snapshot){
		"bumped version":  func(s *projections.Snapshot) { s.Models[0].Version++ },
		"renamed model":   func(s *projections.Snapshot) { s.Models[0].Name = "other" },
		"missing model":   func(s *projections.Snapshot) { s.Models = s.Models[1:] },
		"damaged state":   func(s *projections.Snapshot) { s.Models[3].State = json.RawMessage(`{"entries":7,`) },
		"another's state": func(s *projections.Snapshot) { s.Models[0].State = json.RawMessage(`[]`) },
	}
	for name, f := range change {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			snap, err := set.Snapshot()
			require.NoError(t, err)
			f(&snap)
			fresh := projections.NewSet()
			require.ErrorIs(t, fresh.Restore(snap), projections.ErrStale)
			require.Equal(t, projections.NewSet().Digest(), fresh.Digest(), "a refused snapshot leaves no trace")
		})
	}
}

func TestEveryKnownTypeFoldsOnAnEmptySession(t *testing.T) {
	t.Parallel()
	set := projections.NewSet()
	for i, d := range events.Catalogue().Defs() {
		e := events.Event{ID: d.Type.Name, Type: d.Type.Name, V: d.Type.Version, Time: at(uint64(i)), Seq: uint64(i + 1),
			Session: "S1", Payload: d.Sample}
		set.Apply(&e)
		require.LessOrEqual(t, len(projections.Summarize(d.Sample)), projections.MaxSummary, d.Type.Name)
	}
	require.NotEmpty(t, set.Sum())
	for _, name := range set.Names() {
		raw, err := set.View(name)
		require.NoError(t, err)
		require.True(t, json.Valid(raw))
	}
}

func TestUnknownAndMalformedEventsChangeNothing(t *testing.T) {
	t.Parallel()
	log := decoded(t, sessiongen.GenerateSession(6, 100))
	want := foldAll(log[:50]).Digest()
	for _, p := range []events.Payload{
		nil,
		events.Unknown{Name: "TicketReady", Version: 9, Raw: json.RawMessage(`{}`)},
		events.Malformed{Name: "TicketReady", Version: 1, Raw: json.RawMessage(`7`), Reason: "no object"},
	} {
		set := foldAll(log[:50])
		e := log[50]
		e.Payload = p
		set.Apply(&e)
		require.Equal(t, want, set.Digest())
		require.Equal(t, e.Seq, set.Seq(), "it was read all the same")
		for _, start := range projections.Catalogue() {
			m := start()
			before, err := m.JSON()
			require.NoError(t, err)
			m.Apply(&e)
			after, err := m.JSON()
			require.NoError(t, err)
			require.Equal(t, before, after, m.Name())
		}
	}
}

func TestARepeatedSequenceChangesNothing(t *testing.T) {
	t.Parallel()
	log := decoded(t, sessiongen.GenerateSession(6, 100))
	set := foldAll(log)
	want := set.Digest()
	for i := range log {
		set.Apply(&log[i])
	}
	require.Equal(t, want, set.Digest())
}

func TestFoldsChangeNoPayload(t *testing.T) {
	t.Parallel()
	log := decoded(t, sessiongen.GenerateSession(9, 200))
	before, err := json.Marshal(log)
	require.NoError(t, err)
	set := foldAll(log)
	set.Sum()
	after, err := json.Marshal(log)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Equal(t, decoded(t, sessiongen.GenerateSession(9, 200)), log, "payloads are shared by all readers")
}

func TestASessionOfTwentyThousandEventsFoldsWithoutCopying(t *testing.T) {
	perEvent := func(length int) float64 {
		log := decoded(t, sessiongen.GenerateSession(2, length))
		return testing.AllocsPerRun(1, func() { foldAll(log) }) / float64(length)
	}
	short, long := perEvent(1_000), perEvent(20_000)
	require.Less(t, long, 3*short, "a fold that copies what it has costs twenty times as much an event")
}

func TestViewsOfUnknownModelsAreRefused(t *testing.T) {
	t.Parallel()
	_, err := projections.NewSet().View("nothing")
	require.ErrorIs(t, err, projections.ErrNoModel)
}
