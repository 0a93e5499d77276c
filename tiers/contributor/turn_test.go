package contributor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tiers/tierstest"
)

// says asks the model of the discussion main.
func says(change ...func(*events.TurnRequested)) events.TurnRequested {
	p := events.TurnRequested{Discussion: "main", Text: "What is it?"}
	for _, c := range change {
		c(&p)
	}
	return p
}

// turnEnds checks how a turn ended.
func turnEnds(outcome, reason string) events.Payload {
	return tierstest.Check(func(t testing.TB, p events.TurnEnded) {
		t.Helper()
		require.Equal(t, outcome, p.Outcome)
		require.Contains(t, p.Reason, reason)
		require.Equal(t, "main", p.Discussion)
		require.True(t, events.IsTurn(p.Turn))
	})
}

// underDecisions is a session in which the contributor decides under a number.
func underDecisions(n int) []events.Payload {
	b := events.Basis{Decisions: map[string]int{events.ActorContributor: n}}
	return given(events.SessionOpened{Basis: b, Settings: events.Settings{}}, events.ToolsOffered{})
}

func TestSessionsHaveTurnsFromDecisionsThreeOn(t *testing.T) {
	t.Parallel()
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "2", Given: underDecisions(2), When: says(),
			Then: given(turnEnds(events.TurnRefused, "slop sessions upgrade"))},
		{Name: "3", Given: underDecisions(3), When: says(),
			Then: given(tierstest.Check(func(t testing.TB, p events.ContextRequested) { require.Equal(t, 3, p.Tier) }))},
	})
}

func TestAPersonsViewOfASmallFileCountsFromDecisionsThreeOn(t *testing.T) {
	t.Parallel()
	shown := events.FilesTracked{Shown: []events.TrackedFile{{Path: "a.go", ViewMode: events.ViewSkeleton}}}
	needs := starts(1, func(p *events.TicketStarted) { p.Ticket.ContextRequirements = []string{"a.go"} })
	wants := func(chosen bool) []events.Payload {
		return given(tierstest.Check(func(t testing.TB, p events.ContextRequested) {
			require.Contains(t, p.Views, events.ViewRequest{Path: "a.go", View: events.ViewSkeleton, Fallback: true,
				Chosen: chosen})
		}))
	}
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "2", Given: given(underDecisions(2), shown), When: needs, Then: wants(false)},
		{Name: "3", Given: given(underDecisions(3), shown), When: needs, Then: wants(true)},
	})
}

func TestATurnEnds(t *testing.T) {
	t.Parallel()
	asked := given(opened(), says(), context())
	killed := tierstest.With(func(h *tierstest.History) events.Payload {
		return events.TicketKilled{Ticket: events.TurnTicket(h.LastID("TurnRequested")), Attempt: 1, By: "ada"}
	})
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "with the answer", Given: asked, When: reply("A parser."), Then: given(turnEnds(events.TurnDone, ""))},
		{Name: "with an answer that looks like a ticket's end", Given: asked, When: reply("BLOCKED: no"),
			Then: given(turnEnds(events.TurnDone, ""))},
		{Name: "where its model fails", Given: asked, When: failed(events.ModelAuth),
			Then: given(turnEnds(events.TurnFailed, "auth: oh"))},
		{Name: "where a person stops it", Given: asked, When: killed, Then: given(turnEnds(events.TurnStopped, "ada"))},
		{Name: "and another one may begin then", Given: given(asked, killed), When: says(),
			Then: given(tierstest.Check(func(testing.TB, events.ContextRequested) {}))},
		{Name: "and an answer that comes behind counts no more", Given: given(asked, killed), When: reply("Too late.")},
		{Name: "at once where the discussion waits for another answer", Given: asked, When: says(),
			Then: given(turnEnds(events.TurnRefused, "another turn"))},
		{Name: "not in another discussion", Given: asked, When: says(func(p *events.TurnRequested) { p.Discussion = "b" }),
			Then: given(tierstest.Check(func(testing.TB, events.ContextRequested) {}))},
		{Name: "at once where it says nothing", Given: opened(), When: says(func(p *events.TurnRequested) { p.Text = " " }),
			Then: given(turnEnds(events.TurnRefused, "the prompt is missing"))},
	})
}

func TestATurnShowsSoManyTrackedFiles(t *testing.T) {
	t.Parallel()
	for n, left := range map[int]string{contributor.MaxTurnFiles: "",
		contributor.MaxTurnFiles + 1: "1 more files are tracked"} {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("f%03d.go", i))
		}
		tierstest.Run(t, contributor.Decider(), scenarios{{Name: fmt.Sprint(n),
			Given: given(opened(tracked(names...)), says()), When: context(),
			Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
				t.Helper()
				found := ""
				for _, part := range p.Manifest {
					if strings.Contains(part.Text, "more files are tracked") {
						found = part.Text
					}
				}
				require.Equal(t, left != "", found != "")
				require.True(t, strings.HasPrefix(found, left))
			}))}})
	}
}

