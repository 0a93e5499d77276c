package projections_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/undo"
)

// curated returns everything that can be undone, as JSON. The times of discussions differ after an undo.
func curated(s *story) string {
	s.t.Helper()
	h := s.set.History()
	// order-independent: each name has its own key
	for name, d := range h.Discussions {
		d.LastUpdated = ""
		h.Discussions[name] = d
	}
	raw, err := json.Marshal([]any{h, s.set.ContextPresets(), s.set.Project().Document, s.set.Tracking().Selected,
		s.set.Settings().ProjectPrompt})
	require.NoError(s.t, err)
	return string(raw)
}

// moves undoes or redoes the next step and returns what it was.
func (s *story) moves(redo bool) string {
	s.t.Helper()
	p, step, ok := s.set.Restoring(redo)
	require.True(s.t, ok, "a step")
	id := s.by("ada", p)
	require.Empty(s.t, s.set.DiscussionRefusal(id)+s.set.ProjectRefusal(id))
	require.Equal(s.t, s.last.Seq, s.set.Curation().Position)
	return step.What
}

func edits(changes string) events.ProjectEdited {
	return events.ProjectEdited{Changes: json.RawMessage(changes)}
}

func TestEveryChangeOfAPersonIsUndoneAndRedone(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	first := s.by("ada", says("one"))
	s.by("ada", says("two"))
	preset := events.ContextPresetChanged{Operation: events.PresetSave, Name: "p",
		Files: []events.TrackedFile{{Path: "a.go"}}, Screenshots: []string{"a.png"}}
	slice := preset
	slice.Operation, slice.Files = events.PresetSlice, []events.TrackedFile{{Path: "a.go",
		CustomSlices: []events.FileSlice{{Name: "x", StartLine: 1, EndLine: 2}}}}
	history := `{"roles":["User","AI"],"active":"main","discussions":{"main":{"history":["User:\nnew"]},"other":{"history":[]}}}`
	changed := func(op string, p events.DiscussionChanged) events.DiscussionChanged {
		p.Operation = op
		return p
	}
	steps := []struct {
		what string
		does []events.Payload
	}{
		{"edited entry 1 of main", []events.Payload{changed(events.EntryEdit, events.DiscussionChanged{Entry: first,
			Content: new("uno"), Role: new("AI"), Collapsed: new(true)})}},
		{"deleted entry 1 of main", []events.Payload{changed(events.EntryDelete, events.DiscussionChanged{Entry: first})}},
		{"added entry 2 to main", []events.Payload{says("three")}},
		{"added a.go (skeleton) to main", []events.Payload{events.ContextInjectionRequested{Path: "a.go",
			View: events.ViewSkeleton}, events.ContextBuilt{Request: "E6", Views: []events.View{{Path: "a.go",
			View: events.ViewSkeleton, Text: "func a()"}}}}},
		{"created empty", []events.Payload{changed(events.DiscussionCreate, events.DiscussionChanged{Discussion: "empty"})}},
		{"branched main_take_1 off main", []events.Payload{changed(events.DiscussionFork,
			events.DiscussionChanged{Discussion: "main"})}},
		{"switched to main_take_1", []events.Payload{changed(events.DiscussionSwitch,
			events.DiscussionChanged{Discussion: "main_take_1"})}},
		{"added entry 4 to main_take_1", []events.Payload{says("in the take")}},
		{"renamed main_take_1 to second", []events.Payload{changed(events.DiscussionRename,
			events.DiscussionChanged{Discussion: "main_take_1", To: "second"})}},
		{"deleted second", []events.Payload{changed(events.DiscussionDelete,
			events.DiscussionChanged{Discussion: "second"})}},
		{"replaced the entries of main", []events.Payload{changed(events.DiscussionReplace,
			events.DiscussionChanged{Entries: json.RawMessage(`[{"role":"User","content":"fresh"}]`)})}},
		{"set the roles", []events.Payload{changed(events.DiscussionRoles,
			events.DiscussionChanged{Roles: []string{"User", "Critic"}})}},
		{"imported discussions", []events.Payload{
			events.SessionPartUploaded{Upload: "u", Kind: events.UploadHistory, Count: 2, Text: history[:9]},
			events.SessionPartUploaded{Upload: "u", Kind: events.UploadHistory, Index: 1, Count: 2, Text: history[9:]}}},
		{"saved preset p", []events.Payload{preset}},
		{"added slices to preset p", []events.Payload{slice}},
		{"changed files, output, project, and 1 more", []events.Payload{edits(
			`{"project":{"name":"n","system_prompt":"Be brief."},"files":{"paths":["a.go"]},"output":{},"x":{"y":[1]}}`)}},
		{"changed files.paths", []events.Payload{events.ContextPresetChanged{Operation: events.PresetLoad, Name: "p"},
			edits(`{"files":{"paths":[{"path":"a.go"}]}}`)}},
		{"changed project.system_prompt, x", []events.Payload{edits(`{"project":{"system_prompt":null},"x":7}`)}},
		{"deleted preset p", []events.Payload{events.ContextPresetChanged{Operation: events.PresetDelete, Name: "p"}}},
	}
	states := []string{curated(s)}
	for _, step := range steps {
		for _, p := range step.does {
			actor := "ada"
			if built, is := p.(events.ContextBuilt); is {
				built.Request, actor = s.last.ID, "worker-1"
				p = built
			}
			s.by(actor, p)
		}
		now := s.set.Curation()
		require.Equal(t, step.what, now.Undo[0].What)
		require.Equal(t, "ada", now.Undo[0].By)
		require.NotEqual(t, states[len(states)-1], curated(s), step.what)
		states = append(states, curated(s))
	}
	for range 2 {
		for i := len(steps) - 1; i >= 0; i-- {
			require.Equal(t, steps[i].what, s.moves(false))
			require.Equal(t, states[i], curated(s), "before: %s", steps[i].what)
			s.again()
		}
		for i, step := range steps {
			require.Equal(t, step.what, s.moves(true))
			require.Equal(t, states[i+1], curated(s), "after: %s", step.what)
			s.again()
		}
	}
}

