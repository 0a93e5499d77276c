package app

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

// askedAbout returns an asker with one question about each script, the first of which is on the terminal.
func askedAbout(out *bytes.Buffer, scripts ...string) *asker {
	a := &asker{g: &site.Flags{Terminal: term.Terminal{Out: out, Err: out}}, view: &term.Progress{Out: out}, shown: "a-1",
		opened: events.SessionOpened{Workspace: "/w", Settings: events.Settings{Shell: "bash"},
			Basis: events.Basis{Decisions: map[string]int{events.ActorApproval: 2}}}}
	for i, script := range scripts {
		a.open = append(a.open, events.AskRaised{Ask: "a-" + string(rune('1'+i)), Gate: events.GateTool,
			Tool: "run_powershell", Title: "run_powershell " + script, Ticket: "T-00" + string(rune('1'+i)), Effect: "executes",
			Args: []byte(`{"script":"` + script + `"}`)})
	}
	return a
}

func TestAYesFromNowOnShowsTheRuleFirst(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := askedAbout(&out, "go test ./a", "go test ./b", "go vet ./...")
	answer, err := a.always("")
	require.NoError(t, err)
	require.Nil(t, answer)
	require.Contains(t, out.String(), "from now on, for this session: run_powershell: go test *\n"+
		"open asks that it also settles (1): T-002 run_powershell go test ./b\n")
	answer, err = a.always("ticket go test ./a")
	require.NoError(t, err)
	require.Nil(t, answer)
	require.Contains(t, out.String(), "from now on, for T-001: run_powershell: go test ./a\ntype a to record it")
	answer, err = a.always("")
	require.NoError(t, err)
	require.Equal(t, events.AskAnswered{Ask: "a-1", Decision: events.Yes, Reason: "from now on"}, *answer)
	require.Equal(t, events.Rule{Tool: "run_powershell", Action: "allow", Args: []string{"go test ./a"},
		Scope: "ticket T-001", Source: "yes to a-1"}, a.rule.rule)
}

func TestARuleThatLeavesTheQuestionIsNotTaken(t *testing.T) {
	t.Parallel()
	for line, why := range map[string]string{
		"session go vet *":          "this rule does not settle the question",
		"session *":                 "must begin with the name of a program",
		"session go test && go vet": "one simple command",
		"forever":                   "ticket, session or config",
	} {
		var out bytes.Buffer
		a := askedAbout(&out, "go test ./a")
		answer, err := a.always(line)
		require.ErrorContains(t, err, why)
		require.Nil(t, answer)
		require.Empty(t, a.rule.ask)
	}
	var out bytes.Buffer
	a := askedAbout(&out, "go test ./a && $x")
	_, err := a.always("")
	require.ErrorContains(t, err, "no rule can answer this question: …: which program it runs is only known at run time")
	a = askedAbout(&out, "go test ./a && go vet ./a")
	answer, err := a.always("session go test *; go vet ./a")
	require.NoError(t, err)
	require.Nil(t, answer)
	require.Equal(t, []string{"go test *", "go vet ./a"}, a.rule.rule.Args)
	require.Contains(t, out.String(), "run_powershell: go test *; go vet ./a\n", "shown as it can be typed")
	_, err = a.always("session go test *; go vet ./a;")
	require.ErrorContains(t, err, "empty")
	a = askedAbout(&out, "go test ./a")
	a.yes.rules = []events.Rule{{Tool: "run_powershell", Action: "deny", Args: []string{"go *"}}}
	_, err = a.always("")
	require.ErrorContains(t, err, "this rule does not settle the question", "deny wins")
	a = askedAbout(&out, "go test ./a")
	a.cut = "a-1"
	_, err = a.always("")
	require.ErrorContains(t, err, "type s to see all of it")
	a = askedAbout(&out, "go test ./a")
	a.opened.Basis.Decisions = nil
	_, err = a.always("ticket")
	require.ErrorContains(t, err, "use the scope session or config")
}

func TestARuleIsMadeOnlyByAnAnswerThatCounts(t *testing.T) {
	t.Parallel()
	a := askedAbout(new(bytes.Buffer), "go test ./a")
	a.making = map[string]proposedRule{"yes-1": {ask: "a-1"}, "yes-2": {ask: "a-1"}}
	a.take(&events.Event{Payload: events.AnswerRefused{Ask: "a-1", AnswerID: "yes-1"}})
	require.Empty(t, a.made)
	a.take(&events.Event{Payload: events.AskSettled{Ask: "a-1", AnswerID: "no-1"}})
	require.Empty(t, a.made, "the answer of somebody else")
	a.take(&events.Event{Payload: events.AskSettled{Ask: "a-1", AnswerID: "yes-2"}})
	require.Equal(t, []proposedRule{{ask: "a-1"}}, a.made)
}

func TestARefusalThatComesLaterIsTold(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := askedAbout(&out, "go test ./a")
	refused := &events.Event{Payload: events.AnswerRefused{Ask: "a-1", AnswerID: "yes-1", Reason: "it does not fit"}}
	a.take(refused)
	require.Empty(t, out.String(), "the answer of somebody else")
	a.pending = map[string]bool{"a-1": true}
	a.take(refused)
	require.Contains(t, out.String(), "the answer to a-1 was not accepted: it does not fit")
	require.Empty(t, a.pending)
}

func TestATemporaryFileHasAPlainEnding(t *testing.T) {
	t.Parallel()
	for _, ending := range []string{".go", ".Dockerfile", "." + strings.Repeat("a", 16)} {
		require.True(t, plainEnding().MatchString(ending), ending)
	}
	for _, ending := range []string{"", ".", ".$(id)", ".a\n", ".a b", "." + strings.Repeat("a", 17)} {
		require.False(t, plainEnding().MatchString(ending), ending)
	}
}
