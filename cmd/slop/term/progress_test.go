package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// shownTo is a progress that takes its output for a terminal.
func shownTo(out io.Writer) *Progress {
	p := NewProgress(&Terminal{Out: out})
	p.Status = true
	return p
}

// happened is an event of a session that began with the progress.
func (p *Progress) happened(id string, payload events.Payload) *events.Event {
	return &events.Event{ID: id, Time: p.begun, Payload: payload}
}

func TestNothingIsPrintedBelowAQuestionUntilItIsAnswered(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := shownTo(&out)
	p.Ask(func(w io.Writer) { _, _ = io.WriteString(w, "── tool · x\n") }, "[y]es > ")
	before := out.String()
	p.Take(p.happened("e1", events.TicketCompleted{Ticket: "T-1"}))
	p.Refresh()
	require.Equal(t, before, out.String(), "the prompt stays the last thing on the terminal")
	p.Typed(true)
	require.True(t, p.Answered())
	require.Contains(t, out.String(), "T-1 is completed")
	p.Refresh()
	require.Contains(t, out.String(), "1 done")
}

func TestAPromptThatNothingWasTypedBehindEndsItsLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewProgress(&Terminal{Out: &out})
	p.Ask(func(io.Writer) {}, "[y]es > ")
	p.Take(p.happened("e1", events.TicketCompleted{Ticket: "T-1"}))
	require.Contains(t, out.String(), "[y]es > \n", "also where nobody sits at a terminal")
}

func TestARuleThatIsAddedDuringARunHasALine(t *testing.T) {
	t.Parallel()
	for want, rule := range map[string]events.Rule{
		"ada adds a rule for this session: allow edit_file: *.txt; docs/**": {Tool: "edit_file", Action: "allow",
			Args: []string{"*.txt", "docs/**"}, Scope: events.RuleForSession},
		"ada adds a rule for T-1: deny every call of *": {Tool: "*", Action: "deny", Scope: events.RuleForTicket + "T-1"},
		"ada adds a rule for all sessions, in config.toml:3: allow every call of edit_file": {Tool: "edit_file",
			Action: "allow", Source: "config.toml:3"},
	} {
		var out bytes.Buffer
		p := NewProgress(&Terminal{Out: &out})
		added := p.happened("e1", events.RuleAdded{Rule: rule})
		added.Actor = "ada"
		p.Take(added)
		require.Contains(t, out.String(), want)
		out.Reset()
		rule.Source = "--yes"
		p.Take(p.happened("e2", events.RuleAdded{Rule: rule}))
		require.Empty(t, out.String())
	}
}

func TestTheStatusSaysWhatIsWaitedForAndWhatItCostSoFar(t *testing.T) {
	t.Parallel()
	p := shownTo(io.Discard)
	p.Take(p.happened("r1", events.ModelRequested{Tier: 1, Provider: "anthropic", Model: "claude-x", Attempt: 1}))
	require.Contains(t, p.statusLine(p.begun.Add(7*time.Second), 200), "tier 1: claude-x 7s │ 0 tokens │ $0 │ 7s")
	price := int64(12_300)
	p.Take(p.happened("r2", events.ModelReplied{Request: "r1", Usage: events.Usage{Input: 100, CacheRead: 9_000,
		CacheWrite: 900, Output: 50, PricedMicroDollars: &price}}))
	p.Take(p.happened("e1", events.TicketStarted{Ticket: events.Ticket{ID: "T-1"}}))
	p.Take(p.happened("r3", events.ModelRequested{Tier: 3, Ticket: "T-1", Provider: "openai", Model: "small", Attempt: 1}))
	p.Take(p.happened("r4", events.ModelReplied{Request: "r3", Usage: events.Usage{Input: 10}}))
	p.Take(p.happened("c1", events.ToolApproved{Call: "r4-0", Tool: "read_file", Ticket: "T-1",
		Args: json.RawMessage(`{"path":"a.go"}`)}))
	p.Take(p.happened("c2", events.ToolApproved{Call: "r4-1", Tool: "run_powershell", Ticket: "T-1",
		Args: json.RawMessage(`{"script":"make"}`)}))
	require.Equal(t, "T-1: read_file a.go 3s (+1) · 1 at work │ 10.1k tokens │ $0.0123 and more │ 3s",
		p.statusLine(p.begun.Add(3*time.Second), 200))
}

