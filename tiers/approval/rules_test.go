package approval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// verdicts of a rule table.
const (
	runs     = "runs"
	asks     = "asks"
	isDenied = "is denied"
)

// ruling is one row: what rules make of a call.
type ruling struct {
	name  string
	rules []events.Rule
	call  events.ToolRequested
	want  string
	why   string // part of the rule's name, where one decides
}

func (r ruling) scenario() tierstest.Scenario {
	sc := tierstest.Scenario{Name: r.name + " " + r.want, Given: begin(rules(r.rules...)), When: r.call}
	switch r.want {
	case runs:
		sc.Then = given(tierstest.Check(func(t testing.TB, p events.ToolApproved) {
			t.Helper()
			require.Equal(t, "rule", p.By)
			require.Contains(t, p.Rule, r.why)
		}))
	case isDenied:
		sc.Then = given(tierstest.Check(func(t testing.TB, p events.ToolDenied) {
			t.Helper()
			require.Equal(t, "rule", p.By)
			require.Contains(t, p.Reason, "a rule forbids it ("+r.why)
		}))
	case asks:
		sc.Then = given(decided[events.PreviewRequested]())
		if !strings.Contains(effects()[r.call.Tool], "writes") {
			sc.Then = given(tierstest.Check(func(t testing.TB, p events.AskRaised) {
				t.Helper()
				require.Contains(t, p.Note, r.why)
			}))
		}
	}
	return sc
}

func check(t *testing.T, rows []ruling) {
	t.Helper()
	var table scenarios
	for _, r := range rows {
		table = append(table, r.scenario())
	}
	tierstest.Run(t, approval.Decider(), table)
}

func editOf(path string) events.ToolRequested {
	return wants("c1", "edit_file", fmt.Sprintf(`{"path":%q}`, path))
}

func readOf(path string) events.ToolRequested {
	return wants("c1", "read_file", fmt.Sprintf(`{"path":%q}`, path))
}

func TestDenyBeatsAskBeatsAllow(t *testing.T) {
	t.Parallel()
	read := readOf("a.go")
	list := func(r ...events.Rule) []events.Rule { return r }
	check(t, []ruling{
		{"allow", list(allow("run_powershell")), shell, runs, "test:allow"},
		{"ask over allow", list(ask("run_powershell"), allow("run_powershell")), shell, asks, "test:ask"},
		{"allow then ask", list(allow("run_powershell"), ask("run_powershell")), shell, asks, "test:ask"},
		{"deny over ask", list(deny("run_powershell"), ask("run_powershell"), allow("run_powershell")), shell, isDenied,
			"test:deny"},
		{"allow, ask, deny", list(allow("run_powershell"), ask("run_powershell"), deny("run_powershell")), shell, isDenied,
			"test:deny"},
		{"a read under ask", list(ask("read_file")), read, asks, "test:ask"},
		{"a read under deny", list(deny("read_*")), read, isDenied, "test:deny"},
		{"--yes", list(yesRule), shell, runs, "--yes"},
		{"--yes on an unknown effect", list(yesRule), wants("c1", "odd", `{}`), runs, "--yes"},
		{"--yes under ask", list(yesRule, ask("run_powershell")), shell, asks, "test:ask"},
		{"--yes under deny", list(yesRule, deny("run_powershell")), shell, isDenied, "test:deny"},
		{"a rule for another tool", list(allow("run_power"), deny("read_file")), shell, asks, ""},
		{"a glob over tools", list(allow("run_*")), shell, runs, "test:allow"},
		{"alternatives over tools", list(allow("{odd,run_powershell}")), shell, runs, "test:allow"},
		{"deny in another case", list(yesRule, deny("Run_PowerShell")), shell, isDenied, "test:deny"},
		{"allow in another case", list(allow("Run_PowerShell")), shell, asks, ""},
		{"a rule without a source is named by what it says", list(events.Rule{Tool: "run_powershell", Action: "deny"}), shell,
			isDenied, "deny run_powershell"},
	})
}

