package runtime_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tools/builtin"
)

// largeProject is a git repository of 3,000 files. All teams share it; each changes a
// file of its own.
func largeProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 3000 {
		name := filepath.Join(dir, fmt.Sprintf("pkg%02d", i/100), fmt.Sprintf("file%02d.go", i%100))
		if i%100 == 0 {
			require.NoError(t, os.Mkdir(filepath.Dir(name), 0o755))
		}
		text := fmt.Sprintf("package pkg%02d\n\n// Limit%02d bounds what is read.\nconst Limit%02d = 10\n", i/100, i%100,
			i%100)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@t", "commit",
		"-q", "-m", "begin"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return dir
}

// team is a model that plays all tiers, a list of turns for each.
type team struct {
	file  string // that its goal is about
	turns func(file string) map[int][]llmtest.Turn
}

func says(text string) llmtest.Turn { return llmtest.Turn{Text: text} }

func callsFor(name, args string) llmtest.Turn {
	return llmtest.Turn{Calls: []llmtest.Call{{Name: name, Args: args}}}
}

// teamPlan and teamTicket are what a team means in the end.
const teamPlan = `[{"id":"TR-1","title":"Limit","description":"The limit is 20","severity":"low","modules":[]}]`

func teamTicket(file string) string {
	return fmt.Sprintf(`[{"id":"T-1","description":"Set the limit to 20","target_file":%q,"check":"grep -q 'Limit.* = 20' %s"}]`, file, file)
}

func readsFile(file string) llmtest.Turn {
	return callsFor("read_file", fmt.Sprintf(`{"path":%q}`, file))
}

func editsFile(file, from, to string) llmtest.Turn {
	return callsFor("edit_file", fmt.Sprintf(`{"path":%q,"old_string":%q,"new_string":%q}`, file, from, to))
}

// careful does everything as its prompts ask for.
func careful(file string) map[int][]llmtest.Turn {
	return map[int][]llmtest.Turn{
		1: {says("```json\n" + teamPlan + "\n```")},
		2: {says("```json\n" + teamTicket(file) + "\n```")},
		3: {readsFile(file), editsFile(file, "= 10", "= 20"), callsFor("run_powershell",
			fmt.Sprintf(`{"script":"grep -q 'Limit.* = 20' %s"}`, file)),
			says("DONE: the limit is 20. grep ran with exit code 0.")},
	}
}

// sloppy thinks aloud, drafts, quotes, mixes types up, writes calls as text and forgets to end.
func sloppy(file string) map[int][]llmtest.Turn {
	draft := `[{"id":"TR-9","title":"Draft","description":"Perhaps all limits"}]`
	return map[int][]llmtest.Turn{
		1: {says("<think>\n" + draft + "\n</think>\nFirst idea: " + draft + "\n\nBetter:\n```json\n" + teamPlan +
			"\n```\nI hope that helps!")},
		2: {says("The form was `[{\"id\":\"T-001\",\"description\":\"<what to do>\"}]`, so:\n\n```\n" + teamTicket(file) +
			"\n```")},
		3: {
			says("Sure!\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"" + file + "\"}}\n```"),
			callsFor("read_file", fmt.Sprintf(`{"path":%q,"start_line":"1","info":"true"}`, file)),
			callsFor("edit_file", fmt.Sprintf(`{"path":%q,"search":"= 10","replace":"= 20"}`, file)),
			callsFor("edit_file", fmt.Sprintf(`{"path":%q,"old_string":"= 10","new_string":"= 20","replace_all":"false"}`,
				file)),
			says("I have set the limit to 20 as requested."),
			says("**DONE:** the limit is 20."),
		},
	}
}