func TestTheStatusNamesTheWaitBeforeARequestIsMadeAgain(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := shownTo(&out)
	due := p.begun.Add(30 * time.Second)
	p.Take(p.happened("r1", events.ModelRequested{Tier: 2, Provider: "anthropic", Model: "claude-x", Attempt: 1}))
	p.Take(p.happened("f1", events.ModelFailed{Request: "r1", Kind: events.ModelRateLimited, Message: "slow down"}))
	p.Take(p.happened("r2", events.ModelRequested{Tier: 2, Provider: "anthropic", Model: "claude-x", Attempt: 2,
		NotBefore: &due}))
	require.Contains(t, out.String(), "tier 2, claude-x: rate_limited: slow down")
	require.Contains(t, out.String(), "tier 2, claude-x: retry (attempt 2) in 30s")
	require.Contains(t, p.statusLine(p.begun.Add(10*time.Second), 200), "tier 2: claude-x again in 20s")
}

func TestTheStatusFitsTheTerminal(t *testing.T) {
	t.Parallel()
	p := shownTo(io.Discard)
	p.Take(p.happened("r1", events.ModelRequested{Tier: 1, Provider: "anthropic", Model: strings.Repeat("ö", 90),
		Attempt: 1}))
	for _, width := range []int{20, 80} {
		require.Equal(t, width-1, utf8.RuneCountInString(p.statusLine(p.begun, width)), "the last column stays free")
	}
}

func TestAnAttemptThatIsOverIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	p := shownTo(io.Discard)
	p.Take(p.happened("r1", events.ModelRequested{Tier: 3, Ticket: "T-1", Provider: "anthropic", Model: "claude-x",
		Attempt: 1}))
	p.Take(p.happened("e1", events.TicketBlocked{Ticket: "T-1", Reason: "killed"}))
	require.Equal(t, "… · 1 blocked │ 0 tokens │ $0 │ 0s", p.statusLine(p.begun, 200))
}

func TestAFailedProgramShowsTheEndOfItsOutput(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewProgress(&Terminal{Out: &out})
	p.Take(p.happened("e1", events.ToolApproved{Call: "c", Tool: "run_powershell", Ticket: "T-1",
		Args: json.RawMessage(`{"script":"go test ./..."}`)}))
	ended := 1
	text := "STDOUT:\n" + strings.Repeat("ok\n", outputLines) + "FAIL: TestX\x1b[2J\nSTDERR:\n\nEXIT CODE: 1"
	failed := p.happened("e2", events.ToolSettled{Call: "c", Tool: "run_powershell", Outcome: events.ToolFailed,
		Exit: &ended, Text: text})
	failed.Seq = 2
	p.Take(failed)
	require.Contains(t, out.String(), "T-1 run_powershell go test ./...: failed (exit 1)\n          … earlier "+
		"lines: slop show 2\n")
	require.NotContains(t, out.String(), "STDOUT")
	require.Contains(t, out.String(), "FAIL: TestX<U+001B>[2J\n", "and nothing that a terminal would act on")
}

func TestAProgramThatEndedWellShowsItsLastLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewProgress(&Terminal{Out: &out})
	ended := 0
	settled := p.happened("e2", events.ToolSettled{Call: "c", Tool: "run_powershell", Outcome: events.ToolDone,
		Exit: &ended, Text: "STDOUT:\na\nb\nc\nd\nSTDERR:\n\nEXIT CODE: 0"})
	settled.Seq = 7
	p.Take(settled)
	require.True(t, strings.HasSuffix(out.String(), "done\n          … earlier lines: slop show 7\n          b\n"+
		"          c\n          d\n"), out.String())
}

