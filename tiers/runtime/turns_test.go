package runtime_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/replay"
	"manualslop/tiers/llm"
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
	turn := w.send(discussion, text)
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

// talk is the model of the discussions: it mends the greeting when it is asked to.
func talk(v llmtest.View) llmtest.Turn {
	newest := v.Messages[len(v.Messages)-1]
	switch said := lastWords(v); {
	case len(newest.Results) > 0:
		return llmtest.Turn{Text: "Mended."}
	case strings.HasSuffix(said, "What does main.py do?"):
		return llmtest.Turn{Text: "It greets."}
	case strings.HasSuffix(said, "Mend the greeting."):
		return llmtest.Turn{Text: "I mend it.", Calls: []llmtest.Call{{Name: "edit_file",
			Args: `{"path":"main.py","old_string":"helo","new_string":"hello"}`}}}
	case strings.HasSuffix(said, "Another way?"):
		return llmtest.Turn{Text: "Use a table."}
	}
	return llmtest.Turn{Text: "Goodbye."}
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
			w := newWorld(t, map[string]string{"main.py": "def greet(name):\n    print(\"helo\", name)\n",
				"notes.txt": "Greet everybody.\n"})
			fake := w.serveOn(t, on, talk)
			w.openTracking(on)
			w.yesToAsks()
			w.start("")

			require.Equal(t, events.TurnDone, w.turn("main", "What does main.py do?").Outcome)
			answer := w.entries("main")[1]
			require.Equal(t, "It greets.", answer.Entry.Content)
			mended, role, brief := "It greets badly.", "System", "Be brief."
			w.say(events.DiscussionChanged{Operation: events.EntryEdit, Discussion: "main", Entry: answer.ID, Content: &mended})
			w.say(events.DiscussionChanged{Operation: events.EntryAdd, Discussion: "main", Role: &role, Content: &brief})
			w.say(events.ContextInjectionRequested{Discussion: "main", Path: "notes.txt", View: events.ViewRaw})
			w.untilCount(isType("ContextBuilt"), 2)

			ended := w.turn("main", "Mend the greeting.")
			require.Equal(t, events.TurnDone, ended.Outcome, ended.Reason)
			require.Len(t, ended.Changes, 1)
			now, err := os.ReadFile(filepath.Join(w.dir, "main.py"))
			require.NoError(t, err)
			require.Contains(t, string(now), "hello")

			w.say(events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "main", Entry: answer.ID})
			require.Equal(t, events.TurnDone, w.turn("main_take_1", "Another way?").Outcome)
			require.Equal(t, events.TurnDone, w.turn("main", "Thanks.").Outcome)
			require.Equal(t, []string{"What does main.py do?", "It greets badly.", "Another way?", "Use a table."},
				contentsOf(w.entries("main_take_1")))

			log := w.history()
			_, err = replay.Verify(log, replay.Deciders()...)
			require.NoError(t, err)
			checked, bad := llm.CheckBodies(log, map[string]llm.Provider{on.name: w.more}, func(sha256 string) ([]byte, error) {
				return w.person.Get(t.Context(), sha256)
			})
			require.Nil(t, bad)
			require.Equal(t, llm.Checked{Same: 5}, checked)
			requireGolden(t, filepath.Join("testdata", "turns", on.model+".txt"), transcriptOf(fake.Requests()))
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
