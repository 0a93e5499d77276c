package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/replay"
	"manualslop/tiers/runtime/talktest"
)

// TestAKilledSummaryLeadsToExactlyOneTake kills the engine while a discussion is made shorter: with the request, with
// the summary, and right behind the end of the turn, of which the take is a consequence.
func TestAKilledSummaryLeadsToExactlyOneTake(t *testing.T) {
	t.Parallel()
	points := []func(*events.Event) bool{
		func(e *events.Event) bool { p, is := e.Payload.(events.TurnRequested); return is && p.Compact },
		func(e *events.Event) bool {
			p, is := e.Payload.(events.ModelReplied)
			return is && p.Text == "They greeted."
		},
		func(e *events.Event) bool { p, is := e.Payload.(events.TurnEnded); return is && p.Discussion == "main" },
	}
	for i, at := range points {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, map[string]string{"a.txt": "one\n"})
			script := s.script(`{"tier":3,"contains":"Write what takes the place","reply":{"text":"They greeted."}}` + "\n" +
				`{"tier":3,"contains":"They greeted.","reply":{"text":"Hello again."}}` + "\n")
			d := &discussed{s: s}
			d.engine, d.log = s.serve("--script", script)
			session := s.engine().Session
			p := talktest.Person{T: t, Say: d.say, Until: d.until,
				History: func() []events.Event { return history(t, d.log, filepath.Base(s.dir)) }}
			for _, said := range [][2]string{{"User", "Hello."}, {"AI", "Hello."}, {"User", "Who are you?"}} {
				d.say(events.DiscussionChanged{Operation: events.EntryAdd, Discussion: "main", Role: &said[0], Content: &said[1]})
			}
			entries, _ := replay.Rebuild(p.History()).CompactEntries("main", 1)
			require.Len(t, entries, 2)
			turn := events.TurnTicket(d.say(events.TurnRequested{Discussion: "main", Compact: true, Entries: entries}))
			d.until(at)
			d.engine.kill()
			d.log.Close()
			d.engine, d.log = s.serve("--script", script)
			require.Equal(t, session, s.engine().Session)
			require.Equal(t, events.TurnDone, p.EndOf(turn).Outcome)
			require.Equal(t, events.TurnDone, p.EndOf(p.Send("main_take_1", "And now?")).Outcome)
			set := replay.Rebuild(p.History())
			require.Len(t, set.Discussions(), 2)
			require.Equal(t, "main_take_1", set.ActiveDiscussion())
			require.Len(t, p.Entries("main"), 3)
			var said []string
			for _, n := range p.Entries("main_take_1") {
				said = append(said, n.Entry.Role+": "+n.Entry.Content)
			}
			require.Equal(t, []string{"Summary: They greeted.", "User: Who are you?", "User: And now?", "AI: Hello again."},
				said)
			d.engine.kill()
			var got replayed
			require.NoError(t, json.Unmarshal([]byte(s.ok("replay", session, "--verify", "--json")), &got))
			require.Equal(t, 2, got.Prompts.Same, "built again to the byte")
		})
	}
}
