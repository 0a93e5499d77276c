package runtime_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/replay"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/llm/llmtest"
)

// history is the session as it stands.
func (w *world) history() []events.Event {
	w.t.Helper()
	var out []events.Event
	registry := events.Catalogue()
	for e, err := range w.person.Read(w.t.Context(), events.Filter{Project: project, Session: session}, 1, 0) {
		require.NoError(w.t, err)
		registry.Decode(&e)
		out = append(out, e)
	}
	return out
}

// entries are those of a discussion as it stands.
func (w *world) entries(name string) []projections.DiscussionEntry {
	w.t.Helper()
	out, found := replay.Rebuild(w.history()).DiscussionEntries(name)
	require.True(w.t, found, name)
	return out
}

// turn says something in a discussion as it stands and waits for the turn's end.
func (w *world) turn(discussion, text string) events.TurnEnded {
	w.t.Helper()
	return w.endOf(w.send(discussion, text))
}

// endOf waits for the end of a turn.
func (w *world) endOf(turn string) events.TurnEnded {
	w.t.Helper()
	log := w.until(func(e *events.Event) bool {
		p, ends := e.Payload.(events.TurnEnded)
		return ends && p.Turn == turn
	})
	return log[len(log)-1].Payload.(events.TurnEnded)
}

func (w *world) send(discussion, text string) (turn string) {
	w.t.Helper()
	p := events.TurnRequested{Discussion: discussion, Text: text}
	p.Entries, _ = replay.Rebuild(w.history()).TurnEntries(discussion)
	return events.TurnTicket(w.say(p))
}

// yesToAsks answers every question with yes, until the test ends.
func (w *world) yesToAsks() {
	ctx := w.t.Context()
	_, feed, err := w.person.Watch(ctx, events.Filter{Project: project, Session: session}, 1)
	require.NoError(w.t, err)
	go func() {
		registry := events.Catalogue()
		for e, err := range feed {
			if err != nil {
				return
			}
			registry.Decode(&e)
			if p, asks := e.Payload.(events.AskRaised); asks {
				w.say(events.AskAnswered{Ask: p.Ask, Decision: events.Yes})
			}
		}
	}()
}

// lastWords is what the newest message of the user says.
func lastWords(v llmtest.View) string { return v.Messages[len(v.Messages)-1].Text }

// talk is the model of the discussions, which works where it is asked to.
func talk(v llmtest.View) llmtest.Turn {
	newest := v.Messages[len(v.Messages)-1]
	if len(newest.Results) > 0 {
		return llmtest.Turn{Text: fmt.Sprintf("Done with %d.", len(newest.Results))}
	}
	call := func(name, args string) llmtest.Call { return llmtest.Call{Name: name, Args: args} }
	for asked, answer := range map[string]llmtest.Turn{
		"What does main.py do?": {Text: "It greets."},
		"Mend the greeting.": {Text: "I mend it.", Calls: []llmtest.Call{call("edit_file",
			`{"path":"main.py","old_string":"helo","new_string":"hello"}`)}},
		"What is on the picture?": {Text: "A red square."},
		"Read the library.":       {Text: "I read.", Calls: []llmtest.Call{call("read_file", `{"path":"lib.py"}`)}},
		"And on the screen?":      {Text: "A blue square."},
		"Why?":                    {Text: "Because."},
		"Another way?":            {Text: "Use a table."},
		"Without the picture?":    {Text: "Still a table."},
		"Go on.": {Text: "I go on.", Calls: []llmtest.Call{call("read_file", `{"path":"notes.txt"}`), call("edit_file",
			`{"path":"lib.py","old_string":"return 1","new_string":"return 2"}`)}},
		"Thanks.": {Text: "Goodbye."},
	} {
		if strings.HasSuffix(lastWords(v), asked) {
			return answer
		}
	}
	return llmtest.Turn{Text: "I do not understand."}
}

