package projections_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

func (s *story) names() (names []string, active string) {
	for _, d := range s.set.Discussions() {
		names = append(names, d.Name)
	}
	return names, s.set.ActiveDiscussion()
}

func contents(s *story, name string) []string {
	s.t.Helper()
	entries, ok := s.set.DiscussionEntries(name)
	require.True(s.t, ok, name)
	out := []string{}
	for _, n := range entries {
		raw, err := json.Marshal(n.Entry)
		require.NoError(s.t, err)
		var said struct{ Content string }
		require.NoError(s.t, json.Unmarshal(raw, &said))
		out = append(out, said.Content)
	}
	return out
}

func says(text string) events.DiscussionEntryAdded {
	return events.DiscussionEntryAdded{Role: projections.RoleUser, Content: text}
}

func TestATakeBranchesOffAtAnEntryAndGoesItsOwnWay(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	first := s.by("ada", says("one"))
	s.by("ada", says("two"))
	s.by("ada", events.DiscussionForked{From: "main", Through: first})
	s.by("ada", events.DiscussionForked{From: "main"})
	names, active := s.names()
	require.Equal(t, []string{"main", "main_take_1", "main_take_2"}, names)
	require.Equal(t, "main", active)
	s.by("ada", events.DiscussionSwitched{Name: "main_take_1"})
	s.by("ada", events.GoalSubmitted{Goal: "in the take"})
	changed := "one, changed"
	s.by("ada", events.DiscussionEntryEdited{Entry: first, Content: &changed})
	require.Equal(t, []string{"one, changed", "in the take"}, contents(s, "main_take_1"))
	require.Equal(t, []string{"one", "two"}, contents(s, "main"), "what a take changes stays in it")
	require.Equal(t, []string{"one", "two"}, contents(s, "main_take_2"))
	s.by("ada", events.DiscussionForked{From: "main_take_1"})
	names, _ = s.names()
	require.Contains(t, names, "main_take_3", "a take of a take is one of the same base")
	s.by("ada", events.DiscussionRenamed{From: "main_take_1", To: "second"})
	_, active = s.names()
	require.Equal(t, "second", active)
	s.by("ada", events.DiscussionDeleted{Name: "second"})
	_, active = s.names()
	require.Equal(t, "main", active, "what it was branched off takes its place")
}

func TestWhatCannotBeDoneToADiscussionChangesNothingAndSaysWhy(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", says("one"))
	before := s.set.Digest()
	content := "x"
	for _, c := range []struct {
		word events.Payload
		want string
	}{
		{events.DiscussionForked{From: "other"}, "no such discussion"},
		{events.DiscussionForked{From: "main", Through: "gone"}, "no such entry"},
		{events.DiscussionSwitched{Name: "other"}, "no such discussion"},
		{events.DiscussionRenamed{From: "other", To: "x"}, "no such discussion"},
		{events.DiscussionRenamed{From: "main", To: "main"}, "already"},
		{events.DiscussionRenamed{From: "main", To: " x"}, "space"},
		{events.DiscussionRenamed{From: "main", To: "a\nb"}, "printable"},
		{events.DiscussionRenamed{From: "main", To: strings.Repeat("x", projections.MaxDiscussionName+1)}, "bytes"},
		{events.DiscussionCreated{Name: "main"}, "already"},
		{events.DiscussionCreated{Name: ""}, "bytes"},
		{events.DiscussionDeleted{Name: "main"}, "only"},
		{events.DiscussionEntryAdded{Role: "Nobody", Content: "x"}, "no such role"},
		{events.DiscussionEntryAdded{Discussion: "other", Role: "User", Content: "x"}, "no such discussion"},
		{events.DiscussionEntryEdited{Entry: "gone", Content: &content}, "no such entry"},
		{events.DiscussionEntryDeleted{Entry: "gone"}, "no such entry"},
		{events.DiscussionRolesSet{}, "roles"},
		{events.DiscussionRolesSet{Roles: []string{"User", "USER"}}, "case"},
		{events.DiscussionRolesSet{Roles: []string{"a:"}}, "colons"},
		{events.DiscussionRolesSet{Roles: make([]string, projections.MaxRoles+1)}, "roles"},
		{events.SessionEdited{Entries: json.RawMessage(`{}`)}, "no list"},
	} {
		id := s.by("ada", c.word)
		require.Contains(t, s.set.DiscussionRefusal(id), c.want, "%T", c.word)
	}
	require.Equal(t, []string{"one"}, contents(s, ""))
	require.Len(t, s.set.Discussions(), 1)
	require.Equal(t, before["project"], s.set.Digest()["project"])
}

func TestEntriesOfAClientAreEditedInTheirOwnWords(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	id := s.by("ada", events.SessionEdited{
		Entries: json.RawMessage(`[{"role":"User","content":"x","mine":[1,2]},"plain"]`)})
	content, collapsed := "y", true
	s.by("ada", events.DiscussionEntryEdited{Entry: id + "-0", Content: &content, Collapsed: &collapsed})
	refused := s.by("ada", events.DiscussionEntryEdited{Entry: id + "-1", Content: &content})
	require.Contains(t, s.set.DiscussionRefusal(refused), "no object")
	view, err := s.set.View("session")
	require.NoError(t, err)
	require.JSONEq(t, `{"entries":[{"role":"User","content":"y","mine":[1,2],"collapsed":true},"plain"]}`, string(view))
	s.by("ada", events.DiscussionEntryDeleted{Entry: id + "-1"})
	require.Len(t, s.set.Discussion().Entries, 1)
}