// again continues from a snapshot, which must lead to the same states and digests as the whole log.
func (s *story) again() {
	s.t.Helper()
	snap, err := s.set.Snapshot()
	require.NoError(s.t, err)
	sum, sealed := s.set.Sum(), projections.NewDigestSet()
	s.set = projections.NewSet()
	require.NoError(s.t, s.set.Restore(snap))
	for _, e := range decoded(s.t, s.log) {
		sealed.Apply(&e)
	}
	require.Equal(s.t, sum, s.set.Sum())
	require.Equal(s.t, sum, sealed.Sum())
}

func TestWhatAModelSaidStaysWhateverIsUndone(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", says("one"))
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "main"})
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionReplace, Entries: json.RawMessage(`["mine"]`)})
	answers := func(name, text string) {
		turn := events.TurnTicket(s.by("ada", events.TurnRequested{Discussion: name, Text: "say " + text}))
		s.replies(s.asks(turn, 3), text)
		s.by(events.ActorContributor, events.TurnEnded{Turn: turn, Discussion: name, Outcome: events.TurnDone})
	}
	answers("main", "A")
	answers("main_take_1", "B")
	require.Equal(t, "replaced the entries of main", s.moves(false))
	require.Equal(t, []string{"one", "say A", "A"}, contents(s, "main"))
	answers("main", "C")
	require.Equal(t, "branched main_take_1 off main", s.moves(false))
	require.Equal(t, []string{"one", "say B", "B"}, contents(s, "main_take_1"), "a take in which a model spoke stays")
	require.Equal(t, "added entry 1 to main", s.moves(false))
	require.Equal(t, []string{"say A", "A", "say C", "C"}, contents(s, "main"))
	s.moves(true)
	require.Equal(t, []string{"one", "say A", "A", "say C", "C"}, contents(s, "main"))
	s.moves(true)
	s.moves(true)
	require.Equal(t, []string{"mine", "say A", "A", "say C", "C"}, rawContents(s, "main"))
	require.Equal(t, []string{"one", "say B", "B"}, contents(s, "main_take_1"))
	s.again()
}

// rawContents is contents for entries of which some are plain texts.
func rawContents(s *story, name string) []string {
	s.t.Helper()
	var out []string
	sent, _ := s.set.TurnEntries(name)
	entries, _ := s.set.DiscussionEntries(name)
	for i, n := range sent {
		if n.Text == "" {
			n.Text = entries[i].Entry.Content
		}
		out = append(out, n.Text)
	}
	return out
}

func TestADiscussionCannotTakeItsNameBackFromOneThatStays(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionRename, Discussion: "main", To: "first"})
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionCreate, Discussion: "main"})
	turn := events.TurnTicket(s.by("ada", events.TurnRequested{Discussion: "main", Text: "hello"}))
	s.replies(s.asks(turn, 3), "hi")
	s.moves(false)
	require.Equal(t, []string{"hello", "hi"}, contents(s, "main"))
	p, _, _ := s.set.Restoring(false)
	require.Contains(t, s.set.DiscussionRefusal(s.by("ada", p)), "the name main is taken by a discussion that stays")
	names, active := s.names()
	require.Equal(t, []string{"first", "main"}, names)
	require.Equal(t, "first", active)
}

func TestTheNewest100ChangesCanBeUndone(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	for n := range undo.MaxSteps + 1 {
		if s.by("ada", says(itoa(n))); n%2 == 0 { // both read models have a part of them
			s.by("ada", edits(`{"project":{"name":"`+itoa(n)+`"}}`))
		}
	}
	require.Len(t, s.set.Curation().Undo, undo.MaxSteps)
	for range undo.MaxSteps {
		s.moves(false)
	}
	_, _, ok := s.set.Restoring(false)
	require.False(t, ok, "step 101")
	require.Len(t, s.set.Curation().Redo, undo.MaxSteps)
	s.again()
	for range undo.MaxSteps {
		s.moves(true)
	}
	_, _, ok = s.set.Restoring(true)
	require.False(t, ok)
	require.Equal(t, itoa(undo.MaxSteps), s.set.Project().Document["project"].(map[string]any)["name"])
}