func TestRulesThatCannotBeJudgedAsk(t *testing.T) {
	t.Parallel()
	list := func(r ...events.Rule) []events.Rule { return append([]events.Rule{yesRule}, r...) }
	check(t, []ruling{
		{"an unknown action", list(rule("forbid", "run_powershell", nil)), shell, asks, "test:forbid"},
		{"no action", list(rule("", "run_powershell", nil)), shell, asks, "test:"},
		{"a broken glob over tools in a deny", list(deny("run_[")), shell, asks, "test:deny"},
		{"a broken glob over tools in an ask", list(ask("{run")), shell, asks, "test:ask"},
		{"a deny without a tool", list(deny("")), shell, asks, "test:deny"},
		{"a broken glob over paths in a deny", list(deny("*", "src/[")), readOf("a.go"), asks, "test:deny"},
		{"a broken glob beside one that hits", list(deny("*", "src/[", "a.go")), readOf("a.go"), isDenied, "test:deny"},
		{"a deny over paths on a shell", list(deny("*", "docs/**")), shell, asks, "test:deny"},
		{"a deny over paths on a call without a path", list(deny("*", "docs/**")), wants("c1", "web_search", `{"query":"x"}`),
			asks, "test:deny"},
		{"a deny over paths on a path outside", list(deny("*", "docs/**")), readOf("/etc/passwd"), asks, "test:deny"},
		{"a deny over paths on a path above", list(deny("*", "docs/**")), readOf("../w/docs/a"), asks, "test:deny"},
		{"a deny over paths on a path with a drive", list(deny("*", "docs/**")), readOf(`C:\w\docs\a`), asks, "test:deny"},
		{"a deny over paths on a path of no text", list(deny("*", "docs/**")), wants("c1", "odd", `{"path":["docs/a"]}`),
			asks, "test:deny"},
		{"a deny over paths on one path elsewhere and one of no text", list(deny("*", "docs/**")),
			wants("c1", "odd", `{"path":"src/a","target":["src/b"]}`), asks, "test:deny"},
		{"a deny over paths on a path under an unknown name", list(deny("*", "docs/**")),
			wants("c1", "odd", `{"path":"src/a","to":{"file":["docs/a"]}}`), asks, "test:deny"},
		{"a deny over paths on a call of no object", list(deny("*", "docs/**")), wants("c1", "anything", `"docs/a"`), asks,
			"test:deny"},
		{"a deny over paths on a read that goes beyond its path", list(deny("*", "docs/**")), wants("c1", "find_text",
			`{"path":"src"}`), asks, "test:deny"},
		{"a deny over paths on a write that goes beyond its path", list(deny("*", "docs/**")), wants("c1", "rename_symbol",
			`{"path":"src/a"}`), asks, "test:deny"},
		{"an allow over paths on a write that goes beyond its path", []events.Rule{allow("*", "src/**")},
			wants("c1", "rename_symbol", `{"path":"src/a"}`), asks, ""},
		{"an ask over paths on a shell", list(ask("*", "docs/**")), shell, asks, "test:ask"},
		{"an allow that cannot be judged stays silent", []events.Rule{allow("run_["), allow("")}, shell, asks, ""},
	})
}

