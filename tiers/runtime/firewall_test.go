package runtime_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// firewall is a script of two goals: the first ticket fails once with a trace
// and is carried out by its second attempt, the second ticket follows it.
const firewall = `
{"tier":1,"contains":"GOAL_ONE","reply":{"text":"[{\"id\":\"TR-1\",\"description\":\"TRACK_WORDS\",\"modules\":[\"src/target.py\",\"gen/a.py\",\"gen/b.py\",\"gen/c.py\"]}]"}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-1\",\"description\":\"FIRST_TICKET\",\"target_file\":\"src/target.py\",\"context_requirements\":[\"src/dep.py\"]},{\"id\":\"T-2\",\"description\":\"SECOND_TICKET\",\"target_file\":\"src/other.py\",\"depends_on\":[\"T-1\"]}]"}}
{"tier":3,"ticket":"T-1","reply":{"text":"FIRST_WORDS","tool_calls":[{"name":"run_powershell","args":{"script":"echo THE_${X}TRACE >&2; exit 3"}}]}}
{"tier":4,"reply":{"text":"HINT_WORDS"}}
{"tier":3,"ticket":"T-1","reply":{"text":"BLOCKED: GAVE_UP"}}
{"tier":3,"ticket":"T-1","reply":{"tool_calls":[{"name":"edit_file","args":{"path":"src/target.py","old_string":"COLD_BODY","new_string":"NEW_BODY","replace_all":false}}]}}
{"tier":3,"ticket":"T-1","reply":{"text":"DONE: LAST_WORDS"}}
{"tier":3,"ticket":"T-2","reply":{"tool_calls":[{"name":"edit_file","args":{"path":"src/other.py","old_string":"OTHER_BODY","new_string":"OTHER_BODY_2"}}]}}
{"tier":3,"ticket":"T-2","reply":{"text":"DONE: done"}}
{"tier":1,"contains":"GOAL_TWO","reply":{"text":"[{\"id\":\"TR-2\",\"description\":\"SECOND_TRACK\"}]"}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-3\",\"description\":\"THIRD_TICKET\"}]"}}
{"tier":3,"ticket":"T-3","reply":{"text":"DONE: done"}}
`

// whoSees says, for each planted text, whose prompts hold it; nobody else's may.
func whoSees() map[string]string {
	return map[string]string{
		"GOAL_ONE": "tier 1, tier 2", "GOAL_TWO": "tier 1", "GUIDE_TEXT": "tier 1",
		"SIBLING_BODY": "", "DEP_BODY": "", "FOREIGN_BODY": "",
		"def sibling_name": "", "sibling.py": "tier 1, tier 2, T-3/1",
		"def dep_name": "T-1/1, T-1/2", "def foreign_name": "tier 2",
		"COLD_BODY": "T-1/1, T-1/2", "HOT_BODY": "tier 2, T-1/1, T-1/2", "OTHER_BODY": "T-2/1",
		"THE_TRACE": "tier 4, T-1/1", "HINT_WORDS": "T-1/1", "FIRST_WORDS": "T-1/1", "GAVE_UP": "", "LAST_WORDS": "",
		"NEW_BODY":    "T-1/2",
		"TRACK_WORDS": "tier 2", "SECOND_TRACK": "tier 2", "FIRST_TICKET": "T-1/1, T-1/2", "SECOND_TICKET": "T-2/1",
		"THIRD_TICKET": "T-3/1",
	}
}

func TestNoTierSeesMoreThanItsShare(t *testing.T) {
	t.Parallel()
	padding := strings.Repeat("# filler\n", 300)
	w := newWorld(t, map[string]string{
		"README.md": "GUIDE_TEXT\n", "src/target.py": "def cold():\n    return COLD_BODY\n\n# [HOT]\ndef hot():\n    " +
			"return HOT_BODY\n" + padding,
		"src/dep.py":     "def dep_name():\n    return DEP_BODY\n" + padding,
		"src/sibling.py": "def sibling_name():\n    return SIBLING_BODY\n", "src/other.py": "x = OTHER_BODY\n",
		"gen/a.py": "", "gen/b.py": "", "gen/c.py": "def foreign_name():\n    return FOREIGN_BODY\n" + padding,
	})
	w.open(func(s *events.Settings) {
		s.Tracked = []string{"gen/c.py", "src/dep.py", "src/other.py", "src/sibling.py", "src/target.py"}
		s.Rules = []events.Rule{{Tool: "*", Action: "allow", Scope: "session", Source: "--yes"}}
	})
	w.start(firewall)
	var log []events.Event
	for _, goal := range []string{"GOAL_ONE", "GOAL_TWO"} {
		id := w.say(events.GoalSubmitted{Goal: goal})
		log = w.until(func(e *events.Event) bool {
			done, ok := e.Payload.(events.GoalCompleted)
			_, failed := e.Payload.(events.GoalFailed)
			return ok && done.Goal == id || failed
		})
	}
	seen := seenBy(t, w, log)
	for text, who := range whoSees() {
		require.Equal(t, who, strings.Join(seen[text], ", "), text)
	}
}

// seenBy tells whose prompts hold each planted text, in the order in which they
// first did.
func seenBy(t *testing.T, w *world, log []events.Event) map[string][]string {
	t.Helper()
	var record llm.Record
	seen := map[string][]string{}
	prompts := 0
	for i := range log {
		record.Take(&log[i])
		m, ok := log[i].Payload.(events.ModelRequested)
		if !ok {
			continue
		}
		prompts++
		req, err := record.Request(log[i].ID, m, func(sha string) ([]byte, error) {
			return w.person.Get(context.Background(),
				sha)
		})
		require.NoError(t, err)
		req.Tools = nil
		wire, err := req.Wire()
		require.NoError(t, err)
		who := fmt.Sprintf("tier %d", m.Tier)
		if m.Tier == 3 {
			who = fmt.Sprintf("%s/%d", m.Ticket, m.TicketAttempt)
		}
		for text := range whoSees() {
			if strings.Contains(string(wire), text) && !slices.Contains(seen[text], who) {
				seen[text] = append(seen[text], who)
			}
		}
	}
	require.Equal(t, 12, prompts)
	return seen
}