// Pictures of the discussions: the beginning is what tells what they are.
const (
	aPNG  = "\x89PNG\r\n\x1a\nred"
	aJPEG = "\xff\xd8\xffgreen"
	aWebP = "RIFF\x00\x00\x00\x00WEBPVP8 blue"
)

// talked is what a discussion of ten turns is about.
func talked() map[string]string {
	return map[string]string{"main.py": "def greet(name):\n    print(\"helo\", name)\n", "notes.txt": "Greet everybody.\n",
		"lib.py": "def one():\n    \"\"\"One.\"\"\"\n    return 1\n", "shots/a.png": aPNG, "shots/b.jpg": aJPEG,
		"shots/screen.webp": aWebP}
}

// talkTen holds a discussion of ten turns and one take: take asks and waits for the
// end of the turn with a number.
func (w *world) talkTen(take func(number int, discussion, text string) events.TurnEnded) {
	done := func(number int, discussion, text string) events.TurnEnded {
		w.t.Helper()
		ended := take(number, discussion, text)
		require.Equal(w.t, events.TurnDone, ended.Outcome, ended.Reason)
		return ended
	}
	edit := func(entry projections.DiscussionEntry, content string) {
		w.say(events.DiscussionChanged{Operation: events.EntryEdit, Discussion: "main", Entry: entry.ID, Content: &content})
	}
	inject := func(p events.ContextInjectionRequested) {
		w.t.Helper()
		p.Discussion = "main"
		id := w.say(p)
		w.until(func(e *events.Event) bool {
			built, is := e.Payload.(events.ContextBuilt)
			return is && built.Request == id
		})
	}

	done(1, "main", "What does main.py do?")
	said := w.entries("main")
	require.Equal(w.t, "It greets.", said[1].Entry.Content)
	edit(said[1], "It greets badly.")
	role, brief := "System", "Be brief."
	w.say(events.DiscussionChanged{Operation: events.EntryAdd, Discussion: "main", Role: &role, Content: &brief})
	inject(events.ContextInjectionRequested{Path: "notes.txt", View: events.ViewRaw})
	require.Len(w.t, done(2, "main", "Mend the greeting.").Changes, 1)

	inject(events.ContextInjectionRequested{Path: "shots/a.png", View: events.ViewImage})
	inject(events.ContextInjectionRequested{Path: "shots/b.jpg", View: events.ViewImage})
	done(3, "main", "What is on the picture?")
	seen := w.entries("main")
	answer := seen[len(seen)-1]
	done(4, "main", "Read the library.")

	w.say(events.FilesTracked{Patterns: []string{"main.py", "lib.py"}, Paths: []string{"lib.py", "main.py"},
		Shown: []events.TrackedFile{{Path: "lib.py", ViewMode: events.ViewSkeleton},
			{Path: "shots/screen.webp", ViewMode: events.ViewImage}}})
	done(5, "main", "And on the screen?")
	edit(said[0], "What is main.py for?")
	done(6, "main", "Why?")

	w.say(events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "main", Entry: answer.ID})
	done(7, "main_take_1", "Another way?")
	picture := slices.IndexFunc(w.entries("main_take_1"), func(n projections.DiscussionEntry) bool {
		return n.Entry.Path == "shots/a.png"
	})
	w.say(events.DiscussionChanged{Operation: events.EntryDelete, Discussion: "main_take_1",
		Entry: w.entries("main_take_1")[picture].ID})
	done(8, "main_take_1", "Without the picture?")

	inject(events.ContextInjectionRequested{Path: "main.py", View: events.ViewSlice,
		Slice: &events.FileSlice{StartLine: 1, EndLine: 1, Head: []string{"def greet(name):"},
			Tail: []string{"def greet(name):"}}})
	require.Len(w.t, done(9, "main", "Go on.").Changes, 1)
	done(10, "main", "Thanks.")
}

// withoutIDs takes out of a text what differs from run to run.
var withoutIDs = regexp.MustCompile(`D-[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26}(-\d+)?`)