func TestWhatAContributorSaysIsShown(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewProgress(&Terminal{Out: &out})
	p.Take(p.happened("r1", events.ModelRequested{Tier: 3, Ticket: "T-1", Provider: "script", Model: "m", Attempt: 1}))
	p.Take(p.happened("r2", events.ModelReplied{Request: "r1", Text: "The index was off by one.\n\n- mended done()\n- " +
		"ran the tests"}))
	require.Contains(t, out.String(), "T-1: The index was off by one. …\n          - mended done()\n          - ran the "+
		"tests\n")
}

func TestTheFailureOfAModelIsShownOnce(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewProgress(&Terminal{Out: &out})
	p.Take(p.happened("r1", events.ModelRequested{Tier: 1, Provider: "anthropic", Model: "m", Attempt: 1}))
	p.Take(p.happened("f1", events.ModelFailed{Request: "r1", Kind: events.ModelAuth, Message: "there is no key"}))
	p.Take(p.happened("f2", events.PlanningFailed{Tier: 1, Error: "the model failed (auth): there is no key"}))
	p.Take(p.happened("f3", events.GoalFailed{Reason: "tier 1 made no usable plan: the model failed (auth): there is no " +
		"key"}))
	require.Equal(t, 1, strings.Count(out.String(), "there is no key"))
}

func TestAQuestionThatTheEngineSettledSaysWhy(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewProgress(&Terminal{Out: &out})
	p.Take(p.happened("s1", events.AskSettled{Ask: "a", Gate: events.GateBudget, Outcome: events.No, By: "engine",
		Reason: "nothing waits for it any more"}))
	require.Contains(t, out.String(), "budget: no by engine: nothing waits for it any more")
}

func TestTheAnswerToAModelsQuestionIsShown(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewProgress(&Terminal{Out: &out})
	settled := events.AskSettled{Ask: "a", Gate: events.GateQuestion, Outcome: events.Yes, By: "ada",
		Args: json.RawMessage(`{"answer":"the v2\nAPI"}`)}
	p.Take(p.happened("s1", settled))
	require.Contains(t, out.String(), "  ada answers: the v2 …\n")
	settled.Outcome, settled.Args = events.No, nil
	p.Take(p.happened("s2", settled))
	require.Contains(t, out.String(), "  question: no by ada\n")
}

func TestTheStatusFitsTheTerminalInColumns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line  string
		width int
		want  string
	}{
		"wide characters take two":    {"漢字漢字", 8, "漢字漢…"},
		"and fit where there is room": {"漢字漢字", 9, "漢字漢字"},
		"half a character is none":    {"漢字漢字", 7, "漢字…"},
		"emoji are wide":              {"😀😀😀", 5, "😀…"},
		"marks take none":             {"e\u0301e\u0301e\u0301", 4, "e\u0301e\u0301e\u0301"},
		"a tab is one":                {"a\tb\tc", 6, "a b c"},
		"two columns":                 {"abc", 2, "…"},
		"one column":                  {"abc", 1, ""},
		"none":                        {"abc", 0, ""},
	} {
		require.Equal(t, c.want, fit(c.line, c.width), name)
		require.Less(t, Columns(c.want), max(c.width, 1), name)
	}
}

func TestWhatComesWhileAQuestionWaitsIsBounded(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := shownTo(&out)
	p.Ask(func(io.Writer) {}, "[y]es > ")
	for i := range heldLines + 1 {
		p.Take(p.happened("e", events.TicketCompleted{Ticket: fmt.Sprintf("T-%d-", i)}))
	}
	require.Len(t, p.held, heldLines)
	require.True(t, p.Answered())
	require.Contains(t, out.String(), "… 1 earlier lines are not shown")
	require.NotContains(t, out.String(), "T-0-")
	require.Contains(t, out.String(), "T-1-")
	require.Contains(t, out.String(), fmt.Sprintf("T-%d-", heldLines))
}

