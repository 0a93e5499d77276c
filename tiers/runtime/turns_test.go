package runtime_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/replay"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/runtime/talktest"
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

// speaker is the person in the session's discussions.
func (w *world) speaker() talktest.Person {
	return talktest.Person{T: w.t, Say: w.say, History: w.history, Until: w.until}
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

func TestADiscussionIsSentAsItReadsOnEveryWire(t *testing.T) {
	t.Parallel()
	for _, on := range theWires() {
		t.Run(on.model, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, talktest.Files())
			fake := w.serveOn(t, on, talktest.Answer)
			w.openTracking(on)
			w.yesToAsks()
			w.start("")
			p := w.speaker()
			p.Hold(func(_ int, discussion, text string) events.TurnEnded { return p.EndOf(p.Send(discussion, text)) })
			w.requireTalked(on)
			requireGolden(t, filepath.Join("testdata", "turns", on.model+".txt"), talktest.Transcript(fake.Requests()))
		})
	}
}

// requireTalked checks how the discussion ended, and that every prompt is built again to the byte.
func (w *world) requireTalked(on onWire) {
	t := w.t
	t.Helper()
	w.speaker().RequireEnd(w.dir)
	log := w.history()
	checked, bad := llm.CheckBodies(log, map[string]llm.Provider{on.name: w.more}, func(sha256 string) ([]byte, error) {
		return w.person.Get(t.Context(), sha256)
	})
	require.Nil(t, bad)
	require.Equal(t, llm.Checked{Same: talktest.Replies}, checked)
}

func TestAKillInEachTurnLeadsToTheSameEnd(t *testing.T) {
	t.Parallel()
	for _, on := range theWires() {
		t.Run(on.model, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, talktest.Files())
			fake := w.serveOn(t, on, talktest.Answer)
			w.openTracking(on)
			w.yesToAsks()
			stop := w.startWithoutWorker("")
			w.runWorker("worker-test-1")
			p := w.speaker()
			p.Hold(func(number int, discussion, text string) events.TurnEnded {
				turn, seen := p.Send(discussion, text), 0
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
				return p.EndOf(turn)
			})
			w.requireTalked(on)
			sent := slices.CompactFunc(fake.Requests(), func(a, b llmtest.View) bool { return bytes.Equal(a.Body, b.Body) })
			requireGolden(t, filepath.Join("testdata", "turns", on.model+".txt"), talktest.Transcript(sent))
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
	w := newWorld(t, talktest.Files())
	w.open(func(s *events.Settings) {
		s.MaxRetries = 0
		for i := range s.Tiers {
			s.Tiers[i].Provider, s.Tiers[i].Models = geminicli.Name, []string{"m"}
		}
	})
	w.start("")
	w.say(events.ContextInjectionRequested{Discussion: "main", Path: "shots/a.png", View: events.ViewImage})
	w.untilCount(isType("ContextBuilt"), 1)
	p := w.speaker()
	ended := p.EndOf(p.Send("main", "What is it?"))
	require.Equal(t, events.TurnFailed, ended.Outcome)
	require.Contains(t, ended.Reason, "gemini_cli runs a program, which cannot be sent images")

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
			turn := w.speaker().Send("main", "Write it.")
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
			said := contentsOf(w.speaker().Entries("main"))
			require.Len(t, said, 4)
			require.Equal(t, []string{"Write it.", "So.", "Written."}, []string{said[0], said[1], said[3]})
			_, err := replay.Verify(w.history(), replay.Deciders()...)
			require.NoError(t, err)
		})
	}
}