// transcriptOf is what models were sent, as the golden has it.
func transcriptOf(views []llmtest.View) string {
	var b strings.Builder
	for i, v := range views {
		head, _, _ := strings.Cut(v.System, "\n")
		fmt.Fprintf(&b, "# Request %d\n\nsystem: %s\n", i+1, head)
		for _, m := range v.Messages {
			fmt.Fprintf(&b, "\n%s:\n%s\n", m.Role, m.Text)
			for _, image := range m.Images {
				fmt.Fprintf(&b, "image %s\n", image)
			}
			for _, c := range m.Calls {
				fmt.Fprintf(&b, "call %s %s\n", c.Name, c.Args)
			}
		}
		b.WriteString("\n")
	}
	return withoutIDs.ReplaceAllString(codeOfFence.ReplaceAllString(b.String(), "${1}CODE]"), "ID")
}

func TestADiscussionIsSentAsItReadsOnEveryWire(t *testing.T) {
	t.Parallel()
	for _, on := range theWires() {
		t.Run(on.model, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, talked())
			fake := w.serveOn(t, on, talk)
			w.openTracking(on)
			w.yesToAsks()
			w.start("")
			w.talkTen(func(_ int, discussion, text string) events.TurnEnded { return w.turn(discussion, text) })
			w.requireTalked(on)
			requireGolden(t, filepath.Join("testdata", "turns", on.model+".txt"), transcriptOf(fake.Requests()))
		})
	}
}

// requireTalked checks how a discussion of ten turns ended, and its record: every
// prompt comes out again to the byte.
func (w *world) requireTalked(on onWire) {
	t := w.t
	t.Helper()
	require.Equal(t, []string{"What is main.py for?", "It greets badly.", "Be brief.", "Greet everybody.\n",
		"Mend the greeting.", "I mend it.", "Done with 1.", "", "What is on the picture?", "A red square.", "Another way?",
		"Use a table.", "Without the picture?", "Still a table."}, w.contents("main_take_1"))
	require.Equal(t, []string{"What is main.py for?", "It greets badly.", "Be brief.", "Greet everybody.\n",
		"Mend the greeting.", "I mend it.", "Done with 1.", "", "", "What is on the picture?", "A red square.",
		"Read the library.", "I read.", "Done with 1.", "And on the screen?", "A blue square.", "Why?", "Because.",
		"slice: lines 1-1\ndef greet(name):", "Go on.", "I go on.", "Done with 2.", "Thanks.", "Goodbye."},
		w.contents("main"))
	for name, holds := range map[string]string{"main.py": "hello", "lib.py": "return 2"} {
		now, err := os.ReadFile(filepath.Join(w.dir, name))
		require.NoError(t, err)
		require.Contains(t, string(now), holds)
	}
	log := w.history()
	_, err := replay.Verify(log, replay.Deciders()...)
	require.NoError(t, err)
	checked, bad := llm.CheckBodies(log, map[string]llm.Provider{on.name: w.more}, func(sha256 string) ([]byte, error) {
		return w.person.Get(t.Context(), sha256)
	})
	require.Nil(t, bad)
	require.Equal(t, llm.Checked{Same: 13}, checked)
}

// contents are the texts of a discussion without what tools answered, and what
// the engine tells of kills.
func (w *world) contents(name string) (out []string) {
	w.t.Helper()
	for _, n := range w.entries(name) {
		if n.Entry.Role != projections.RoleTool && (n.Entry.Role != projections.RoleSystem || n.Entry.Ticket == "") {
			out = append(out, n.Entry.Content)
		}
	}
	return out
}

