package qa_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/basis"
	"manualslop/tiers/fence"
	"manualslop/tiers/qa"
	"manualslop/tiers/tierstest"
)

type scenarios = []tierstest.Scenario

// opened is a session whose tier 4 is scripted; call c1 of T-1 was approved.
func opened(change ...func(*events.Settings)) []events.Payload {
	s := events.Settings{Tiers: []events.TierSettings{{Tier: 4, Provider: "script", Models: []string{"q0", "q1"},
		MaxOutputTokens: 60}}}
	for _, c := range change {
		c(&s)
	}
	return given(events.SessionOpened{Basis: basis.Of("test"), Settings: s}, requested("c1", 1), approved("c1", 1))
}

func given(parts ...any) []events.Payload { return tierstest.Join(parts...) }

func requested(call string, attempt int) events.Payload {
	return events.ToolRequested{Call: call, Tool: "run_powershell", Args: json.RawMessage(`{}`), Ticket: "T-1",
		Attempt: attempt, Round: 1}
}

func approved(call string, generation int) events.Payload {
	return events.ToolApproved{Call: call, Tool: "run_powershell", Ticket: "T-1", ArgsSHA256: "ab", Generation: generation}
}

// settled is the outcome of c1: a failed shell call unless changed.
func settled(change ...func(*events.ToolSettled)) events.Payload {
	exit := 1
	p := events.ToolSettled{Call: "c1", Tool: "run_powershell", Outcome: events.ToolFailed, Text: "STDOUT:\n", Exit: &exit,
		Stderr: "boom", Interpreter: "bash", ArgsSHA256: "ab", Generation: 1}
	for _, c := range change {
		c(&p)
	}
	return p
}

func outcome(o string) func(*events.ToolSettled) {
	return func(p *events.ToolSettled) { p.Outcome = o }
}

func generation(n int) func(*events.ToolSettled) {
	return func(p *events.ToolSettled) { p.Generation = n }
}

func stderr(s string) func(*events.ToolSettled) { return func(p *events.ToolSettled) { p.Stderr = s } }

// asks checks a request to tier 4 and what it shows.
func asks(attempt int, shown string) events.Payload {
	return tierstest.Check(func(t testing.TB, p events.ModelRequested) {
		t.Helper()
		head, output, _ := strings.Cut(shown, "\n\n")
		manifest := append(tiers.Words(basis.Of("test"), "qa"),
			events.Part{Role: "user", Prefix: head + "\n\n", Text: output, Origin: fence.Program, Fence: p.Manifest[1].Fence})
		require.Len(t, p.Manifest[1].Fence, 12)
		digest, err := events.ManifestDigest(manifest)
		require.NoError(t, err)
		p.NotBefore = nil
		require.Equal(t, events.ModelRequested{StreamID: qa.StreamID, Ticket: "T-1", TicketAttempt: 1, Call: "c1",
			Attempt: attempt, Tier: 4, Provider: "script", Model: "q0",
			Params: events.ModelParams{MaxOutputTokens: 60}, Manifest: manifest, SHA256: digest}, p)
	})
}

const shownFirst = "bash, exit code 1\n\nboom"

func skips(reason string) []events.Payload {
	return given(events.HintSkipped{Call: "c1", Ticket: "T-1", Reason: reason})
}

// reply answers the newest request of tier 4.
func reply(text string) events.Payload { return finished(text, "stop") }

// cutOff is a reply that is longer than it may be.
func cutOff(text string) events.Payload { return finished(text, "max_tokens") }

func finished(text, finish string) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ModelReplied{Request: h.LastID("ModelRequested"), Text: text, Finish: finish}
	})
}

func failed(kind string) events.Payload { return tierstest.Failed(kind, "oh") }