// bad says nothing, promises, loops, is cut off, claims what it did not do, and breaks the check.
func bad(file string) map[int][]llmtest.Turn {
	cut := readsFile(file)
	cut.Fault = llmtest.CutInCall
	return map[int][]llmtest.Turn{
		1: {says(""), says("I will now make a plan."), says(teamPlan)},
		2: {says("Let me think about the tickets."), says(strings.Replace(teamTicket(file), `"T-1"`, "1", 1)),
			says(teamTicket(file))},
		3: {
			says("I will now edit the file."), says(""), readsFile(file), readsFile(file), readsFile(file), cut,
			says("<tool_call>{\"name\": \"edit_file\"}</tool_call>"), says("DONE: the limit is 20."), editsFile(file, "= 11",
				"= 20"),
			says("DONE: the limit is 20, really."),
			editsFile(file, "= 10", "= 2"), says("DONE: the limit is 20."), editsFile(file, "= 2\n", "= 20\n"),
			says("DONE: now it is."),
		},
	}
}

// player answers with a team's turns, in their order.
func (x team) player(t *testing.T) func(v llmtest.View) llmtest.Turn {
	var mu sync.Mutex
	turns := x.turns(x.file)
	return func(v llmtest.View) llmtest.Turn {
		mu.Lock()
		defer mu.Unlock()
		tier := whoAsks(v).tier
		if tier == 4 {
			return says("the pattern was not found")
		}
		if len(turns[tier]) == 0 {
			t.Errorf("tier %d is asked once more:\n%s", tier, v.Newest())
			return llmtest.Turn{Error: events.ModelInvalidRequest, Message: "no turn is left"}
		}
		turn := turns[tier][0]
		turns[tier] = turns[tier][1:]
		return turn
	}
}

// openTeam begins a session in which a team has the tools that it needs.
func (w *world) openTeam(on onWire) {
	w.open(func(s *events.Settings) {
		s.MaxRetries, s.Shell, s.System, s.Git = 2, "bash", "linux", true
		for i := range s.Tiers {
			s.Tiers[i].Provider, s.Tiers[i].Models, s.Tiers[i].MaxRounds = on.name, []string{on.model}, 20
		}
	})
	var offered events.ToolsOffered
	for _, t := range builtin.Tools().All() {
		switch spec := t.Spec(); spec.Name {
		case "read_file", "edit_file", "run_powershell":
			offered.Tools = append(offered.Tools, events.ToolOffer{Name: spec.Name, Description: spec.Text(),
				Effect: spec.Effect.String(), Schema: t.Schema()})
		}
	}
	w.say(offered)
	w.yesToAll()
}

func TestATeamOfAnyCareReachesItsGoalOnEveryWire(t *testing.T) {
	t.Parallel()
	dir, n := largeProject(t), 0
	for _, on := range theWires() {
		for name, turns := range map[string]func(string) map[int][]llmtest.Turn{"careful": careful, "sloppy": sloppy,
			"bad": bad} {
			x := team{file: fmt.Sprintf("pkg%02d/file42.go", n), turns: turns}
			n++
			t.Run(on.model+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				w.dir = dir
				w.serveOn(t, on, x.player(t))
				w.openTeam(on)
				w.start("")
				w.say(events.GoalSubmitted{Goal: "Set the limit of " + x.file + " to 20"})
				x.check(t, w.untilGoalEnds(t), dir, name)
			})
		}
	}
}

// check holds what a session came to against what it had to come to.
func (x team) check(t *testing.T, log []events.Event, dir, name string) {
	t.Helper()
	require.IsType(t, events.GoalCompleted{}, log[len(log)-1].Payload)
	text, err := os.ReadFile(filepath.Join(dir, x.file))
	require.NoError(t, err)
	require.Contains(t, string(text), "Limit42 = 20\n")
	var done events.TicketResolved
	checks := 0
	for _, e := range log {
		switch p := e.Payload.(type) {
		case events.TracksProposed:
			require.Equal(t, "TR-1", p.Tracks[0].ID)
		case events.ToolRequested:
			if p.Check {
				checks++
			}
		case events.TicketResolved:
			done = p
		}
	}
	require.Equal(t, "passed", done.Checked)
	require.Len(t, done.Changes, 1)
	require.Equal(t, map[string]int{"careful": 0, "sloppy": 1, "bad": 3}[name], checks, "checks that the engine ran")
}