func TestRefusalsOverPaths(t *testing.T) {
	t.Parallel()
	deny := func(globs ...string) []events.Rule { return []events.Rule{yesRule, deny("*", globs...)} }
	move := wants("c1", "move_file", `{"src_path":"src/a","dest_path":"docs/a"}`)
	check(t, []ruling{
		{"a path", deny("docs/**"), editOf("docs/a.md"), isDenied, "test:deny"},
		{"a path elsewhere", deny("docs/**"), editOf("src/a.md"), runs, "--yes"},
		{"another case", deny("docs/**"), editOf("Docs/A.md"), isDenied, "test:deny"},
		{"a glob in another case", deny("DOCS/*.MD"), editOf("docs/a.md"), isDenied, "test:deny"},
		{"a letter that folds", deny("docs/k.md"), editOf("docs/\u212a.md"), isDenied, "test:deny"},
		{"an invisible character", deny("docs/**"), editOf("do\u200dcs/a.md"), isDenied, "test:deny"},
		{"a detour through .", deny("docs/**"), editOf("./docs/./a.md"), isDenied, "test:deny"},
		{"a detour through ..", deny("docs/**"), editOf("src/../docs/a.md"), isDenied, "test:deny"},
		{"doubled slashes", deny("docs/**"), editOf("docs//a.md"), isDenied, "test:deny"},
		{"backslashes", deny("docs/**"), editOf(`docs\a.md`), isDenied, "test:deny"},
		{"an absolute path inside", deny("docs/**"), editOf("/w/docs/a.md"), isDenied, "test:deny"},
		{"an absolute path inside with a detour", deny("docs/**"), editOf("/x/../w/docs/a.md"), isDenied, "test:deny"},
		{"a sibling of the workspace is outside", deny("docs/**"), readOf("/w2/docs/a.md"), asks, "test:deny"},
		{"the folder itself", deny("docs/**"), editOf("docs"), isDenied, "test:deny"},
		{"the workspace itself", deny("docs/**"), readOf("/w"), asks, "test:deny"},
		{"a glob with ./", deny("./docs/**"), editOf("docs/a.md"), isDenied, "test:deny"},
		{"a glob with backslashes", deny(`docs\**`), editOf("docs/a.md"), isDenied, "test:deny"},
		{"an absolute glob", deny("/w/docs/**"), editOf("docs/a.md"), isDenied, "test:deny"},
		{"a folder as a glob", deny("docs/"), editOf("docs/a/b.md"), isDenied, "test:deny"},
		{"one of several globs", deny("x", "docs/*"), editOf("docs/a.md"), isDenied, "test:deny"},
		{"one of several paths", deny("docs/**"), move, isDenied, "test:deny"},
		{"a target", deny("docs/**"), wants("c1", "odd", `{"target":"docs/a"}`), isDenied, "test:deny"},
		{"one path outside and one that is hit", deny("docs/**"), wants("c1", "odd", `{"path":"docs/a","target":"/etc"}`),
			isDenied, "test:deny"},
		{"a path in a list of objects", deny("docs/**"), wants("c1", "mcp__fs__write",
			`{"edits":[{"path":"src/a"},{"path":"docs/a"}]}`), isDenied, "test:deny"},
		{"paths elsewhere in a list of objects", deny("docs/**"), wants("c1", "mcp__fs__write",
			`{"edits":[{"path":"src/a"},{"path":"src/b"}]}`), runs, "--yes"},
		{"a text that is no path", deny("docs/**"), wants("c1", "edit_file", `{"path":"src/a","content":"see docs"}`), runs,
			"--yes"},
		{"an ask", []events.Rule{yesRule, ask("*", "docs/**")}, readOf("docs/a.md"), asks, "test:ask"},
		{"an ask elsewhere", []events.Rule{yesRule, ask("*", "docs/**")}, readOf("src/a.md"), runs, "--yes"},
	})
}

