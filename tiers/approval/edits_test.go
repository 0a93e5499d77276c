package approval_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// withFiles is a session whose starts are asked about with their files.
func withFiles(change ...func(*events.Settings)) []events.Payload {
	all := begin(append(change, spawnApproval)...)
	open := all[0].(events.SessionOpened)
	open.Basis.Decisions = map[string]int{events.ActorConductor: 3}
	return given(open, all[1:])
}

func TestAStartIsEditedWithItsFiles(t *testing.T) {
	t.Parallel()
	request := events.SpawnRequested{Ticket: "T-1", Attempt: 1, Model: "m0", Prompt: "Mend it",
		Files: []string{"a.go:raw", "b.go"}}
	asked := given(withFiles(), request)
	edited := func(args string, change func(*events.SpawnApproved)) tierstest.Scenario {
		yes := events.SpawnApproved{Ticket: "T-1", Attempt: 1, By: "ada", Ask: spawnAsk}
		change(&yes)
		return tierstest.Scenario{Name: "yes with " + args, Given: asked, When: answer(spawnAsk, "yes", editing(args)),
			Then: given(settled("spawn", spawnAsk, "yes", 4, settledWith(args)), yes)}
	}
	refused := func(args, reason string) tierstest.Scenario {
		return tierstest.Scenario{Name: fmt.Sprintf("no count for %.60s", args), Given: asked, When: answer(spawnAsk, "yes",
			editing(args)), Then: given(notCounted(spawnAsk, 4, "ada", reason))}
	}
	paths := func(n int) string {
		b, err := json.Marshal(map[string][]string{"files": strings.Split(strings.Repeat("a.go,", n-1)+"a.go", ",")})
		require.NoError(t, err)
		return string(b)
	}
	planned := request
	planned.Files = append(slices.Repeat([]string{"b.go"}, events.MaxWorkerContext), "../evil")
	shown, err := json.Marshal(map[string]any{"prompt": "Mend all", "files": planned.Files})
	require.NoError(t, err)
	long := func(n int) string { return `{"files":["` + strings.Repeat("x", n) + `"]}` }
	const wrong = `args must be {"prompt": "…", "files": ["PATH", "PATH:VIEW"]}, or one of the two`
	outside := func(name string) string {
		return `files: "` + name + `" is not a path inside of the project's folder`
	}
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "asks with both", Given: withFiles(), When: request,
			Then: given(events.AskRaised{Ask: spawnAsk, Gate: "spawn", Title: "start T-1 on m0", Ticket: "T-1", Attempt: 1,
				Args: json.RawMessage(`{"prompt":"Mend it","files":["a.go:raw","b.go"]}`)}),
		},
		{
			Name: "asks with an empty list, so that a person sees that one can be given", Given: withFiles(), When: start,
			Then: given(events.AskRaised{Ask: spawnAsk, Gate: "spawn", Title: "start T-1 on m0", Ticket: "T-1", Attempt: 1,
				Args: json.RawMessage(`{"prompt":"Mend \u003cit\u003e","files":[]}`)}),
		},
		edited(`{"files":["c.go:outline","b.go"]}`, func(p *events.SpawnApproved) {
			p.Files = []string{"c.go:outline", "b.go"}
		}),
		edited(`{"files":[]}`, func(p *events.SpawnApproved) { p.Files = []string{} }),
		edited(`{"prompt":"Mend all","files":["d/e.go"]}`, func(p *events.SpawnApproved) {
			p.Prompt, p.Files = "Mend all", []string{"d/e.go"}
		}),
		edited(`{"prompt":"Mend all"}`, func(p *events.SpawnApproved) { p.Prompt = "Mend all" }),
		refused(`{"files":null}`, wrong),
		refused(`{"files":"a.go"}`, wrong),
		refused(`{"files":[7]}`, wrong),
		refused(`{"files":["a.go"],"prompt":" "}`, wrong),
		refused(`{"files":["a.go"],"model":"m9"}`, wrong),
		refused(`{"files":[" "]}`, "a path in files is empty"),
		refused(`{"files":["../a.go"]}`, outside("../a.go")),
		refused(`{"files":["a/../../b.go:raw"]}`, outside("a/../../b.go")),
		refused(`{"files":["/etc/passwd"]}`, outside("/etc/passwd")),
		refused(`{"files":["/w/a.go"]}`, outside("/w/a.go")), // in a worktree it would be another file
		refused(`{"files":["..\\\\a.go"]}`, outside(`..\\\\a.go`)),
		{Name: "as many files as a ticket may have", Given: asked, When: answer(spawnAsk, "yes",
			editing(paths(events.MaxWorkerContext))),
			Then: given(decided[events.AskSettled](), decided[events.SpawnApproved]())},
		refused(paths(events.MaxWorkerContext+1), "files has 65 paths; at most 64 are allowed"),
		{Name: "the files that the ask shows, whatever the plan says", Given: given(withFiles(), planned),
			When: answer(spawnAsk, "yes", editing(string(shown))),
			Then: given(decided[events.AskSettled](), decided[events.SpawnApproved]())},
		{Name: "not one more", Given: given(withFiles(), planned), When: answer(spawnAsk, "yes", editing(paths(66))),
			Then: given(notCounted(spawnAsk, 4, "ada", "files has 66 paths; at most 65 are allowed"))},
		{Name: "a path at the limit", Given: asked, When: answer(spawnAsk, "yes", editing(long(events.MaxPathLength))),
			Then: given(decided[events.AskSettled](), decided[events.SpawnApproved]())},
		refused(long(events.MaxPathLength+1), "a path in files of 1025 bytes is over the limit of 1024"),
		refused(prompt(approval.MaxPrompt+1), "the edited start of 65537 bytes is over the limit of 65536"),
	})
}

