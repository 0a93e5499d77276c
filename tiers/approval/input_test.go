package approval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// running is a session in which a script runs for which a person said yes.
func running() []events.Payload {
	return given(begin(), shell, tierstest.Decided[events.AskRaised](), answer(shellAsk, events.Yes),
		tierstest.Decided[events.AskSettled](), tierstest.Decided[events.ToolApproved]())
}

func TestAServerAsksAPersonWhileItsCallRuns(t *testing.T) {
	t.Parallel()
	form := tierstest.By("worker-a-1", events.InputRequested{Call: "c1", Server: "files", Message: "Which folder?\u202e",
		Schema: json.RawMessage(`{"type":"object"}`)})
	visit := tierstest.By("worker-a-1", events.InputRequested{Call: "c1", Server: "files", Message: "Log in",
		URL: "https://login.example/a?b", Origin: "https://login.example"})
	asks := tierstest.By(events.ActorMCP, wants("mcp-1", "run_powershell", `{"script":"x"}`))
	ofClient := tierstest.By("worker-a-1", events.InputRequested{Call: "mcp-1", Server: "files", Message: "Which folder?",
		Schema: json.RawMessage(`{"type":"object"}`)})
	over := tierstest.By("worker-a-1", events.ToolSettled{Call: "c1", Tool: "run_powershell", Outcome: events.ToolDone,
		Generation: 1, ArgsSHA256: digest(shell.Args)})
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "a form", Given: running(), When: form,
			Then: given(tierstest.Check(func(t testing.TB, a events.AskRaised) {
				require.Equal(t, events.GateInput, a.Gate)
				require.Equal(t, "c1", a.Call)
				require.Equal(t, "files asks: Which folder?", strings.TrimSpace(a.Title))
				require.JSONEq(t, `{"message":"Which folder?\u202e","schema":{"type":"object"}}`, string(a.Args))
			}))},
		{Name: "an address shows its origin", Given: running(), When: visit,
			Then: given(tierstest.Check(func(t testing.TB, a events.AskRaised) {
				require.Equal(t, "files asks you to visit https://login.example: Log in", a.Title)
			}))},
		{Name: "a call that nobody knows", Given: begin(), When: form},
		{Name: "the end of the call withdraws it", Given: given(running(), form, tierstest.Decided[events.AskRaised]()),
			When: over, Then: given(tierstest.Check(func(t testing.TB, s events.AskSettled) {
				require.Equal(t, events.No, s.Outcome)
				require.Equal(t, events.GateInput, s.Gate)
			}))},
		{Name: "so does a client that is gone", Given: given(decidedBy(2), asks, tierstest.Decided[events.AskRaised](),
			answer(askID(events.GateTool, 3), events.Yes), tierstest.Decided[events.AskSettled](),
			tierstest.Decided[events.ToolApproved](), ofClient, tierstest.Decided[events.AskRaised]()),
			When: tierstest.By(events.ActorMCP, events.CallAbandoned{Call: "mcp-1", Reason: "gone"}),
			Then: given(tierstest.Check(func(t testing.TB, s events.AskSettled) {
				require.Equal(t, events.No, s.Outcome)
				require.Equal(t, events.GateInput, s.Gate)
			}))},
		{Name: "after the end nobody is asked", Given: given(running(), over), When: form},
	})
}
