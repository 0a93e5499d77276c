package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

func TestAYesNeedsTheWholeQuestionOnTheTerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	args, err := json.Marshal(map[string]string{"script": strings.Repeat("echo\n", term.BriefLines) + "rm -rf hidden"})
	require.NoError(t, err)
	ask := events.AskRaised{Ask: "a-1", Gate: events.GateTool, Title: "run", Args: args}
	a := asker{g: &site.Flags{Terminal: term.Terminal{Out: &out, Err: &out}}, view: &term.Progress{Out: &out},
		open: []events.AskRaised{ask}, shown: "a-1"}
	require.True(t, a.g.PrintAsk(&out, ask, false))
	require.NotContains(t, out.String(), "rm -rf hidden")
	a.cut = "a-1"
	_, err = a.read("y")
	require.ErrorContains(t, err, "type s")
	given, err := a.read("n too long")
	require.NoError(t, err)
	require.Equal(t, events.No, given.Decision)
	given, err = a.read("s")
	require.NoError(t, err)
	require.Nil(t, given)
	require.Contains(t, out.String(), "rm -rf hidden")
	given, err = a.read("y")
	require.NoError(t, err)
	require.Equal(t, events.Yes, given.Decision)
}

func TestAnswersAreReadAsTyped(t *testing.T) {
	t.Parallel()
	a := asker{g: &site.Flags{}, open: []events.AskRaised{{Ask: "a-1"}}, shown: "a-1"}
	edited, err := a.read(`e {"path":"x"}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"path":"x"}`, string(edited.Args))
	require.Equal(t, events.Yes, edited.Decision)
	no, err := a.read("no not this file")
	require.NoError(t, err)
	require.Equal(t, "not this file", no.Reason)
	for _, line := range []string{"", "maybe", "yep", "e {broken"} {
		given, err := a.read(line)
		require.Error(t, err, line)
		require.Nil(t, given, line)
	}
}

func TestAStepIsReadLineByLineAndEdited(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	ask := events.AskRaised{Ask: "a-1", Gate: events.GateStep, Title: "round 2 of T-001 calls two", Ticket: "T-001",
		Args: json.RawMessage(`{"calls":[{"call":"c1","tool":"edit_file","args":{"path":"a.go","new_string":"x\ny\u202e"}}]}`)}
	a := asker{g: &site.Flags{Terminal: term.Terminal{Out: &out, Err: &out}}, view: &term.Progress{Out: &out},
		open: []events.AskRaised{ask}, shown: "a-1"}
	require.False(t, a.g.PrintAsk(&out, ask, false))
	require.Contains(t, out.String(), `
   calls:
     - args:
         new_string:
           x
           y<U+202E>
         path: a.go
       call: c1
       tool: edit_file
`)
	edited, err := a.read(`e {"calls":[]}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"calls":[]}`, string(edited.Args))
	require.Contains(t, (&asker{}).promptOf(ask), "[e]dit")
	out.Reset()
	a.g.PrintAsk(&out, events.AskRaised{Gate: events.GateSpawn, Args: json.RawMessage(`{"prompt":"Mend it","files":["a.go:raw",
		"b.go"],"none":[],"empty":{}}`)}, true)
	require.Contains(t, out.String(), "   empty: {}\n   files:\n     - a.go:raw\n     - b.go\n   none: []\n   prompt: Mend it\n")
}

