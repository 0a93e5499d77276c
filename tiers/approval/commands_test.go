package approval_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// runsScript is a call of the shell.
func runsScript(script string) events.ToolRequested {
	args, err := json.Marshal(map[string]string{"script": script})
	if err != nil {
		panic(err)
	}
	return wants("c1", "run_powershell", string(args))
}

// decidedBy opens a session with rules that approval judges under a decision number.
func decidedBy(number int, rules ...events.Rule) []events.Payload {
	return given(events.SessionOpened{Workspace: "/w", Settings: events.Settings{Rules: rules, Shell: "bash",
		ToolTimeoutMS: toolTimeout},
		Basis: events.Basis{Decisions: map[string]int{events.ActorApproval: number}}}, offers())
}

func TestRulesOverCommands(t *testing.T) {
	t.Parallel()
	tests := named(allow("run_powershell", "go test *", "git status"), "tests")
	echo := named(allow("run_powershell", "echo *"), "echo")
	list := func(r ...events.Rule) []events.Rule { return r }
	rows := []ruling{
		{"a command", list(tests), runsScript("go test ./..."), runs, "tests"},
		{"commands of several rules", list(tests, echo), runsScript("go test ./... && echo done; git status"), runs,
			"tests, echo"},
		{"one command that no rule covers", list(tests, echo), runsScript("go test ./... && rm -rf x"), asks,
			"no rule allows the command rm -rf x"},
		{"a command in a substitution", list(tests), runsScript("go test $(rm x)"), asks,
			"no rule allows the command go test …"},
		{"what is known only when it runs", list(tests), runsScript(`eval "$x"`), asks,
			"no rule can allow the command eval …: eval runs a text"},
		{"what cannot be read", list(tests), runsScript("go test ("), asks, "no rule can allow this script: "},
		{"no rule over commands", list(allow("edit_file")), runsScript("go test"), asks, ""},
		{"a deny beats an allow", list(tests, deny("run_powershell", "go test -race *")), runsScript("go test -race ./a"),
			isDenied, "test:deny"},
		{"a deny beats --yes", list(yesRule, deny("run_powershell", "rm *")), runsScript("ls; /bin/rm x"), isDenied,
			"test:deny"},
		{"a deny that may apply asks", list(yesRule, deny("run_powershell", "rm *")), runsScript("$x y"), asks, "test:deny"},
		{"a deny that does not apply", list(yesRule, deny("run_powershell", "rm *")), runsScript("ls"), runs, "--yes"},
		{"a deny that cannot be read asks", list(yesRule, deny("run_powershell", "a && b")), runsScript("ls"), asks,
			"test:deny"},
		{"an ask beats an allow", list(tests, ask("run_powershell", "go test -run *")), runsScript("go test -run x"), asks,
			"test:ask"},
		{"an allow that cannot be read covers nothing", list(allow("run_powershell", "*")), runsScript("ls"), asks, ""},
		{"globs of a rule for all tools are paths", list(allow("*", "go test *")), runsScript("go test ./a"), asks, ""},
		{"and ask where they deny", list(yesRule, deny("*", "docs/**")), runsScript("ls"), asks, "test:deny"},
	}
	var table scenarios
	for _, r := range rows {
		sc := r.scenario()
		sc.Given = decidedBy(2, r.rules...)
		table = append(table, sc)
	}
	tierstest.Run(t, approval.Decider(), table)
}

func TestOlderDecisionsTakePatternsOverCommandsForPaths(t *testing.T) {
	t.Parallel()
	call := runsScript("go test ./...")
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "1", Given: decidedBy(1, allow("run_powershell", "go test *")), When: call,
			Then: given(tierstest.Check(func(t testing.TB, p events.AskRaised) {
				t.Helper()
				require.Empty(t, p.Note)
			}))},
		{Name: "2", Given: decidedBy(2, allow("run_powershell", "go test *")), When: call,
			Then: given(approved(call, "rule", underRule("test:allow")))},
	})
}

func TestEditedScriptsAreJudgedAgain(t *testing.T) {
	t.Parallel()
	tierstest.Run(t, approval.Decider(), scenarios{{
		Name:  "an edit that a rule denies",
		Given: given(decidedBy(2, deny("run_powershell", "rm *")), runsScript("ls")),
		When:  answer(askID(events.GateTool, 3), events.Yes, editing(`{"script":"rm -rf x"}`)),
		Then:  given(decided[events.AnswerRefused]()),
	}})
}
