// Package talktest holds one discussion of ten turns for tests that compare what models are sent: with edits,
// images, injected and tracked files, tools and a take.
package talktest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/replay"
)

// Person speaks in the discussions of one session.
type Person struct {
	T testing.TB
	// Say records what the person does and returns the event's id.
	Say func(p events.Payload) (id string)
	// History returns the session as it stands.
	History func() []events.Event
	// Until waits for an event of the session and returns all events up to it.
	Until func(want func(e *events.Event) bool) []events.Event
}

// Entries returns the entries of a discussion as it stands.
func (p Person) Entries(discussion string) []projections.DiscussionEntry {
	p.T.Helper()
	out, found := replay.Rebuild(p.History()).DiscussionEntries(discussion)
	require.True(p.T, found, discussion)
	return out
}

// contents returns the texts of a discussion without tool results and without notices of the engine.
func (p Person) contents(discussion string) (out []string) {
	p.T.Helper()
	for _, n := range p.Entries(discussion) {
		if n.Entry.Role != projections.RoleTool && (n.Entry.Role != projections.RoleSystem || n.Entry.Ticket == "") {
			out = append(out, n.Entry.Content)
		}
	}
	return out
}

// Send sends a text in a discussion as it stands and returns the turn.
func (p Person) Send(discussion, text string) (turn string) {
	p.T.Helper()
	said := events.TurnRequested{Discussion: discussion, Text: text}
	said.Entries, _ = replay.Rebuild(p.History()).TurnEntries(discussion)
	return events.TurnTicket(p.Say(said))
}

// EndOf waits for the end of a turn.
func (p Person) EndOf(turn string) events.TurnEnded {
	p.T.Helper()
	log := p.Until(func(e *events.Event) bool {
		ended, ends := e.Payload.(events.TurnEnded)
		return ends && ended.Turn == turn
	})
	return log[len(log)-1].Payload.(events.TurnEnded)
}

// Hold holds the discussion. The session tracks main.py, and the project has [Files]. Hold calls take
// for each turn, by its number from 1; take sends the text and waits for the end of the turn.
func (p Person) Hold(take func(number int, discussion, text string) events.TurnEnded) {
	p.T.Helper()
	done := func(number int, discussion, text string) events.TurnEnded {
		p.T.Helper()
		ended := take(number, discussion, text)
		require.Equal(p.T, events.TurnDone, ended.Outcome, ended.Reason)
		return ended
	}
	edit := func(entry projections.DiscussionEntry, content string) {
		p.Say(events.DiscussionChanged{Operation: events.EntryEdit, Discussion: "main", Entry: entry.ID, Content: &content})
	}
	inject := func(c events.ContextInjectionRequested) {
		p.T.Helper()
		c.Discussion = "main"
		id := p.Say(c)
		p.Until(func(e *events.Event) bool {
			built, is := e.Payload.(events.ContextBuilt)
			return is && built.Request == id
		})
	}

	done(1, "main", "What does main.py do?")
	said := p.Entries("main")
	require.Equal(p.T, "It greets.", said[len(said)-1].Entry.Content)
	edit(said[len(said)-1], "It greets badly.")
	role, brief := "System", "Be brief."
	p.Say(events.DiscussionChanged{Operation: events.EntryAdd, Discussion: "main", Role: &role, Content: &brief})
	inject(events.ContextInjectionRequested{Path: "notes.txt", View: events.ViewRaw})
	require.Len(p.T, done(2, "main", "Mend the greeting.").Changes, 1)

	inject(events.ContextInjectionRequested{Path: "shots/a.png", View: events.ViewImage})
	inject(events.ContextInjectionRequested{Path: "shots/b.jpg", View: events.ViewImage})
	done(3, "main", "What is on the picture?")
	seen := p.Entries("main")
	answer := seen[len(seen)-1]
	done(4, "main", "Read the library.")

	p.Say(events.FilesTracked{Patterns: []string{"main.py", "lib.py"}, Paths: []string{"lib.py", "main.py"},
		Shown: []events.TrackedFile{{Path: "lib.py", ViewMode: events.ViewSkeleton},
			{Path: "shots/screen.webp", ViewMode: events.ViewImage}}})
	done(5, "main", "And on the screen?")
	edit(said[0], "What is main.py for?")
	done(6, "main", "Why?")

	p.Say(events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "main", Entry: answer.ID})
	done(7, "main_take_1", "Another way?")
	picture := slices.IndexFunc(p.Entries("main_take_1"), func(n projections.DiscussionEntry) bool {
		return n.Entry.Path == "shots/a.png"
	})
	p.Say(events.DiscussionChanged{Operation: events.EntryDelete, Discussion: "main_take_1",
		Entry: p.Entries("main_take_1")[picture].ID})
	done(8, "main_take_1", "Without the picture?")

	inject(events.ContextInjectionRequested{Path: "main.py", View: events.ViewSlice,
		Slice: &events.FileSlice{StartLine: 1, EndLine: 1, Head: []string{"def greet(name):"},
			Tail: []string{"def greet(name):"}}})
	require.Len(p.T, done(9, "main", "Go on.").Changes, 1)
	done(10, "main", "Thanks.")
}

// Replies is the number of replies that the discussion takes.
const Replies = 13

// RequireEnd checks how the discussion and the files in the project's folder ended, and that the record
// verifies.
func (p Person) RequireEnd(project string) {
	p.T.Helper()
	require.Equal(p.T, []string{"What is main.py for?", "It greets badly.", "Be brief.", "Greet everybody.\n",
		"Mend the greeting.", "I mend it.", "Done with 1.", "", "What is on the picture?", "A red square.", "Another way?",
		"Use a table.", "Without the picture?", "Still a table."}, p.contents("main_take_1"))
	require.Equal(p.T, []string{"What is main.py for?", "It greets badly.", "Be brief.", "Greet everybody.\n",
		"Mend the greeting.", "I mend it.", "Done with 1.", "", "", "What is on the picture?", "A red square.",
		"Read the library.", "I read.", "Done with 1.", "And on the screen?", "A blue square.", "Why?", "Because.",
		"slice: lines 1-1\ndef greet(name):", "Go on.", "I go on.", "Done with 2.", "Thanks.", "Goodbye."},
		p.contents("main"))
	for name, holds := range map[string]string{"main.py": "hello", "lib.py": "return 2"} {
		now, err := os.ReadFile(filepath.Join(project, name))
		require.NoError(p.T, err)
		require.Contains(p.T, string(now), holds)
	}
	_, err := replay.Verify(p.History(), replay.Deciders()...)
	require.NoError(p.T, err)
}