func TestANewChangeOfAnyKindEndsRedo(t *testing.T) {
	t.Parallel()
	for _, next := range []events.Payload{says("two"), edits(`{"project":{"name":"b"}}`)} {
		s := opened(t, events.Settings{})
		s.by("ada", says("one"))
		s.by("ada", edits(`{"project":{"name":"a"}}`))
		s.moves(false)
		s.moves(false)
		require.Len(t, s.set.Curation().Redo, 2)
		s.by("ben", next)
		require.Empty(t, s.set.Curation().Redo)
		require.Equal(t, "ben", s.set.Curation().Undo[0].By)
		s.moves(false)
		require.Len(t, s.set.Curation().Redo, 1)
	}
}

func TestAChangeThatChangesNothingIsNoStep(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionSwitch, Discussion: "main"})
	s.by("ada", edits(`{}`))
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionSwitch, Discussion: "gone"})
	s.by("ada", events.GoalSubmitted{Goal: "g"})
	require.Equal(t, projections.Curation{Undo: []undo.Info{}, Redo: []undo.Info{}}, s.set.Curation())
}

func TestOfTwoUndosOfOneStepTheFirstCounts(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", says("one"))
	s.by("ada", events.ContextPresetChanged{Operation: events.PresetSave, Name: "a"})
	talk := events.CurationRestored{Step: "E2"}
	preset, _, _ := s.set.Restoring(false)
	s.by("ada", preset)
	require.Contains(t, s.set.ProjectRefusal(s.by("ben", preset)), "another change was made since")
	s.by("ada", talk)
	require.Contains(t, s.set.DiscussionRefusal(s.by("ben", talk)), "another change was made since")
	require.Empty(t, contents(s, "main"))
	require.Empty(t, s.set.DiscussionRefusal(s.by("ben", events.CurationRestored{Step: "unknown"})))
}

func TestChangesOfTheDocumentApplyToTheSettingsAndTheProjectAlike(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", edits(`{"project":{"system_prompt":"Be brief."}}`))
	p, _, _ := s.set.Restoring(false)
	s.by("ben", edits(`{"project":{"system_prompt":"Be long."}}`))
	s.by("ada", p) // without the condition of the gateway
	require.Empty(t, s.set.Settings().ProjectPrompt)
	require.Empty(t, s.set.Project().Document["project"].(map[string]any)["system_prompt"])
	require.Len(t, s.set.Curation().Undo, 3, "an edit like any other")
}

func TestStepsOverTheSizeLimitAreDropped(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	large := strings.Repeat("x", 1<<20-128)
	for range undo.MaxBytes >> 20 {
		s.by("ada", says(large))
	}
	small := s.by("ada", says("one"))
	entries, _ := s.set.DiscussionEntries("main")
	for _, n := range entries[:len(entries)-1] {
		s.by("ada", events.DiscussionChanged{Operation: events.EntryDelete, Entry: n.ID})
	}
	before := len(s.set.Curation().Undo)
	require.Less(t, before, 2*len(entries)-1, "steps with %d MiB leave no room for all others", undo.MaxBytes>>20)
	snap, err := s.set.Snapshot()
	require.NoError(t, err)
	for _, m := range snap.Models {
		require.Less(t, len(m.State), undo.MaxBytes+1<<20, m.Name)
	}
	s.by("ada", events.DiscussionChanged{Operation: events.EntryDelete, Entry: small})
	for range s.set.Curation().Undo {
		s.moves(false)
	}
	require.Len(t, contents(s, "main"), len(entries)-1, "the oldest deletion is beyond the limit")
}

func TestTheConversationOfATicketIsOpenedAsADiscussion(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1", "T-2")
	for n := range events.MaxOpened + 1 {
		s.replies(s.asks("T-1", 3), "reply "+itoa(n))
	}
	s.replies(s.asks("T-2", 3), "another")
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "main"}) // shares the entries
	s.by("ada", events.ConversationOpened{Ticket: "T-1", Discussion: s.set.FreeDiscussion("T-1")})
	said := contents(s, "T-1")
	require.Len(t, said, events.MaxOpened)
	require.Equal(t, []string{"reply 1", "reply " + itoa(events.MaxOpened)}, []string{said[0], said[len(said)-1]})
	require.Equal(t, "T-1_take_1", s.set.FreeDiscussion("T-1"))
	require.Contains(t, s.set.DiscussionRefusal(s.by("ada", events.ConversationOpened{Ticket: "T-9", Discussion: "x"})),
		"this ticket has no conversation yet")
	require.Contains(t, s.set.DiscussionRefusal(s.by("ada", events.ConversationOpened{Ticket: "T-1", Discussion: "T-1"})),
		"already exists")
	require.Equal(t, "opened T-1 as T-1", s.moves(false))
	names, _ := s.names()
	require.NotContains(t, names, "T-1")
}