func TestEntriesAreSentAsWhoSaidThem(t *testing.T) {
	t.Parallel()
	entries := []events.TurnEntry{
		{Entry: "1", Role: "User", From: "1", SHA256: "ab", Size: 1},
		{Entry: "2", Role: "AI", From: "2", SHA256: "cd", Size: 2},
		{Entry: "3", Role: "Tool", From: "3", SHA256: "ef", Size: 3, Tool: "read_file"},
		{Entry: "4", Role: "Context", From: "4", Index: 1, SHA256: "gh", Size: 4, Path: "a.go", View: "raw"},
		{Entry: "5", Role: "Critic", Text: "No."},
	}
	ask := says(func(p *events.TurnRequested) { p.Entries = entries })
	tierstest.Run(t, contributor.Decider(), scenarios{{Name: "each", Given: given(opened(), ask), When: context(),
		Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
			t.Helper()
			sent := p.Manifest[len(p.Manifest)-6:]
			for i := range sent {
				require.Equal(t, events.PartEntry, sent[i].Kind)
				require.Equal(t, sent[i].Origin == "", sent[i].Fence == "")
			}
			require.Equal(t, []string{"user", "assistant", "user", "user", "user", "user"}, rolesOf(sent))
			require.Equal(t, []string{"", "", "program", "repo", "", ""}, originsOf(sent))
			require.Equal(t, "[Tool read_file]\n", sent[2].Prefix)
			require.Equal(t, "## a.go (raw)\n", sent[3].Prefix)
			require.Equal(t, "[Critic]\n", sent[4].Prefix)
			require.Equal(t, events.Digest([]byte("What is it?")), sent[5].SHA256)
			require.Equal(t, "Discussion: main", p.StreamID)
		}))}})
}

func TestAnImageIsSentAsOneBehindItsName(t *testing.T) {
	t.Parallel()
	ask := says(func(p *events.TurnRequested) {
		p.Entries = []events.TurnEntry{{Entry: "4", Role: "Context", From: "4", Index: 1, SHA256: "gh", Size: 4 << 20,
			Path: "a.png", View: events.ViewImage}}
	})
	tierstest.Run(t, contributor.Decider(), scenarios{{Name: "4 MB are no million tokens", Given: given(opened(), ask),
		When: context(), Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
			t.Helper()
			require.Equal(t, events.Part{Role: "user", Kind: events.PartImage, Prefix: "## a.png (image)\n", From: "4", Index: 1,
				SHA256: "gh", Size: 4 << 20}, p.Manifest[len(p.Manifest)-2])
		}))}})
}

func TestScreenshotsAreShownFirst(t *testing.T) {
	t.Parallel()
	of := events.FilesTracked{Paths: []string{"a.go", "b.png"}, Shown: []events.TrackedFile{
		{Path: "b.png", ViewMode: events.ViewImage}, {Path: "c.png", ViewMode: events.ViewImage}}}
	tierstest.Run(t, contributor.Decider(), scenarios{{Name: "once", Given: given(opened(), of), When: says(),
		Then: given(tierstest.Check(func(t testing.TB, p events.ContextRequested) {
			t.Helper()
			var shown []string
			for _, v := range p.Views {
				if v.View != events.ViewState && strings.Contains("a.go b.png c.png", v.Path) {
					shown = append(shown, v.Path+" "+v.View)
				}
			}
			require.Equal(t, []string{"c.png image", "a.go skeleton", "b.png image"}, shown)
		}))}})
}

func rolesOf(parts []events.Part) (out []string) {
	for _, p := range parts {
		out = append(out, p.Role)
	}
	return out
}

func originsOf(parts []events.Part) (out []string) {
	for _, p := range parts {
		out = append(out, p.Origin)
	}
	return out
}

// attached is a discussion that a person attached to something.
func attached(to string) events.TalkAttached {
	return events.TalkAttached{To: to, Discussion: "main", Entries: []events.TurnEntry{
		{Entry: "1", Role: "User", From: "1", SHA256: "ab", Size: 1},
		{Entry: "2", Role: "AI", From: "2", SHA256: "cd", Size: 2},
		{Entry: "3", Role: "Tool", From: "3", SHA256: "ef", Size: 3, Tool: "read_file"},
		{Entry: "4", Role: "Critic", Text: "No."},
		{Entry: "5", Role: "Summary", From: "5", SHA256: "gh", Size: 4},
	}}
}

func TestATicketBeginsWithTheDiscussionsThatWereAttached(t *testing.T) {
	t.Parallel()
	shows := func(times int) []events.Payload {
		return given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
			t.Helper()
			at := len(p.Manifest) - 6*times
			for i := range times {
				sent := p.Manifest[at+6*i:][:6]
				require.Contains(t, sent[0].Text, "# Discussion main\n")
				require.Equal(t, []string{"user", "user", "user", "user", "user", "user"}, rolesOf(sent))
				require.Equal(t, []string{"", "", "program", "program", "", "program"}, originsOf(sent),
					"what a model said is fenced")
				require.Equal(t, []string{"", "[User]\n", "[AI]\n", "[Tool read_file]\n", "[Critic]\n",
					"[Summary]\n"}, []string{sent[0].Prefix, sent[1].Prefix, sent[2].Prefix, sent[3].Prefix, sent[4].Prefix,
					sent[5].Prefix})
				require.Equal(t, "cd", sent[2].SHA256)
			}
			require.NotContains(t, p.Manifest[at-1].Text, "# Discussion")
		}))
	}
	ticket := events.Ticket{ID: "T-1", Description: "Do it"}
	nothing := attached("T-1")
	nothing.Entries = nil
	over := given(opened())
	for range events.MaxTalks + 1 {
		over = append(over, attached("T-1"))
	}
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "to it", Given: given(opened(), attached("T-1"), starts(1)), When: context(), Then: shows(1)},
		{Name: "to its request", Given: given(opened(), attached("R"), events.TicketsAdded{Request: "R",
			Tickets: []events.Ticket{ticket}}, starts(1)), When: context(), Then: shows(1)},
		{Name: "to another one", Given: given(opened(), attached("T-2"), starts(1)), When: context(), Then: shows(0)},
		{Name: "an empty one", Given: given(opened(), nothing, starts(1)), When: context(), Then: shows(0)},
		{Name: "after it began, to the next attempt", Given: given(opened(), starts(1), attached("T-1"), starts(2)),
			When: context(), Then: shows(1)},
		{Name: "too many", Given: given(over, starts(1)), When: context(), Then: shows(events.MaxTalks)},
	})
}
