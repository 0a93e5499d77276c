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

func says(text string) events.DiscussionChanged {
	return events.DiscussionChanged{Operation: events.EntryAdd, Role: new(projections.RoleUser), Content: new(text)}
}

func TestATakeBranchesOffAtAnEntryAndGoesItsOwnWay(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	first := s.by("ada", says("one"))
	s.by("ada", says("two"))
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "main", Entry: first})
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "main"})
	names, active := s.names()
	require.Equal(t, []string{"main", "main_take_1", "main_take_2"}, names)
	require.Equal(t, "main", active)
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionSwitch, Discussion: "main_take_1"})
	s.by("ada", events.GoalSubmitted{Goal: "in the take"})
	changed := "one, changed"
	s.by("ada", events.DiscussionChanged{Operation: events.EntryEdit, Entry: first, Content: &changed})
	require.Equal(t, []string{"one, changed", "in the take"}, contents(s, "main_take_1"))
	require.Equal(t, []string{"one", "two"}, contents(s, "main"), "what a take changes stays in it")
	require.Equal(t, []string{"one", "two"}, contents(s, "main_take_2"))
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "main_take_1"})
	names, _ = s.names()
	require.Contains(t, names, "main_take_3", "a take of a take is one of the same base")
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionRename, Discussion: "main_take_1", To: "second"})
	_, active = s.names()
	require.Equal(t, "second", active)
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionDelete, Discussion: "second"})
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
		{events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "other"}, "no such discussion"},
		{events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "main", Entry: "gone"}, "no such entry"},
		{events.DiscussionChanged{Operation: events.DiscussionSwitch, Discussion: "other"}, "no such discussion"},
		{events.DiscussionChanged{Operation: events.DiscussionRename, Discussion: "other", To: "x"}, "no such discussion"},
		{events.DiscussionChanged{Operation: events.DiscussionRename, Discussion: "main", To: "main"}, "already"},
		{events.DiscussionChanged{Operation: events.DiscussionRename, Discussion: "main", To: " x"}, "space"},
		{events.DiscussionChanged{Operation: events.DiscussionRename, Discussion: "main", To: "a\nb"}, "printable"},
		{events.DiscussionChanged{Operation: events.DiscussionRename, Discussion: "main", To: strings.Repeat("x",
			projections.MaxDiscussionName+1)}, "bytes"},
		{events.DiscussionChanged{Operation: events.DiscussionCreate, Discussion: "main"}, "already"},
		{events.DiscussionChanged{Operation: events.DiscussionCreate, Discussion: ""}, "bytes"},
		{events.DiscussionChanged{Operation: events.DiscussionDelete, Discussion: "main"}, "only"},
		{events.DiscussionChanged{Operation: events.EntryAdd, Role: new("Nobody"), Content: new("x")}, "no such role"},
		{events.DiscussionChanged{Operation: events.EntryAdd, Discussion: "other", Role: new("User"), Content: new("x")},
			"no such discussion"},
		{events.DiscussionChanged{Operation: events.EntryEdit, Entry: "gone", Content: &content}, "no such entry"},
		{events.DiscussionChanged{Operation: events.EntryDelete, Entry: "gone"}, "no such entry"},
		{events.DiscussionChanged{Operation: events.DiscussionRoles}, "roles"},
		{events.DiscussionChanged{Operation: events.DiscussionRoles, Roles: []string{"User", "USER"}}, "case"},
		{events.DiscussionChanged{Operation: events.DiscussionRoles, Roles: []string{"a:"}}, "colons"},
		{events.DiscussionChanged{Operation: events.DiscussionRoles, Roles: make([]string, projections.MaxRoles+1)}, "roles"},
		{events.DiscussionChanged{Operation: events.DiscussionReplace, Entries: json.RawMessage(`{}`)}, "must be a list"},
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
	id := s.by("ada", events.DiscussionChanged{Operation: events.DiscussionReplace,
		Entries: json.RawMessage(`[{"role":"User","content":"x","mine":[1,2]},"plain"]`)})
	content, collapsed := "y", true
	s.by("ada", events.DiscussionChanged{Operation: events.EntryEdit, Entry: id + "-0", Content: &content,
		Collapsed: &collapsed})
	refused := s.by("ada", events.DiscussionChanged{Operation: events.EntryEdit, Entry: id + "-1", Content: &content})
	require.Contains(t, s.set.DiscussionRefusal(refused), "not an object")
	view, err := s.set.View("session")
	require.NoError(t, err)
	require.JSONEq(t, `{"entries":[{"role":"User","content":"y","mine":[1,2],"collapsed":true},"plain"]}`, string(view))
	s.by("ada", events.DiscussionChanged{Operation: events.EntryDelete, Entry: id + "-1"})
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
	require.Contains(t, s.set.DiscussionRefusal(first), "too many other",
		"the fifth upload made the first one give way")
	s.by("ada", part("many4", 1, 2, "]"))
	require.Empty(t, s.set.Discussion().Entries)
}

func TestResultsOfOneReplyStandInTheOrderOfTheirCalls(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-001")
	settle := func(request string, order ...int) {
		for i := range order {
			s.approved(events.CallID(request, i), "read_file", "T-001")
		}
		for _, i := range order {
			s.by("worker-1", outcome(events.CallID(request, i), "read_file", request+" "+itoa(i)))
		}
	}
	one := s.asks("T-001", 3)
	s.replies(one, "I read three.", "read_file", "read_file", "read_file")
	settle(one, 2, 0, 1)
	two := s.asks("T-001", 3)
	s.replies(two, "I read two.", "read_file", "read_file")
	settle(two, 1, 0)
	var got []string
	for _, n := range s.set.Discussion().Entries {
		if n.Role == projections.RoleTool {
			got = append(got, n.Content)
		}
	}
	require.Equal(t, []string{one + " 0", one + " 1", one + " 2", two + " 0", two + " 1"}, got)
}

func TestDiscussionsAreBounded(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	for i := range projections.MaxDiscussions - 1 {
		id := s.by("ada", events.DiscussionChanged{Operation: events.DiscussionCreate, Discussion: fmt.Sprint("d", i)})
		require.Empty(t, s.set.DiscussionRefusal(id))
	}
	require.Contains(t, s.set.DiscussionRefusal(s.by("ada", events.DiscussionChanged{Operation: events.DiscussionCreate,
		Discussion: "more"})), "256")
	require.Contains(t, s.set.DiscussionRefusal(s.by("ada", events.DiscussionChanged{Operation: events.DiscussionFork,
		Discussion: "main"})), "256")
	full := opened(t, events.Settings{})
	many := "[" + strings.Repeat("1,", projections.MaxEntries)
	require.Contains(t, full.set.DiscussionRefusal(full.by("ada",
		events.DiscussionChanged{Operation: events.DiscussionReplace, Entries: json.RawMessage(many + "1]")})), "100000")
	full.by("ada", events.DiscussionChanged{Operation: events.DiscussionReplace,
		Entries: json.RawMessage(many[:len(many)-1] + "]")})
	require.Len(t, full.set.Discussion().Entries, projections.MaxEntries)
	require.Contains(t, full.set.DiscussionRefusal(full.by("ada",
		events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "main"})),
		"100000 entries")
}

func TestAViewOfAFileBecomesAnEntryOfTheDiscussionItWasWantedIn(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionCreate, Discussion: "side"})
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
