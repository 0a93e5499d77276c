package projections_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

func TestTheDiscussionHoldsGoalsRepliesAndResults(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	request := s.asks("T-1", 3)
	s.by(events.ActorModels, events.ModelFailed{Request: request, Kind: events.ModelOverloaded, Message: "try later"})
	request = s.asks("T-1", 3)
	s.replies(request, "looking", "read_file", "edit_file")
	s.approved("c1", "read_file", "T-1")
	s.by(events.ActorContributor, events.ToolRequested{Call: "c2", Tool: "edit_file", Args: json.RawMessage(`{}`),
		Ticket: "T-1"})
	s.by("worker-1", outcome("c1", "read_file", "contents"))
	s.by("worker-1", outcome("c1", "read_file", "other contents"))
	s.by("worker-1", outcome("c2", "edit_file", "never approved"))
	s.by(events.ActorApproval, events.ToolDenied{Call: "c2", Tool: "edit_file", Ticket: "T-1", Reason: "not this file",
		By: "ada"})
	s.by(events.ActorQA, events.HintGiven{Call: "c1", Ticket: "T-1", Hint: "missing import"})
	var got [][3]string
	for _, n := range s.set.Discussion().Entries {
		got = append(got, [3]string{n.Role, n.Tool + n.Outcome, n.Content})
	}
	require.Equal(t, [][3]string{
		{"User", "", "Mend the parser"},
		{"System", "", "[SCRIPT] overloaded: try later"},
		{"AI", "", "looking"},
		{"Tool", "read_filedone", "contents"},
		{"Tool", "edit_filedenied", "not this file"},
		{"System", "", "QA ANALYSIS:\nmissing import"},
	}, got)
	require.Equal(t, []string{"read_file", "edit_file"}, s.set.Discussion().Entries[2].Calls)
	require.True(t, s.set.Discussion().Entries[3].Collapsed)
	raw, err := json.Marshal(s.set.Discussion().Entries[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"role":"User","content":"Mend the parser","ts":"2026-01-02T03:04:07Z","collapsed":false,"seq":2}`,
		string(raw))
}

func TestAPostedSessionReplacesTheDiscussionVerbatim(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionReplace, Entries: json.RawMessage(`[{"role":"User","content":"x","mine":[1,2]}]`)})
	view, err := s.set.View("session")
	require.NoError(t, err)
	require.JSONEq(t, `{"entries":[{"role":"User","content":"x","mine":[1,2]}]}`, string(view))
	s.by("ada", events.GoalSubmitted{Goal: "more"})
	require.Len(t, s.set.Discussion().Entries, 2)
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionReplace, Entries: json.RawMessage(`{"entries":[]}`)})
	require.Len(t, s.set.Discussion().Entries, 2, "anything but an array changes nothing")
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionReplace, Entries: json.RawMessage(`[]`)})
	require.Empty(t, s.set.Discussion().Entries)
}

func TestAToolCallCountsOnlyItsFirstValidOutcome(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	s.by("worker-1", outcome("c1", "read_file", "before it was asked for"))
	s.approved("c1", "read_file", "T-1")
	wrong := outcome("c1", "read_file", "other bytes")
	wrong.ArgsSHA256 = "other"
	s.by("worker-1", wrong)
	older := outcome("c1", "read_file", "another generation")
	older.Generation = 2
	s.by("worker-1", older)
	c, _ := s.set.ToolCall("c1")
	require.Equal(t, projections.CallRunning, c.State)
	s.by("worker-2", outcome("c1", "read_file", "first"))
	s.by("worker-3", outcome("c1", "read_file", "second"))
	c, _ = s.set.ToolCall("c1")
	require.Equal(t, projections.CallSettled, c.State)
	require.Equal(t, "worker-2", c.Worker)
	require.Equal(t, events.Digest([]byte("first")), c.SHA256)
	require.EqualValues(t, 3, c.DurationMS)
	_, ok := s.set.ToolCall("c9")
	require.False(t, ok)
}

func TestAnInterruptedCallGoesOnInItsNextGeneration(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	s.approved("c1", "run_powershell", "T-1")
	cut := outcome("c1", "run_powershell", "")
	cut.Outcome = events.ToolInterrupted
	s.by("worker-1", cut)
	s.by(events.ActorApproval, events.AskRaised{Ask: "A1", Gate: events.GateInterrupted, Call: "c1"})
	c, _ := s.set.ToolCall("c1")
	require.Equal(t, projections.CallInterrupted, c.State)
	require.Equal(t, "A1", c.Ask)
	s.by(events.ActorApproval, events.InterruptResolved{Call: "c1", Tool: "run_powershell", Ticket: "T-1",
		Resolution: events.InterruptRetry, By: "ada"})
	s.by(events.ActorApproval, events.ToolApproved{Call: "c1", Tool: "run_powershell", ArgsSHA256: "d", Generation: 2,
		By: "ada"})
	s.by("worker-1", outcome("c1", "run_powershell", "of the first generation"))
	c, _ = s.set.ToolCall("c1")
	require.Equal(t, projections.CallRunning, c.State)
	again := outcome("c1", "run_powershell", "done")
	again.Generation = 2
	s.by("worker-1", again)
	c, _ = s.set.ToolCall("c1")
	require.Equal(t, projections.CallSettled, c.State)
	require.Equal(t, events.ToolDone, c.Outcome)
	require.Equal(t, 2, c.Generation)
}

func TestAParkedCallIsEndedByAPerson(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	s.approved("c1", "run_powershell", "T-1")
	s.by("worker-1", events.ToolParked{Call: "c1", Tool: "run_powershell", Deliveries: 20, Reason: "delivered 20 times"})
	c, _ := s.set.ToolCall("c1")
	require.Equal(t, projections.CallInterrupted, c.State)
	s.by(events.ActorApproval, events.InterruptResolved{Call: "c1", Tool: "run_powershell", Ticket: "T-1",
		Resolution: events.InterruptFail, By: "ada", Reason: "unsure"})
	c, _ = s.set.ToolCall("c1")
	require.Equal(t, projections.CallSettled, c.State)
	require.Equal(t, events.InterruptFail, c.Outcome)
	require.Equal(t, "fail", s.set.Discussion().Entries[1].Outcome)
	require.Len(t, s.set.ToolCalls(), 1)
}

func TestCostCountsEachRequestOnce(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	request := s.asks("T-1", 3)
	s.replies(request, "a")
	s.replies(request, "b")
	s.by(events.ActorModels, events.ModelFailed{Request: s.asks("T-1", 3), Kind: events.ModelIncomplete,
		Usage: &events.Usage{Input: 5, CacheRead: 1}})
	s.replies(s.asks("", 1), "plan")
	cost := s.set.Cost()
	require.Equal(t, projections.Usage{Requests: 2, Failed: 1, Input: 25, Output: 4, CacheRead: 1}, cost.Total)
	require.Equal(t, projections.Usage{Requests: 1, Failed: 1, Input: 15, Output: 2, CacheRead: 1}, *cost.Tier["3"])
	require.Equal(t, *cost.Tier["3"], *cost.Ticket["T-1"])
	require.Equal(t, projections.Usage{Requests: 1, Input: 10, Output: 2}, *cost.Model["script/m1"])
}

func TestFilesShowTheirNewestDigestAndWhoWroteThem(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	s.by("worker-1", events.ContextBuilt{Request: "R",
		Views: []events.View{{Path: "a.go", File: &events.FileState{Path: "a.go", SHA256: "h1", Size: 1}},
			{Path: "gone.go", Error: "no such file"}}})
	s.approved("c1", "edit_file", "T-1")
	wrote := outcome("c1", "edit_file", "ok")
	wrote.Files = []events.FileState{{Path: "a.go", SHA256: "h2", Size: 2, Written: true}, {Path: "b.go", SHA256: "h3",
		Size: 3}}
	s.by("worker-1", wrote)
	s.by("worker-1", events.FilesUpdated{Request: "R", Ticket: "T-1", Files: []events.FileUpdate{
		{Path: "b.go", Before: "h3", Error: "not text"}}})
	files := s.set.Files()
	require.Len(t, files, 2)
	require.Equal(t, "h2", files["a.go"].SHA256)
	require.Equal(t, "c1", files["a.go"].Call)
	require.Equal(t, 1, files["a.go"].WrittenN)
	require.Nil(t, files["b.go"].Written)
	require.Equal(t, "not text", files["b.go"].Error)
}

func TestTheTimelineHasARowForEachEvent(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	all := s.set.Timeline(0, 0)
	require.Len(t, all, len(s.log))
	require.Equal(t, projections.Row{Seq: 2, Time: at(2), Actor: "ada", Type: "GoalSubmitted", Summary: "Mend the parser"},
		all[1])
	require.Equal(t, all[3:4], s.set.Timeline(3, 1))
	require.Empty(t, s.set.Timeline(s.set.Seq(), 10))
}

func TestSettingsAreWhatHoldsNow(t *testing.T) {
	t.Parallel()
	own := events.Rule{Tool: "edit_file", Action: "deny"}
	s := opened(t, events.Settings{MaxWorkers: 3, Rules: []events.Rule{own}})
	yes := events.Rule{Tool: "*", Action: "allow", Scope: "session", Source: "--yes"}
	s.by("ada", events.RuleAdded{Rule: yes})
	s.by("ada", events.ToolsOffered{Tools: []events.ToolOffer{{Name: "read_file", Schema: json.RawMessage(`{}`)}}})
	s.by("ada", events.StepModeSet{On: true})
	s.by(events.ActorConductor, events.Paused{By: "ada"})
	now := s.set.Settings()
	require.Equal(t, []events.Rule{own, yes}, now.Rules)
	require.Equal(t, 3, now.MaxWorkers)
	require.True(t, now.StepMode)
	require.True(t, now.Paused)
	require.Equal(t, "read_file", now.Tools[0].Name)
	s.by(events.ActorConductor, events.Resumed{By: "ada"})
	require.False(t, s.set.Settings().Paused)
}

func TestSettingsFollowEveryChangeThatCounts(t *testing.T) {
	t.Parallel()
	two, many := 2, events.MaxWorkers+1
	s := opened(t, events.Settings{MaxWorkers: 3, Rules: []events.Rule{{Tool: "a"}}, Tiers: []events.TierSettings{
		{Tier: 1, Provider: "gemini", Models: []string{"m"}}}})
	s.by("ada", events.TierChanged{Tier: 1, Provider: "gemini-cli"})
	s.by("ada", events.ProviderChanged{Provider: "gemini_cli", Command: "/bin/g"})
	s.by("ada", events.ProviderChanged{Provider: "gemini_cli", Command: "g --yolo"})
	s.by("ada", events.SettingsChanged{MaxWorkers: &two})
	s.by("ada", events.SettingsChanged{MaxWorkers: &many})
	s.by("agent-ci", events.SettingsChanged{SpawnApproval: new(bool)})
	s.by("ada", events.RulesReplaced{Rules: []events.Rule{{Tool: "b"}}})
	require.Equal(t, events.Settings{MaxWorkers: 2, Rules: []events.Rule{{Tool: "b"}}, Tiers: []events.TierSettings{
		{Tier: 1, Provider: "gemini_cli", Models: []string{"m"}}},
		Providers: []events.ProviderSettings{{Provider: "gemini_cli", Command: "/bin/g"}}}, s.set.Settings().Settings)
}

func TestSummariesAreOneBoundedLineOfWholeCharacters(t *testing.T) {
	t.Parallel()
	exact := strings.Repeat("x", projections.MaxSummary)
	require.Equal(t, exact, projections.Summarize(events.GoalSubmitted{Goal: exact}))
	for _, goal := range []string{exact + "y", strings.Repeat("ä", projections.MaxSummary), "x" + strings.Repeat("日本",
		projections.MaxSummary)} {
		got := projections.Summarize(events.GoalSubmitted{Goal: goal})
		require.LessOrEqual(t, len(got), projections.MaxSummary)
		require.True(t, utf8.ValidString(got))
		require.True(t, strings.HasSuffix(got, "…"))
	}
	require.Equal(t, "one…", projections.Summarize(events.GoalSubmitted{Goal: "one\ntwo"}))
}

func TestTheSummaryOfASession(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", events.GoalSubmitted{Goal: "Mend"})
	s.by(events.ActorApproval, events.AskRaised{Ask: "A1", Gate: events.GateTool})
	s.by(events.ActorConductor, events.SessionStalled{Decider: "conductor", Reason: "unknown type Foo v2"})
	require.Equal(t, projections.Summary{
		Session: "S1", Label: "demo", Folder: "20260102_030405_demo", Goal: "Mend", Opened: at(1),
		State:       projections.Planning,
		PendingAsks: 1, Stalled: "conductor: unknown type Foo v2",
	}, s.set.Summary())
	s.by("ada", events.SessionClosed{Reason: "done"})
	require.Equal(t, at(5), *s.set.Summary().Closed)
	light := &projections.Summarizer{}
	for i := range s.log {
		if projections.Summarizes(s.log[i].Type) {
			light.Apply(&s.log[i])
		}
	}
	require.Equal(t, s.set.Summary(), light.Summary(), "the types it names are enough")
	raw, err := json.Marshal(light)
	require.NoError(t, err)
	var again projections.Summarizer
	require.NoError(t, json.Unmarshal(raw, &again))
	require.Equal(t, light.Summary(), again.Summary())
}

func TestTheSummaryListsBlockedTicketsUntilTheyGoOn(t *testing.T) {
	t.Parallel()
	blocked := func(s *story) (out []string) {
		for _, b := range s.set.Summary().Blocked {
			out = append(out, b.Ticket+" "+b.Kind+": "+b.Reason)
		}
		return out
	}
	for name, after := range map[string]events.Payload{
		"a retry":             events.TicketRetried{Ticket: "T-1", RetryCount: 1},
		"a person frees it":   events.TicketUnblocked{Ticket: "T-1"},
		"another attempt":     events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-1"}, Attempt: 2},
		"it is done":          events.TicketCompleted{Ticket: "T-1"},
		"a person removes it": events.GraphMutated{Ops: []events.GraphOp{{Op: events.GraphRemoveTicket, Ticket: "T-1"}}},
	} {
		s, _ := planned(t, "T-1", "T-2")
		require.Empty(t, blocked(s), name)
		s.by(events.ActorConductor, events.TicketBlocked{Ticket: "T-1", Kind: events.BlockWorker, Reason: "gave up\nlast"})
		s.by(events.ActorConductor, events.TicketBlocked{Ticket: "T-2", Kind: events.BlockManual, Reason: "no"})
		before := s.set.Summary().Blocked
		require.Equal(t, []string{"T-1 worker: gave up…", "T-2 manual: no"}, blocked(s), name)
		s.by(events.ActorConductor, after)
		require.Equal(t, []string{"T-2 manual: no"}, blocked(s), name)
		require.Equal(t, "T-1", before[0].Ticket, "%s: an earlier answer stays", name)
		light := &projections.Summarizer{}
		for i := range s.log {
			if projections.Summarizes(s.log[i].Type) {
				light.Apply(&s.log[i])
			}
		}
		require.Equal(t, s.set.Summary(), light.Summary(), "%s: the types that Summarizes names are enough", name)
	}
}