func TestAFailedShellCallIsReadByTier4(t *testing.T) {
	t.Parallel()
	second := given(opened(), settled(outcome(events.ToolInterrupted)), events.InterruptResolved{Call: "c1",
		Resolution: events.InterruptRetry}, approved("c1", 2))
	tierstest.Run(t, qa.Decider(), scenarios{
		{Name: "failed", Given: opened(), When: settled(), Then: given(asks(1, shownFirst))},
		{Name: "failed when it was run again", Given: second, When: settled(generation(2)), Then: given(asks(1, shownFirst))},
		{Name: "done", Given: opened(), When: settled(outcome(events.ToolDone))},
		{Name: "killed", Given: opened(), When: settled(outcome(events.ToolKilled))},
		{Name: "interrupted", Given: opened(), When: settled(outcome(events.ToolInterrupted))},
		{Name: "failed, but no shell", Given: opened(), When: settled(func(p *events.ToolSettled) { p.Interpreter = "" })},
	})
}

func TestOnlyTheOutcomeThatCountsIsRead(t *testing.T) {
	t.Parallel()
	interrupted := given(opened(), settled(outcome(events.ToolInterrupted)))
	tierstest.Run(t, qa.Decider(), scenarios{
		{Name: "not a second one", Given: given(opened(), settled()), When: settled()},
		{Name: "not a failure after it was done", Given: given(opened(), settled(outcome(events.ToolDone))), When: settled()},
		{Name: "not one of another generation", Given: opened(), When: settled(generation(2))},
		{Name: "not one for other bytes", Given: opened(),
			When: settled(func(p *events.ToolSettled) { p.ArgsSHA256 = "cd" })},
		{Name: "not one before the approval", Given: given(events.SessionOpened{}, requested("c1", 1)), When: settled()},
		{Name: "not one of an unknown call", Given: opened(), When: settled(func(p *events.ToolSettled) { p.Call = "c9" })},
		{Name: "not one after an interruption", Given: interrupted, When: settled()},
		{Name: "not one after a parking", Given: given(opened(), events.ToolParked{Call: "c1"}), When: settled()},
		{Name: "not one after a person's word", Given: given(interrupted, events.InterruptResolved{Call: "c1",
			Resolution: events.InterruptDone}, approved("c1", 2)), When: settled(generation(2))},
		{Name: "not an old one while it runs again", Given: given(interrupted, events.InterruptResolved{Call: "c1",
			Resolution: events.InterruptRetry}, approved("c1", 2)), When: settled()},
	})
}

func TestNobodyIsAskedWhereTier4IsOff(t *testing.T) {
	t.Parallel()
	tierstest.Run(t, qa.Decider(), scenarios{
		{Name: "disabled", Given: opened(func(s *events.Settings) { s.QADisabled = true }), When: settled(),
			Then: skips("disabled")},
		{Name: "without a provider", Given: opened(func(s *events.Settings) { s.Tiers = nil }), When: settled(),
			Then: skips("disabled")},
		{Name: "disabled, and a call that needs no hint", Given: opened(func(s *events.Settings) { s.QADisabled = true }),
			When: settled(outcome(events.ToolDone))},
		{Name: "after the session", Given: given(opened(), events.SessionClosed{}), When: settled()},
		{Name: "a reply after the session", Given: given(opened(), settled(), events.SessionClosed{}), When: reply("a typo")},
	})
}

func TestAHintIsOneShortLine(t *testing.T) {
	t.Parallel()
	open := given(opened(), settled())
	hints := func(text string) []events.Payload {
		return given(events.HintGiven{Call: "c1", Ticket: "T-1", Hint: text})
	}
	exact := strings.Repeat("x", qa.MaxHint)
	wide := "x" + strings.Repeat("é", qa.MaxHint)
	tierstest.Run(t, qa.Decider(), scenarios{
		{Name: "as it came", Given: open, When: reply("missing import"), Then: hints("missing import")},
		{Name: "on one line", Given: open, When: reply(" missing\n\timport \n"), Then: hints("missing import")},
		{Name: "at the limit", Given: open, When: reply(exact), Then: hints(exact)},
		{Name: "one byte over", Given: open, When: reply(exact + "y"), Then: hints(exact + "…")},
		{Name: "cut between characters", Given: open, When: reply(wide),
			Then: hints("x" + strings.Repeat("é", qa.MaxHint/2-1) + "…")},
		{Name: "without what was thought", Given: open, When: reply("<think>\nperhaps a typo\n</think>\nmissing import"),
			Then: hints("missing import")},
		{Name: "nothing but a thought", Given: open, When: reply("<think>perhaps a typo</think>"),
			Then: skips("the model sent no text")},
		{Name: "no text", Given: open, When: reply(" \n"), Then: skips("the model sent no text")},
		{Name: "half of one", Given: open, When: cutOff("the import is not"),
			Then: skips("the reply was cut off by max_output_tokens")},
		{Name: "once", Given: given(open, reply("missing import")), When: reply("a typo")},
		{Name: "not for the request of another tier", Given: given(open, events.ModelRequested{Tier: 3}),
			When: events.ModelReplied{Request: tierstest.ID(5), Text: "a typo"}},
	})
}