func part(upload string, i, n int, text string) events.SessionPartUploaded {
	return events.SessionPartUploaded{Upload: upload, Kind: events.UploadEntries, Index: i, Count: n, Text: text}
}

func TestAnUploadCountsWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", says("kept"))
	s.by("ada", part("u", 0, 2, `[{"content":"a`))
	require.Equal(t, []string{"kept"}, contents(s, ""), "a part alone changes nothing")
	s.by("bob", part("u", 1, 2, `"}]`))
	require.Equal(t, []string{"kept"}, contents(s, ""), "another person's part is none of it")
	s.by("ada", part("u", 1, 2, `b"}]`))
	require.Equal(t, []string{"ab"}, contents(s, ""))
	for name, parts := range map[string][]events.SessionPartUploaded{
		"without its beginning": {part("v", 1, 2, "]")},
		"out of order":          {part("w", 0, 3, "["), part("w", 2, 3, "]")},
		"of two counts":         {part("x", 0, 2, "["), part("x", 1, 3, "]")},
		"of too many parts":     {part("y", 0, projections.MaxUploadParts+1, "[")},
		"of none":               {part("z", 0, 0, "[]")},
		"no JSON":               {part("q", 0, 1, "[")},
	} {
		var last string
		for _, p := range parts {
			last = s.by("ada", p)
		}
		require.NotEmpty(t, s.set.DiscussionRefusal(last), name)
		require.Equal(t, []string{"ab"}, contents(s, ""), name)
	}
	for i := range 5 {
		s.by("ada", part(fmt.Sprint("many", i), 0, 2, "["))
	}
	first := s.by("ada", part("many0", 1, 2, "]"))
	require.Contains(t, s.set.DiscussionRefusal(first), "too many others", "the fifth upload made the first one give way")
	s.by("ada", part("many4", 1, 2, "]"))
	require.Empty(t, s.set.Discussion().Entries)
}

func TestDiscussionsAreBounded(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	for i := range projections.MaxDiscussions - 1 {
		id := s.by("ada", events.DiscussionCreated{Name: fmt.Sprint("d", i)})
		require.Empty(t, s.set.DiscussionRefusal(id))
	}
	require.Contains(t, s.set.DiscussionRefusal(s.by("ada", events.DiscussionCreated{Name: "more"})), "256")
	require.Contains(t, s.set.DiscussionRefusal(s.by("ada", events.DiscussionForked{From: "main"})), "256")
	full := opened(t, events.Settings{})
	many := "[" + strings.Repeat("1,", projections.MaxEntries)
	require.Contains(t, full.set.DiscussionRefusal(full.by("ada",
		events.SessionEdited{Entries: json.RawMessage(many + "1]")})), "100000")
	full.by("ada", events.SessionEdited{Entries: json.RawMessage(many[:len(many)-1] + "]")})
	require.Len(t, full.set.Discussion().Entries, projections.MaxEntries)
	require.Contains(t, full.set.DiscussionRefusal(full.by("ada", events.DiscussionForked{From: "main"})),
		"100000 entries")
}

func TestAViewOfAFileBecomesAnEntryOfTheDiscussionItWasWantedIn(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", events.DiscussionCreated{Name: "side"})
	wanted := s.by("ada", events.ContextInjectionRequested{Discussion: "side", Path: "a.go", View: events.ViewRaw})
	large := s.by("ada", events.ContextInjectionRequested{Path: "b.go", View: events.ViewSkeleton})
	failed := s.by("ada", events.ContextInjectionRequested{Path: "c.go", View: events.ViewRaw})
	view := events.View{Path: "a.go", View: events.ViewRaw, Text: "package a", SHA256: "x", Size: 9}
	s.by("worker-1", events.ContextBuilt{Request: wanted, Views: []events.View{view}})
	s.by("worker-2", events.ContextBuilt{Request: wanted, Views: []events.View{view}})
	s.by("worker-1", events.ContextBuilt{Request: "somebody's", Views: []events.View{view}})
	s.by("worker-1", events.ContextBuilt{Request: large, Views: []events.View{{Path: "b.go", View: events.ViewSkeleton,
		SHA256: "ff", Size: 99, Blob: true}}})
	s.by("worker-1", events.ContextBuilt{Request: failed, Views: []events.View{{Path: "c.go", View: events.ViewRaw,
		Error: "no such file"}}})
	require.Equal(t, []string{"package a"}, contents(s, "side"), "the first view counts, once")
	entries := s.set.Discussion().Entries
	require.Len(t, entries, 1)
	require.Equal(t, projections.RoleContext, entries[0].Role)
	require.Equal(t, "ff", entries[0].Blob.SHA256)
	require.Equal(t, "no such file", s.set.DiscussionRefusal(failed))
	for range projections.MaxInjections {
		s.by("ada", events.ContextInjectionRequested{Path: "d.go", View: events.ViewRaw})
	}
	require.NotEmpty(t, s.set.DiscussionRefusal(s.by("ada", events.ContextInjectionRequested{Path: "d.go",
		View: events.ViewRaw})))
}
