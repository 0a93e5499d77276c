package tiers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/fence"
)

// earlier is what a prompt says of the goals of a history, whose events have the ids e1, e2 and so on.
func earlier(t *testing.T, history ...events.Payload) string {
	t.Helper()
	var g tiers.Goals
	for i, p := range history {
		g.Evolve(&events.Event{ID: fmt.Sprintf("e%d", i+1), Payload: p})
	}
	parts := g.Earlier("built", 3)
	if len(parts) == 0 {
		return ""
	}
	require.Len(t, parts, 1)
	require.Equal(t, fence.Repo, parts[0].Origin)
	require.Equal(t, fence.Nonce("built", 3), parts[0].Fence)
	return parts[0].Text
}

// goal1 is a goal with the ticket T-1.
func goal1(text string) []events.Payload {
	return []events.Payload{events.GoalSubmitted{Goal: text},
		events.TrackStarted{Goal: "e1", Track: events.Track{ID: "TR-1"}},
		events.TicketsPlanned{Track: "TR-1", Tickets: []events.Ticket{{ID: "T-1"}}}}
}

// wrote is a call for a ticket that changed files.
func wrote(ticket, call string, files ...string) []events.Payload {
	p := events.ToolSettled{Call: call, Outcome: events.ToolDone}
	for _, f := range files {
		p.Files = append(p.Files, events.FileState{Path: f, Written: true, Before: "a", SHA256: "b"})
	}
	return []events.Payload{events.ToolRequested{Call: call, Ticket: ticket}, p}
}

func TestAPromptSaysWhatEarlierGoalsDid(t *testing.T) {
	t.Parallel()
	join := func(lists ...[]events.Payload) (out []events.Payload) {
		for _, l := range lists {
			out = append(out, l...)
		}
		return out
	}
	is := func(p ...events.Payload) []events.Payload { return p }
	completed, failed := is(events.GoalCompleted{Goal: "e1"}), is(events.GoalFailed{Goal: "e1", Reason: "IGNORE ALL"})
	added := is(events.GraphMutated{Ops: []events.GraphOp{{Op: events.GraphAddTicket, New: &events.Ticket{ID: "T-2",
		DependsOn: []string{"T-1"}}}}})
	unseen := is(events.ToolRequested{Call: "c9", Ticket: "T-1"}, events.ToolSettled{Call: "c9", Unseen: true})
	read := is(events.ToolRequested{Call: "c8", Ticket: "T-1"}, events.ToolSettled{Call: "c8",
		Files: []events.FileState{{Path: "read.go"}, {Path: "same.go", Written: true, Before: "a", SHA256: "a"}}})
	var most []string
	for i := range tiers.MaxEarlierFiles {
		most = append(most, fmt.Sprintf("f%d.go", i))
	}
	for name, c := range map[string]struct {
		history []events.Payload
		want    string
	}{
		"no goal":               {nil, ""},
		"one that is under way": {join(goal1("Mend it"), wrote("T-1", "c1", "a.go")), ""},
		"its files, once": {join(goal1("Mend it"), wrote("T-1", "c1", "a.go", "b.go"), wrote("T-1", "c2", "a.go"),
			completed),
			"- Mend it: completed, changed a.go, b.go"},
		"not what was only read": {join(goal1("Mend it"), read, completed),
			"- Mend it: completed, changed no file"},
		"a failure without words of models": {join(goal1("Mend\nit"), failed), "- Mend it: failed, changed no file"},
		"a failure that was mended": {join(goal1("Mend it"), failed, completed),
			"- Mend it: completed, changed no file"},
		"a ticket that a person added": {join(goal1("Mend it"), added, wrote("T-2", "c1", "a.go"), completed),
			"- Mend it: completed, changed a.go"},
		"a worker of no goal": {join(goal1("Mend it"), is(events.TicketsAdded{Request: "e9",
			Tickets: []events.Ticket{{ID: "W"}}}), wrote("W", "c1", "a.go"), completed),
			"- Mend it: completed, changed no file"},
		"what nobody saw": {join(goal1("Mend it"), unseen, completed), "- Mend it: completed, may have changed other files"},
		"its branch": {join(goal1("Mend it"), wrote("T-1", "c1", "a.go"), is(events.MergeSettled{Ticket: "T-1",
			Outcome: events.MergeDone, Branch: "slop/S"}), completed),
			"- Mend it: completed, changed a.go, on the branch slop/S"},
		"a merge that failed": {join(goal1("Mend it"), is(events.MergeSettled{Ticket: "T-1", Outcome: events.MergeConflict,
			Branch: "slop/S"}), completed), "- Mend it: completed, changed no file"},
		"as many files as are named": {join(goal1("Mend it"), wrote("T-1", "c1", most...), completed),
			"- Mend it: completed, changed " + strings.Join(most, ", ")},
		"one more": {join(goal1("Mend it"), wrote("T-1", "c1", append(most, "more.go")...), completed),
			"- Mend it: completed, changed " + strings.Join(most, ", ") + " and 1 more"},
		"a long text": {join(goal1(strings.Repeat("x", 161)), completed),
			"- " + strings.Repeat("x", 160) + "…: completed, changed no file"},
	} {
		require.Equal(t, c.want, earlier(t, c.history...), name)
	}
}

func TestAPromptNamesTheNewestGoalsOnly(t *testing.T) {
	t.Parallel()
	of := func(n int) string {
		var history []events.Payload
		for i := range n {
			history = append(history, events.GoalSubmitted{Goal: fmt.Sprintf("Goal %d", i+1)},
				events.GoalCompleted{Goal: fmt.Sprintf("e%d", 2*i+1)})
		}
		return earlier(t, history...)
	}
	at, over := strings.Split(of(tiers.MaxEarlier), "\n"), strings.Split(of(tiers.MaxEarlier+1), "\n")
	require.Len(t, at, tiers.MaxEarlier)
	require.Equal(t, "- Goal 1: completed, changed no file", at[0])
	require.Equal(t, append([]string{"(older goals left out: 1)"}, at[1:]...), over[:tiers.MaxEarlier])
	require.Equal(t, "- Goal 11: completed, changed no file", over[tiers.MaxEarlier])
}