func TestAKillInEachTurnLeadsToTheSameEnd(t *testing.T) {
	t.Parallel()
	for _, on := range theWires() {
		t.Run(on.model, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, talked())
			fake := w.serveOn(t, on, talk)
			w.openTracking(on)
			w.yesToAsks()
			stop := w.startWithoutWorker("")
			w.runWorker("worker-test-1")
			w.talkTen(func(number int, discussion, text string) events.TurnEnded {
				turn, seen := w.send(discussion, text), 0
				// each turn has seven events at least
				w.until(func(e *events.Event) bool {
					if p, begins := e.Payload.(events.TurnRequested); begins && events.TurnTicket(e.ID) == turn && p.Text == text {
						seen = 1
					} else if seen > 0 {
						seen++
					}
					return seen == 1+number%6
				})
				stop()
				stop = w.startWithoutWorker("")
				return w.endOf(turn)
			})
			w.requireTalked(on)
			sent := slices.CompactFunc(fake.Requests(), func(a, b llmtest.View) bool { return bytes.Equal(a.Body, b.Body) })
			requireGolden(t, filepath.Join("testdata", "turns", on.model+".txt"), transcriptOf(sent))
		})
	}
}

func contentsOf(entries []projections.DiscussionEntry) []string {
	var out []string
	for _, n := range entries {
		out = append(out, n.Entry.Content)
	}
	return out
}

// requireGolden holds a text against a file, which -update writes.
func requireGolden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
}

// openTracking begins a session on a wire in which one file is tracked.
func (w *world) openTracking(on onWire) {
	w.open(func(s *events.Settings) {
		s.Tracked = []string{"main.py"}
		for i := range s.Tiers {
			s.Tiers[i].Provider, s.Tiers[i].Models, s.Tiers[i].MaxRounds = on.name, []string{on.model}, 4
		}
	})
}

func TestProgramsAreSentNoImages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, talked())
	w.open(func(s *events.Settings) {
		s.MaxRetries = 0
		for i := range s.Tiers {
			s.Tiers[i].Provider, s.Tiers[i].Models = geminicli.Name, []string{"m"}
		}
	})
	w.start("")
	w.say(events.ContextInjectionRequested{Discussion: "main", Path: "shots/a.png", View: events.ViewImage})
	w.untilCount(isType("ContextBuilt"), 1)
	ended := w.turn("main", "What is it?")
	require.Equal(t, events.TurnFailed, ended.Outcome)
	require.Contains(t, ended.Reason, "gemini_cli runs a program, which is sent no images")

	id := w.say(events.ContextInjectionRequested{Discussion: "main", Path: "main.py", View: events.ViewImage})
	log := w.until(func(e *events.Event) bool {
		built, is := e.Payload.(events.ContextBuilt)
		return is && built.Request == id
	})
	require.Equal(t, "the file is not a PNG, JPEG or WebP image",
		log[len(log)-1].Payload.(events.ContextBuilt).Views[0].Error)
}

func TestARestartInATurnLeadsToTheSameEnd(t *testing.T) {
	t.Parallel()
	const lines = `{"tier":3,"contains":"Write it.","reply":{"text":"So.","tool_calls":[{"name":"edit_file","args":{"path":"a.txt","old_string":"one","new_string":"two"}}]}}
{"tier":3,"reply":{"text":"Written."}}`
	for at := 1; at <= 12; at += 2 {
		t.Run(fmt.Sprintf("after %d", at), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "one\n"})
			w.open(nil)
			w.yesToAsks()
			stop := w.startWithoutWorker(lines)
			w.runWorker("worker-test-1")
			before := len(w.history())
			turn := w.send("main", "Write it.")
			count := 0
			w.until(func(*events.Event) bool { count++; return count == before+at })
			stop()
			w.startWithoutWorker(lines)
			log := w.until(func(e *events.Event) bool {
				p, ends := e.Payload.(events.TurnEnded)
				return ends && p.Turn == turn
			})
			requireWhole(t, log)
			require.Equal(t, events.TurnDone, log[len(log)-1].Payload.(events.TurnEnded).Outcome)
			said := contentsOf(w.entries("main"))
			require.Len(t, said, 4)
			require.Equal(t, []string{"Write it.", "So.", "Written."}, []string{said[0], said[1], said[3]})
			_, err := replay.Verify(w.history(), replay.Deciders()...)
			require.NoError(t, err)
		})
	}
}