func TestTextThatATerminalWouldHideIsSpelledOut(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a<U+202E>b<U+200B>c<U+001B>[2J\td", term.Visible("a\u202eb\u200bc\x1b[2J\td"))
}

func TestAGeneralYesDoesNotAnswerWhatUntrustedTextIsTheReasonOf(t *testing.T) {
	t.Parallel()
	yes := standingYes{given: true}
	ask := events.AskRaised{Gate: events.GateTool, Tool: "fetch_url"}
	require.True(t, yes.covers(ask, events.SessionOpened{}))
	ask.Taint = []string{"repo: a.go"}
	require.False(t, yes.covers(ask, events.SessionOpened{}))
}

func TestAQuestionOfAModelTakesWordsOrANumber(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	ask := events.AskRaised{Ask: "a-1", Gate: events.GateQuestion, Title: "Which API?",
		Args: json.RawMessage(`{"question":"Both exist.\nWhich API?","choices":["v1","v2"]}`)}
	a := asker{g: &site.Flags{Terminal: term.Terminal{Out: &out, Err: &out}}, view: &term.Progress{Out: &out},
		open: []events.AskRaised{ask}, shown: "a-1"}
	require.False(t, a.g.PrintAsk(&out, ask, false))
	require.Contains(t, out.String(), "   Both exist.\n   Which API?\n     1  v1\n     2  v2\n")
	require.Contains(t, a.promptOf(ask), "the number of a choice")
	require.NotContains(t, a.promptOf(events.AskRaised{Gate: events.GateQuestion,
		Args: json.RawMessage(`{"question":"Which API?"}`)}), "choice")
	for line, want := range map[string]string{"2": "v2", "3": "3", "neither of them": "neither of them", "y": "yes",
		"no, wait": "no, wait", "a": "a", "e {": "e {"} {
		given, err := a.read(line)
		require.NoError(t, err)
		require.Equal(t, events.Yes, given.Decision)
		var args map[string]string
		require.NoError(t, json.Unmarshal(given.Args, &args))
		require.Equal(t, map[string]string{"answer": want}, args)
	}
	_, err := a.read("")
	require.ErrorContains(t, err, "type an answer")
	given, err := a.read("s")
	require.NoError(t, err)
	require.Nil(t, given)
}

func TestAQuestionShowsWhatItIsAbout(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := asker{g: &site.Flags{Terminal: term.Terminal{Out: &out, Err: &out}}, view: &term.Progress{Out: &out}}
	ask := events.AskRaised{Ask: "a-1", Gate: events.GateTool, Title: "edit_file a.go", Ticket: "T-1"}
	other := events.AskRaised{Ask: "a-2", Gate: events.GateStep, Title: "round 2", Ticket: "T-2"}
	for _, e := range []events.Event{
		{Payload: events.TicketStarted{Ticket: events.Ticket{ID: "T-1"}, Prompt: "Mend the parser\n\x1b[2J"}},
		{ID: "r-0", Payload: events.ModelRequested{Tier: 4, Ticket: "T-1"}},
		{Payload: events.ModelReplied{Request: "r-0", Text: "a hint"}},
		{ID: "r-1", Payload: events.ModelRequested{Tier: 3, Ticket: "T-1"}},
		{Payload: events.ModelReplied{Request: "r-1", Text: "<think>hm</think>I edit a.go."}},
		{Payload: ask}, {Payload: other},
	} {
		a.take(&e)
	}
	a.put(ask)
	require.Contains(t, out.String(), "   question 1 of 2\n   T-1: Mend the parser")
	require.Contains(t, out.String(), "\n   the model said: I edit a.go.\n\n── tool · edit_file a.go · T-1\n")
	require.NotContains(t, out.String(), "\x1b[2J")
	require.NotContains(t, out.String(), "hm")
	require.Len(t, a.about.lines(other, 1), 0)
}

func TestATicketDoesNotStartWithFilesThatDoNotExist(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), nil, 0o600))
	for name, c := range map[string]struct {
		line, workspace, isolation, refused string
	}{
		"missing":              {`e {"files":["b.txt"]}`, folder, "", "files: no such file: b.txt"},
		"outside":              {`e {"files":["../b.txt"]}`, folder, "", "outside of the project folder"},
		"there":                {`e {"files":["a.txt:raw"]}`, folder, "", ""},
		"asked for":            {`e {"files":["gone.txt"]}`, folder, "", ""},
		"in worktrees":         {`e {"files":["b.txt"]}`, folder, events.IsolationWorktree, ""},
		"in a folder far away": {`e {"files":["b.txt"]}`, "/elsewhere", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := asker{g: &site.Flags{}, shown: "a-1", open: []events.AskRaised{{Ask: "a-1", Gate: events.GateSpawn,
				Args: json.RawMessage(`{"files":["gone.txt:raw"]}`)}},
				opened: events.SessionOpened{Workspace: c.workspace, Settings: events.Settings{Isolation: c.isolation}}}
			a.worksHere(site.Place{Project: folder, Data: filepath.Join(folder, ".slop")}, nil)
			answer, err := a.read(c.line)
			require.NoError(t, err)
			held, err := a.held(t.Context(), answer)
			if c.refused != "" {
				require.ErrorContains(t, err, c.refused)
				return
			}
			require.NoError(t, err)
			require.Equal(t, answer, held)
		})
	}
}