func TestAFailedModelIsAskedAgainWhereItMayHelp(t *testing.T) {
	t.Parallel()
	open := given(opened(), settled())
	overloaded := failed(events.ModelOverloaded)
	tierstest.Run(t, qa.Decider(), scenarios{
		{Name: "a second time", Given: open, When: overloaded, Then: given(asks(2, shownFirst))},
		{Name: "after a wait", Given: open, When: overloaded,
			Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
				require.Equal(t, tierstest.At(5).Add(250*time.Millisecond), *p.NotBefore)
			}))},
		{Name: "a third time", Given: given(open, overloaded), When: overloaded, Then: given(asks(3, shownFirst))},
		{Name: "not a fourth time", Given: given(open, overloaded, overloaded), When: overloaded,
			Then: skips("model overloaded: oh")},
		{Name: "a hint at the second time", Given: given(open, overloaded), When: reply("a typo"),
			Then: given(events.HintGiven{Call: "c1", Ticket: "T-1", Hint: "a typo"})},
		{Name: "script exhausted", Given: open, When: failed(events.ModelExhausted),
			Then: skips("model script_exhausted: oh")},
		{Name: "refused", Given: open, When: failed(events.ModelRefused), Then: skips("model refused: oh")},
		{Name: "a failure after a reply", Given: given(open, reply("a typo")), When: overloaded},
		{Name: "a reply after the last failure", Given: given(open, failed(events.ModelAuth)), When: reply("a typo")},
	})
}

func TestNothingIsSentForAKilledTicket(t *testing.T) {
	t.Parallel()
	killed := events.TicketKilled{Ticket: "T-1", Attempt: 1}
	later := given(opened(), requested("c2", 2), approved("c2", 1), killed)
	tierstest.Run(t, qa.Decider(), scenarios{
		{Name: "killed before the outcome", Given: given(opened(), killed), When: settled(),
			Then: skips("the ticket was killed")},
		{Name: "killed before another attempt", Given: given(opened(), settled(), killed),
			When: failed(events.ModelOverloaded), Then: skips("the ticket was killed")},
		{Name: "killed before the reply", Given: given(opened(), settled(), killed), When: reply("a typo"),
			Then: given(events.HintGiven{Call: "c1", Ticket: "T-1", Hint: "a typo"})},
		{Name: "another ticket", Given: given(opened(), events.TicketKilled{Ticket: "T-2", Attempt: 1}), When: settled(),
			Then: given(asks(1, shownFirst))},
		{Name: "the next attempt", Given: later, When: settled(func(p *events.ToolSettled) { p.Call = "c2" }),
			Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
				require.Equal(t, 2, p.TicketAttempt)
			}))},
		{Name: "an older kill does not lift a newer one", Given: given(opened(), requested("c2", 2), approved("c2", 1),
			events.TicketKilled{Ticket: "T-1", Attempt: 2}, killed),
			When: settled(func(p *events.ToolSettled) { p.Call = "c2" }),
			Then: given(events.HintSkipped{Call: "c2", Ticket: "T-1", Reason: "the ticket was killed"})},
	})
}