func TestALineOfAModelIsBounded(t *testing.T) {
	t.Parallel()
	for over := range 2 {
		var out bytes.Buffer
		p := NewProgress(&Terminal{Out: &out})
		p.Take(p.happened("e", events.GoalFailed{Reason: strings.Repeat("x", lineRunes-len("not done: ")+over)}))
		line, _, _ := strings.Cut(out.String(), "\n")
		require.Equal(t, lineRunes, utf8.RuneCountInString(line)-len("15:04:05  "))
		require.Equal(t, over == 1, strings.HasSuffix(line, "…"))
	}
}

func TestWhatATerminalDoesNotShowIsSpelledOut(t *testing.T) {
	t.Parallel()
	for _, r := range "\x1b\r\u0085\u202e\u200b\u2066\ufeff\u3164\u115f\u034f\U000e0100\U000e0041\ufe00\u2028" {
		require.Equal(t, fmt.Sprintf("a<U+%04X>b", r), Visible("a"+string(r)+"b"))
	}
	require.Equal(t, "a\uFFFDb ❤\ufe0f é\t", Visible("a\xffb ❤\ufe0f é\t"))
}

func TestAFloodOfEventsDoesNotPrintTheSameStatusAgain(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := shownTo(&out)
	p.begun = p.begun.Add(-time.Hour)
	p.paused = true
	for range 1000 {
		p.Take(p.happened("e", events.AskAnswered{}))
	}
	require.Less(t, strings.Count(out.String(), "paused"), 500, "once a second, by the time in it")
	require.NotEmpty(t, out.String())
	p.Say("a line")
	require.True(t, strings.HasSuffix(out.String(), p.standing), "it stands below a line again")
}

func TestATerminalIsNotifiedWithoutForeignEscapes(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := &Progress{Out: &out}
	p.Notify("an ask")
	require.Empty(t, out.String(), "no terminal")
	p.Status = true
	p.Notify("edit \x1b]0;gone\a\u009c\nrm \u202e" + strings.Repeat("x", 2*noticeRunes))
	said := out.String()
	require.Equal(t, 1, strings.Count(said, "\a"))
	require.Equal(t, 4, strings.Count(said, "\x1b"))
	require.NotContains(t, said, "\u009c")
	require.NotContains(t, said, "\n")
	require.Contains(t, said, "\x1b]9;slop: edit <U+001B>]0;gone<U+0007><U+009C> ⏎ rm <U+202E>xx")
	require.Contains(t, said, "\x1b]2;slop: edit ")
	require.Less(t, len([]rune(said)), 2*noticeRunes+40)
}

func TestAPlanIsShownWithItsDependencies(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	g := &Terminal{Out: &out}
	ask := events.AskRaised{Gate: events.GatePlan, Title: "plan of TR-1: 2 tickets", Args: []byte(`{"tickets":[
		{"id":"T-001","description":"Edit a.go\nand \u001btest","check":"go test"},
		{"id":"T-002","description":"Edit b.go","target_file":"b.go","depends_on":["T-001"],"persona_id":"tester"}]}`)}
	require.False(t, g.PrintAsk(&out, ask, false))
	require.Contains(t, out.String(), "   T-001\n     Edit a.go\n     and <U+001B>test\n     check: go test\n"+
		"   T-002 (b.go) after T-001\n     Edit b.go\n     persona_id: tester\n")
	out.Reset()
	g.PrintAsk(&out, ask, true)
	require.Contains(t, out.String(), "     persona_id: tester\n", "s shows the same")

	out.Reset()
	ask.Args = []byte(`{"why":"x","tickets":[{"id":"T-001","description":"Edit","status":"todo","priority":"medium",` +
		`"assigned_to":"tier3-worker","depends_on":[],"step_mode":false,"retry_count":0},{"id":7,"description":"",` +
		`"depends_on":"T-001","status":"completed","priority":"high","step_mode":true,"context_requirements":["a.go"]}]}`)
	g.PrintAsk(&out, ask, true)
	require.Contains(t, out.String(), "\n   why: x\n   T-001\n     Edit\n   \n     \n     context_requirements:\n       - a.go\n"+
		"     depends_on: T-001\n     id: 7\n     priority: high\n     status: completed\n     step_mode: true\n",
		"what is unusual or has another type is shown")
}