func TestAllowsOverPaths(t *testing.T) {
	t.Parallel()
	only := func(globs ...string) []events.Rule { return []events.Rule{allow("*", globs...)} }
	check(t, []ruling{
		{"a path", only("src/**"), editOf("src/a.go"), runs, "test:allow"},
		{"an absolute path inside", only("src/**"), editOf("/w/src/a.go"), runs, "test:allow"},
		{"a clean detour", only("src/**"), editOf("src/x/../a.go"), runs, "test:allow"},
		{"a glob with ./", only("./src/**"), editOf("src/a.go"), runs, "test:allow"},
		{"another of several globs", only("x", "src/**"), editOf("src/a.go"), runs, "test:allow"},
		{"several paths, each under one glob", only("src/*", "docs/*"), wants("c1", "move_file",
			`{"src_path":"src/a","dest_path":"docs/a"}`), runs, "test:allow"},
		{"paths in a list of objects", only("src/**"), wants("c1", "mcp__fs__write",
			`{"edits":[{"path":"src/a"},{"path":"src/b"}]}`), runs, "test:allow"},
		{"paths in a list of objects, one of them not", only("src/**"), wants("c1", "mcp__fs__write",
			`{"edits":[{"path":"src/a"},{"path":"docs/b"}]}`), asks, ""},
		{"paths in a list of objects, one of no text", only("**"), wants("c1", "mcp__fs__write",
			`{"edits":[{"path":"src/a"},{"path":7}]}`), asks, ""},
		{"several paths, one of them not", only("src/**"), wants("c1", "move_file",
			`{"src_path":"src/a","dest_path":"docs/a"}`), asks, ""},
		{"another case", only("src/**"), editOf("Src/a.go"), asks, ""},
		{"a detour out of it", only("src/**"), editOf("src/../docs/a.go"), asks, ""},
		{"a path above", only("**"), editOf("../a.go"), asks, ""},
		{"a path outside", only("**"), editOf("/etc/passwd"), asks, ""},
		{"a path with a drive", only("**"), editOf(`C:\w\a.go`), asks, ""},
		{"a path inside and one outside", only("**"), wants("c1", "mcp__fs__write", `{"path":"src/a","target":"/etc/a"}`),
			asks, ""},
		{"a path inside and one of no text", only("**"), wants("c1", "mcp__fs__write", `{"path":"src/a","target":["src/b"]}`),
			asks, ""},
		{"a broken glob", only("src/["), editOf("src/a.go"), asks, ""},
		{"a glob whose backslash was meant as a slash", only(`src\*`), editOf("src/a.go"), asks, ""},
		{"a shell", only("**"), shell, asks, ""},
		{"a shell that names a path", only("**"), wants("c1", "script_file", `{"path":"src/a.sh"}`), asks, ""},
		{"a write that also runs", only("**"), wants("c1", "save_and_run", `{"path":"src/a.sh"}`), asks, ""},
		{"an unknown effect", only("**"), wants("c1", "odd", `{"path":"src/a.go"}`), asks, ""},
		{"a write that looks things up", only("src/**"), wants("c1", "fetch_and_save", `{"path":"src/a.go"}`), runs,
			"test:allow"},
		{"a hook of git", only("**"), editOf(".git/hooks/pre-commit"), asks, ""},
		{"the configuration of git, in another case", only("**", "*/*"), editOf("sub/../.Git/config"), asks, ""},
		{"the .git of a folder below", only("src/**"), editOf("src/dep/.git/config"), asks, ""},
		{"the configuration of the engine", only("**", "*.toml"), editOf("slop.toml"), asks, ""},
		{"the settings of another agent", only("**", ".*/*"), editOf(".claude/settings.json"), asks, ""},
		{"the settings of another agent, by name", only(".claude/*.json"), editOf(".claude/settings.json"), runs,
			"test:allow"},
		{"a name that only begins so", only("**"), editOf(".github/workflows/ci.yml"), runs, "test:allow"},
		{"a call without a path", only("**"), wants("c1", "mcp__fs__write", `{"file":"src/a.go"}`), asks, ""},
		{"a path of no text", only("**"), wants("c1", "mcp__fs__write", `{"path":1}`), asks, ""},
	})
}

func TestWithoutAWorkspaceAnAbsolutePathIsOutside(t *testing.T) {
	t.Parallel()
	open := given(events.SessionOpened{Settings: events.Settings{Rules: []events.Rule{allow("*", "**")}}}, offers())
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "absolute", Given: open, When: editOf("/a.go"), Then: given(decided[events.PreviewRequested]())},
		{Name: "relative", Given: open, When: editOf("a.go"), Then: given(decided[events.ToolApproved]())},
	})
}

func TestRulesHoldFromWhereTheyStand(t *testing.T) {
	t.Parallel()
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "an added rule judges what comes after it", Given: given(begin(), events.RuleAdded{Rule: yesRule}), When: edit,
			Then: given(approved(edit, "rule", underRule("--yes"))),
		},
		{Name: "and answers nothing that was asked before", Given: given(begin(), shell),
			When: events.RuleAdded{Rule: yesRule}},
	})
}