func TestWhatTier4IsShown(t *testing.T) {
	t.Parallel()
	exact := strings.Repeat("x", qa.MaxTrace)
	shows := func(name, want string, change ...func(*events.ToolSettled)) tierstest.Scenario {
		return tierstest.Scenario{Name: name, Given: opened(), When: settled(change...), Then: given(asks(1, want))}
	}
	text := func(s string) func(*events.ToolSettled) { return func(p *events.ToolSettled) { p.Text = s } }
	tierstest.Run(t, qa.Decider(), scenarios{
		shows("the error output", shownFirst),
		shows("the result where there is no error output", "bash, exit code 1\n\nAssertionError", stderr(" \n"),
			text("AssertionError")),
		shows("without an exit code", "pwsh, no exit code\n\nboom", func(p *events.ToolSettled) {
			p.Exit, p.Interpreter = nil,
				"pwsh"
		}),
		shows("at the limit", "bash, exit code 1\n\n"+exact, stderr(exact)),
		shows("the end of what is over it", "bash, exit code 1\n\n…"+exact[1:]+"!", stderr(exact+"!")),
		shows("whole characters", "bash, exit code 1\n\n…"+strings.Repeat("é", qa.MaxTrace/2-1)+"!",
			stderr(strings.Repeat("é", qa.MaxTrace)+"!")),
	})
	h := tierstest.Play(t, qa.Decider(), given(opened(), settled(stderr(strings.Repeat("€", qa.MaxTrace))))...)
	require.True(t, utf8.ValidString(h.LastRequest().Manifest[1].Text))
}

func TestTwoFailedCallsAreReadApart(t *testing.T) {
	t.Parallel()
	h := tierstest.Play(t, qa.Decider(), given(opened(), requested("c2", 1), approved("c2", 1), settled(),
		settled(func(p *events.ToolSettled) { p.Call = "c2" }))...)
	all := h.Requests()
	require.Len(t, all, 2)
	h = tierstest.Play(t, qa.Decider(), given(opened(), requested("c2", 1), approved("c2", 1), settled(),
		settled(func(p *events.ToolSettled) { p.Call = "c2" }),
		reply("two"), events.ModelReplied{Request: tierstest.FactID(events.ActorQA, 6, 0), Text: "one"})...)
	require.Equal(t, []events.HintGiven{{Call: "c2", Ticket: "T-1", Hint: "two"}, {Call: "c1", Ticket: "T-1",
		Hint: "one"}}, tierstest.All[events.HintGiven](h))
}

func TestLaws(t *testing.T) {
	t.Parallel()
	histories := [][]events.Payload{
		given(opened(), settled(), events.TierChanged{Tier: 4, Provider: "other", Models: []string{"x"}},
			failed(events.ModelOverloaded), reply("a typo"), requested("c2", 1), approved("c2", 1),
			events.TicketKilled{Ticket: "T-1", Attempt: 1},
			settled(func(p *events.ToolSettled) { p.Call = "c2" })),
		given(opened(func(s *events.Settings) { s.QADisabled = true }), settled()),
	}
	tierstest.Laws(t, qa.Decider(), histories...)
	tierstest.SilentAfterClose(t, qa.Decider(), histories...)
}

func TestTier4KnowsTheProjectsRules(t *testing.T) {
	t.Parallel()
	view := events.View{Path: "AGENTS.md", View: events.ViewRaw, Text: "Use tabs.",
		SHA256: events.Digest([]byte("Use tabs.")), Size: 9}
	asked := tierstest.By(events.ActorContributor, events.ContextRequested{Tier: 3, Ticket: "T-1", Attempt: 1})
	built := tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ContextBuilt{Request: h.LastID("ContextRequested"), Views: []events.View{view,
			{Path: ".", View: events.ViewTree, Text: "a.go"}}}
	})
	careful := func(s *events.Settings) {
		s.Tiers[0].Persona = "ada"
		s.Roster.Personas = []events.Persona{{Name: "ada", SystemPrompt: "Be exact.", Models: []events.PreferredModel{
			{Provider: "gemini", Model: "p0"}}}}
	}
	h := tierstest.Play(t, qa.Decider(), given(opened(careful), asked, built, settled())...)
	r := h.Requests()[0]
	require.Equal(t, []string{"ada", "gemini", "p0"}, []string{r.Persona, r.Provider, r.Model})
	require.Len(t, r.Manifest, 4)
	require.Equal(t, "# Persona: ada\n\nBe exact.\n", r.Manifest[1].Text)
	require.True(t, strings.HasPrefix(r.Manifest[2].Prefix, "# Project rules: AGENTS.md"))
	require.Equal(t, h.LastID("ContextBuilt"), r.Manifest[2].From)
	require.Equal(t, "boom", r.Manifest[3].Text)
}
