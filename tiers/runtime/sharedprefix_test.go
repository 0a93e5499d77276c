package runtime_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tools/builtin"
)

// TestTicketsOfASessionSendTheSameToolsAndSystem holds to the byte, in every round:
// providers cache what requests begin with, and a ticket reads what another one put
// there. The project's rules follow the system and are shared, too.
func TestTicketsOfASessionSendTheSameToolsAndSystem(t *testing.T) {
	t.Parallel()
	for _, on := range theWires() {
		t.Run(on.model, func(t *testing.T) {
			t.Parallel()
			const rules = "Name things by what they do."
			w := newWorld(t, map[string]string{"a.txt": "one\n", "AGENTS.md": rules + "\n"})
			s := w.serveOn(t, on, func(v llmtest.View) llmtest.Turn {
				switch who := whoAsks(v); {
				case who.tier == 1:
					return planned(1)
				case who.tier == 2:
					return planned(2, "T-001", "T-002")
				case who.round == 1:
					return llmtest.Turn{Text: "I read.", Calls: []llmtest.Call{{Name: "read_file", Args: `{"path":"a.txt"}`}}}
				}
				return llmtest.Turn{Text: "DONE: I looked, and no check ran because nothing changed."}
			})
			w.openOn(on)
			all := events.ToolsOffered{Tools: []events.ToolOffer{contributor.FindToolsOffer()}}
			for _, tool := range builtin.Tools().All() {
				spec := tool.Spec()
				all.Tools = append(all.Tools, events.ToolOffer{Name: spec.Name, Description: spec.Text(),
					Effect: spec.Effect.String(), Schema: tool.Schema()})
			}
			w.say(all)
			w.start("")
			w.say(events.GoalSubmitted{Goal: "Look."})
			w.untilGoalEnds(t)

			var first []llmtest.View // requests of tickets, one of each
			seen := map[string]int{}
			var want []string
			for _, v := range s.Requests() {
				who := whoAsks(v)
				if who.tier != 3 {
					continue
				}
				if seen[who.ticket]++; seen[who.ticket] == 1 {
					first = append(first, v)
				}
				got := beginning(t, v.Body)
				if want == nil {
					want = got
				}
				require.Equal(t, want, got, "%s, round %d", who.ticket, who.round)
			}
			require.Equal(t, map[string]int{"T-001": 2, "T-002": 2}, seen)
			a, b := string(first[0].Body), string(first[1].Body)
			same := 0
			for same < min(len(a), len(b)) && a[same] == b[same] {
				same++
			}
			require.Contains(t, a[:same], rules)
		})
	}
}

// beginning is the tools and the system's words of a body of any wire, as they were sent.
func beginning(t *testing.T, body []byte) []string {
	t.Helper()
	var whole map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &whole))
	var out []string
	for _, name := range []string{"tools", "system", "systemInstruction", "instructions"} {
		if part, has := whole[name]; has {
			out = append(out, name+": "+string(part))
		}
	}
	if messages, has := whole["messages"]; has && whole["system"] == nil {
		var said []json.RawMessage
		require.NoError(t, json.Unmarshal(messages, &said))
		out = append(out, "system: "+string(said[0]))
	}
	require.Len(t, out, 2)
	return out
}