func TestAStepIsEdited(t *testing.T) {
	t.Parallel()
	messages := events.StepRequested{Ticket: "T-1", Attempt: 1, Round: 2, Summary: "round 2 of T-1 goes to m0",
		Messages: []events.StepMessage{{Part: 4, Call: "c0", Text: "<ok>", Suffix: "\n"}, {Part: 5, Size: 90000}}}
	calls := events.StepRequested{Ticket: "T-1", Attempt: 1, Round: 2, Summary: "round 2 of T-1 calls two",
		Calls: []events.StepCall{{Call: "c1", Tool: "edit_file", Args: json.RawMessage(`{"path":"a.go"}`)},
			{Call: "c2", Tool: "nobody", Args: json.RawMessage(`{}`)}}}
	yes := events.StepApproved{Ticket: "T-1", Attempt: 1, Round: 2, By: "ada", Ask: stepAsk}
	edited := func(of events.StepRequested, args string, change func(*events.StepApproved)) tierstest.Scenario {
		yes := yes
		change(&yes)
		return tierstest.Scenario{Name: "yes with " + args, Given: given(begin(), of), When: answer(stepAsk, "yes",
			editing(args)), Then: given(settled("step", stepAsk, "yes", 4, settledWith(args)), yes)}
	}
	refused := func(of events.StepRequested, args, reason string) tierstest.Scenario {
		return tierstest.Scenario{Name: fmt.Sprintf("no count for %.60s", args), Given: given(begin(), of),
			When: answer(stepAsk, "yes", editing(args)), Then: given(notCounted(stepAsk, 4, "ada", reason))}
	}
	const wrong = `args must be {"messages": [{"part": N, "text": "…"}]} or {"calls": [{"call": "…", "args": {…}}]}, ` +
		`as shown`
	text := func(n int) string {
		return `{"messages":[{"part":4,"text":"` + strings.Repeat("y", n-len(`{"messages":[{"part":4,"text":""}]}`)) + `"}]}`
	}
	nothing := func(*events.StepApproved) {}
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "asks with the messages", Given: begin(), When: messages,
			Then: given(events.AskRaised{Ask: stepAsk, Gate: "step", Title: messages.Summary, Ticket: "T-1", Attempt: 1,
				Round: 2, Args: json.RawMessage(`{"messages":[{"part":4,"call":"c0","text":"\u003cok\u003e","suffix":"\n"},{"part":5,"size":90000}]}`)}),
		},
		{
			Name: "asks with the calls", Given: begin(), When: calls,
			Then: given(events.AskRaised{Ask: stepAsk, Gate: "step", Title: calls.Summary, Ticket: "T-1", Attempt: 1,
				Round: 2, Args: json.RawMessage(`{"calls":[{"call":"c1","tool":"edit_file","args":{"path":"a.go"}},{"call":"c2","tool":"nobody","args":{}}]}`)}),
		},
		{Name: "yes as it is", Given: given(begin(), calls), When: answer(stepAsk, "yes"),
			Then: given(settled("step", stepAsk, "yes", 4), yes)},
		edited(messages, `{"messages":[{"part":4,"text":"no"}]}`, func(p *events.StepApproved) {
			p.Messages = []events.StepEdit{{Part: 4, Text: "no"}}
		}),
		edited(messages, `{"messages":[{"part":5,"size":90000},{"part":4,"call":"c0","text":"<ok>","suffix":"\n"}]}`,
			nothing),
		edited(messages, `{"messages":[{"part":5,"text":"short"}]}`, func(p *events.StepApproved) {
			p.Messages = []events.StepEdit{{Part: 5, Text: "short"}}
		}),
		edited(calls, `{"calls":[{"call":"c1","args":{"path":"b.go"}},{"call":"c2"}]}`, func(p *events.StepApproved) {
			p.Calls = []events.StepCall{{Call: "c1", Tool: "edit_file", Args: json.RawMessage(`{"path":"b.go"}`)}}
		}),
		edited(calls, `{"calls":[{"call":"c2"}]}`, func(p *events.StepApproved) { p.Dropped = []string{"c1"} }),
		edited(calls, `{"calls":[]}`, func(p *events.StepApproved) { p.Dropped = []string{"c1", "c2"} }),
		edited(calls, `{"calls":[{"call":"c1","args":{ "path": "a.go"}},{"call":"c2","args":null}]}`, nothing),
		refused(messages, `{}`, wrong),
		refused(messages, `{"messages":[]}`, wrong),
		refused(messages, `{"calls":[]}`, wrong),
		refused(messages, `{"text":"no"}`, wrong),
		refused(messages, `{"messages":[{"part":4,"role":"user","text":"no"}]}`, wrong),
		refused(messages, `{"messages":[{"part":3,"text":"no"}]}`, "part 3 is not a message of this step"),
		refused(messages, `{"messages":[{"part":4,"text":" "}]}`, "the text of part 4 is empty"),
		refused(messages, `{"messages":[{"part":4,"suffix":"x","text":"no"}]}`, "of part 4, only the text can be changed"),
		refused(messages, `{"messages":[{"part":4,"text":"a"},{"part":4,"text":"b"}]}`, "part 4 appears twice in messages"),
		refused(messages, `{"calls":[{"call":"c1"}]}`, wrong),
		refused(calls, `{"messages":[{"part":4,"text":"no"}]}`, "part 4 is not a message of this step"),
		refused(calls, `{"calls":null}`, wrong),
		refused(calls, `{"calls":[{"call":"c3"}]}`, `call "c3" is not a call of this step`),
		refused(calls, `{"calls":[{"call":"c1"},{"call":"c1"}]}`, `call "c1" appears twice in calls`),
		refused(calls, `{"calls":[{"call":"c1","tool":"run_powershell"}]}`, "the tool of call c1 cannot be changed"),
		{Name: "arguments that do not fit", Given: given(begin(), calls), When: answer(stepAsk, "yes",
			editing(`{"calls":[{"call":"c1","args":{"path":7}}]}`)),
			Then: given(tierstest.Check(func(t testing.TB, p events.AnswerRefused) {
				t.Helper()
				require.Contains(t, p.Reason, "the edited arguments of edit_file do not fit: ")
			}))},
		{Name: "an edit at the limit", Given: given(begin(), messages), When: answer(stepAsk, "yes",
			editing(text(approval.MaxStep))), Then: given(decided[events.AskSettled](), decided[events.StepApproved]())},
		refused(messages, text(approval.MaxStep+1), "the edited step of 131073 bytes is over the limit of 131072"),
		{Name: "an edit of a call is judged when it is requested", Given: given(begin(rules(deny("edit_file", "b.go"))),
			calls, answer(stepAsk, "yes", editing(`{"calls":[{"call":"c1","args":{"path":"b.go"}}]}`))),
			When: wants("c1", "edit_file", `{"path":"b.go"}`), Then: given(decided[events.ToolDenied]())},
	})
}
