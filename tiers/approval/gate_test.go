package approval_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

var (
	start     = events.SpawnRequested{Ticket: "T-1", Attempt: 1, Model: "m0", Prompt: "Mend <it>"}
	stepping  = events.StepRequested{Ticket: "T-1", Attempt: 1, Round: 2, Summary: "round 2 of T-1 goes to m0"}
	spawnAsk  = askID(events.GateSpawn, firstFree)
	stepAsk   = askID(events.GateStep, firstFree)
	spawnsAsk = given(begin(spawnApproval), start)
	stepsAsk  = given(begin(), stepping)
)

func TestSpawnGate(t *testing.T) {
	t.Parallel()
	wrong := `args must be {"prompt": "…"}`
	refusal := func(reason string) []events.Payload { return given(notCounted(spawnAsk, 4, "ada", reason)) }
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "is open where nobody wants it", Given: begin(), When: start, Then: given(events.SpawnApproved{Ticket: "T-1",
			Attempt: 1, By: "rule"})},
		{Name: "is not asked about a start that the conductor need not ask for", Given: begin(),
			When: events.SpawnRequested{Ticket: "T-1", Attempt: 1, Model: "m0", Prompt: "Mend it", Ungated: true}},
		{
			Name: "is open under --yes", Given: given(begin(spawnApproval), events.RuleAdded{Rule: yesRule}), When: start,
			Then: given(events.SpawnApproved{Ticket: "T-1", Attempt: 1, By: "rule --yes"}),
		},
		{
			Name: "stays closed under a rule of a file", Given: begin(spawnApproval, rules(allow("*"))), When: start,
			Then: given(decided[events.AskRaised]()),
		},
		{
			Name: "stays closed under an allow over paths", Given: given(begin(spawnApproval),
				events.RuleAdded{Rule: events.Rule{Tool: "*", Action: "allow", Scope: "session", Args: []string{"**"}}}),
			When: start, Then: given(decided[events.AskRaised]()),
		},
		{
			Name: "asks with the whole prompt", Given: begin(spawnApproval), When: start,
			Then: given(events.AskRaised{Ask: spawnAsk, Gate: "spawn", Title: "start T-1 on m0", Ticket: "T-1", Attempt: 1,
				Args: json.RawMessage(`{"prompt":"Mend \u003cit\u003e"}`)}),
		},
		{
			Name: "yes", Given: spawnsAsk, When: answer(spawnAsk, "yes"),
			Then: given(settled("spawn", spawnAsk, "yes", 4), events.SpawnApproved{Ticket: "T-1", Attempt: 1, By: "ada",
				Ask: spawnAsk}),
		},
		{
			Name: "yes with another prompt", Given: spawnsAsk, When: answer(spawnAsk, "yes", editing(`{"prompt":"Mend all"}`)),
			Then: given(settled("spawn", spawnAsk, "yes", 4, settledWith(`{"prompt":"Mend all"}`)),
				events.SpawnApproved{Ticket: "T-1", Attempt: 1, Prompt: "Mend all", By: "ada", Ask: spawnAsk}),
		},
		{
			Name: "no", Given: spawnsAsk, When: answer(spawnAsk, "no", because("later")),
			Then: given(settled("spawn", spawnAsk, "no", 4, endedBy("ada", "later")), events.SpawnDenied{Ticket: "T-1",
				Attempt: 1, Reason: "later", By: "ada", Ask: spawnAsk}),
		},
		{Name: "an empty prompt does not count", Given: spawnsAsk, When: answer(spawnAsk, "yes", editing(`{"prompt":" \n"}`)),
			Then: refusal(wrong)},
		{Name: "a prompt of no text does not count", Given: spawnsAsk, When: answer(spawnAsk, "yes", editing(`{"prompt":7}`)),
			Then: refusal(wrong)},
		{Name: "other args do not count", Given: spawnsAsk, When: answer(spawnAsk, "yes",
			editing(`{"prompt":"x","model":"m9"}`)), Then: refusal(wrong)},
		{Name: "files do not count before the conductor's decisions 3", Given: spawnsAsk, When: answer(spawnAsk, "yes",
			editing(`{"prompt":"x","Files":null}`)), Then: refusal(wrong)},
		{Name: "args of no object do not count", Given: spawnsAsk, When: answer(spawnAsk, "yes", editing(`"Mend all"`)),
			Then: refusal(wrong)},
		{Name: "a prompt at the limit counts", Given: spawnsAsk, When: answer(spawnAsk, "yes",
			editing(prompt(approval.MaxPrompt))), Then: given(decided[events.AskSettled](), decided[events.SpawnApproved]())},
		{
			Name: "a prompt over the limit does not", Given: spawnsAsk, When: answer(spawnAsk, "yes",
				editing(prompt(approval.MaxPrompt+1))),
			Then: refusal("the prompt of 65537 bytes is over the limit of 65536"),
		},
	})
}

func prompt(n int) string {
	return `{"prompt":"` + strings.Repeat("y", n-len(`{"prompt":""}`)) + `"}`
}

func TestStepGate(t *testing.T) {
	t.Parallel()
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "asks", Given: begin(), When: stepping,
			Then: given(events.AskRaised{Ask: stepAsk, Gate: "step", Title: stepping.Summary, Ticket: "T-1", Attempt: 1,
				Round: 2}),
		},
		{
			Name: "is open under --yes", Given: given(begin(), events.RuleAdded{Rule: yesRule}), When: stepping,
			Then: given(events.StepApproved{Ticket: "T-1", Attempt: 1, Round: 2, By: "rule --yes"}),
		},
		{
			Name: "yes", Given: stepsAsk, When: answer(stepAsk, "yes"),
			Then: given(settled("step", stepAsk, "yes", 4), events.StepApproved{Ticket: "T-1", Attempt: 1, Round: 2, By: "ada",
				Ask: stepAsk}),
		},
		{
			Name: "no", Given: stepsAsk, When: answer(stepAsk, "no", because("enough")),
			Then: given(settled("step", stepAsk, "no", 4, endedBy("ada", "enough")),
				events.StepDenied{Ticket: "T-1", Attempt: 1, Round: 2, Reason: "enough", By: "ada", Ask: stepAsk}),
		},
		{Name: "args do not count", Given: stepsAsk, When: answer(stepAsk, "yes", editing(`{}`)),
			Then: given(notCounted(stepAsk, 4, "ada", "this ask takes no args"))},
	})
}

func TestTheSpawnGateIsSwitchedWhileASessionRuns(t *testing.T) {
	t.Parallel()
	on, off := true, false
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "on", Given: given(begin(), events.SettingsChanged{SpawnApproval: &on}), When: start,
			Then: given(decided[events.AskRaised]())},
		{Name: "off", Given: given(begin(spawnApproval), events.SettingsChanged{SpawnApproval: &off}), When: start,
			Then: given(decided[events.SpawnApproved]())},
		{Name: "off, and what is asked stays asked", Given: given(begin(spawnApproval), start), When: events.SettingsChanged{
			SpawnApproval: &off}},
		{Name: "by nobody but a person", Given: given(begin(spawnApproval), tierstest.By(tierstest.Agent,
			events.SettingsChanged{SpawnApproval: &off})), When: start, Then: given(decided[events.AskRaised]())},
	})
}

// TestAsksAreIndependent opens one ask of each kind and answers one of them.
func TestAsksAreIndependent(t *testing.T) {
	t.Parallel()
	posted := events.AskPosted{RequestID: "r-1", Data: json.RawMessage(`{"tool":"x"}`)}
	interrupted := wants("c2", "look_up", `{}`)
	open := given(begin(spawnApproval), shell, start, stepping, posted, interrupted,
		ran(interrupted, events.ToolInterrupted, 1))
	ids := map[string]string{"tool": askID("tool", 3), "spawn": askID("spawn", 4), "step": askID("step", 5), "http": "r-1",
		"interrupted": askID("interrupted", 8)}
	h := tierstest.Play(t, approval.Decider(), open...)
	for _, a := range tierstest.All[events.AskRaised](h) {
		require.Equal(t, ids[a.Gate], a.Ask)
	}
	for gate, id := range ids {
		h := tierstest.Play(t, approval.Decider(), given(open, answer(id, "yes"))...)
		all := tierstest.All[events.AskSettled](h)
		require.Len(t, all, 1, gate)
		require.Equal(t, id, all[0].Ask)
		require.Equal(t, gate, all[0].Gate)
		granted := len(tierstest.All[events.ToolApproved](h)) - 1 + len(tierstest.All[events.SpawnApproved](h)) +
			len(tierstest.All[events.StepApproved](h))
		require.Equal(t, map[bool]int{true: 0, false: 1}[gate == "http"], granted, gate)
		for other, rest := range ids {
			if other != gate {
				again := tierstest.Play(t, approval.Decider(), given(open, answer(id, "yes"), answer(rest, "no"))...)
				require.Empty(t, tierstest.All[events.AnswerRefused](again), "%s is open after %s", other, gate)
			}
		}
	}
}

func TestPostedAsks(t *testing.T) {
	t.Parallel()
	data := json.RawMessage(`{"tool":"x"}`)
	raised := func(id, by string, wait time.Duration) events.AskRaised {
		due := tierstest.At(firstFree).Add(wait)
		return events.AskRaised{Ask: id, Gate: "http", Title: "asked by " + by, Args: data, PostedBy: by, ExpiresAt: &due}
	}
	post := func(id string, ms int64) events.Payload {
		return tierstest.By(tierstest.Agent, events.AskPosted{RequestID: id, Data: data, TimeoutMS: ms})
	}
	noSettings := given(events.SessionOpened{}, offers())
	var table scenarios
	for _, id := range []string{"", strings.Repeat("x", events.MaxIDLength+1), "a\nb", "a\x1b[2J", "a\u202eb", "\u200b"} {
		table = append(table, tierstest.Scenario{Name: fmt.Sprintf("no question under %.20q", id), Given: begin(),
			When: post(id, 1000)})
	}
	long := strings.Repeat("x", events.MaxIDLength)
	day := approval.MaxAskWait
	tierstest.Run(t, approval.Decider(), append(table, scenarios{
		{Name: "a question of an agent", Given: begin(), When: post("r-1", 1000),
			Then: given(raised("r-1", tierstest.Agent, time.Second))},
		{Name: "a question of a person", Given: begin(), When: tierstest.By("bob", events.AskPosted{RequestID: "r-1",
			Data: data, TimeoutMS: 1000}), Then: given(raised("r-1", "bob", time.Second))},
		{Name: "the longest id", Given: begin(), When: post(long, 1000),
			Then: given(raised(long, tierstest.Agent, time.Second))},
		{Name: "the settings' time", Given: begin(), When: post("r-1", 0),
			Then: given(raised("r-1", tierstest.Agent, 30*time.Second))},
		{Name: "a negative time is none", Given: begin(), When: post("r-1", -5),
			Then: given(raised("r-1", tierstest.Agent, 30*time.Second))},
		{Name: "no time anywhere", Given: noSettings, When: post("r-1", 0),
			Then: given(raised("r-1", tierstest.Agent, approval.DefaultAskWait))},
		{Name: "the longest time", Given: begin(), When: post("r-1", day.Milliseconds()),
			Then: given(raised("r-1", tierstest.Agent, day))},
		{Name: "a longer one is cut", Given: begin(), When: post("r-1", day.Milliseconds()+1),
			Then: given(raised("r-1", tierstest.Agent, day))},
		{Name: "one that no duration holds is cut", Given: begin(), When: post("r-1", math.MaxInt64),
			Then: given(raised("r-1", tierstest.Agent, day))},
		{Name: "a time of the settings that no duration holds is cut",
			Given: begin(func(s *events.Settings) { s.AskTimeoutMS = math.MaxInt64 }), When: post("r-1", 0),
			Then: given(raised("r-1", tierstest.Agent, day))},
		{Name: "once for an id", Given: given(begin(), post("r-1", 1000)), When: post("r-1", 2000)},
		{Name: "once, also when it is settled", Given: given(begin(), post("r-1", 1000), answer("r-1", "no")),
			When: post("r-1", 2000)},
		{Name: "not under the id of another ask", Given: given(begin(), shell), When: post(shellAsk, 1000)},
		{Name: "not over the limit", Given: begin(), When: events.AskPosted{RequestID: "r-1",
			Data: json.RawMessage(argsOf(approval.MaxPosted + 1))}},
		{Name: "but at the limit", Given: begin(), When: events.AskPosted{RequestID: "r-1",
			Data: json.RawMessage(argsOf(approval.MaxPosted))}, Then: given(decided[events.AskRaised]())},
	}...))
}

// TestAPostedAskCannotTakeTheIDOfAnother posts under the id that the next tool
// call's ask would have: a yes to the one must not be a yes to the other.
func TestAPostedAskCannotTakeTheIDOfAnother(t *testing.T) {
	t.Parallel()
	stolen := askID(events.GateTool, 4)
	h := tierstest.Play(t, approval.Decider(), given(begin(), tierstest.By(tierstest.Agent,
		events.AskPosted{RequestID: stolen}), shell, answer(stolen, "yes"))...)
	require.Empty(t, tierstest.All[events.ToolApproved](h))
	all := tierstest.All[events.AskRaised](h)
	require.Len(t, all, 2)
	require.Equal(t, tierstest.FactID("ask-tool", 4, 1), all[1].Ask)
	require.Len(t, tierstest.All[events.AskSettled](h), 1)
}

func TestAnswersToAPostedAsk(t *testing.T) {
	t.Parallel()
	open := given(begin(), tierstest.By(tierstest.Agent, events.AskPosted{RequestID: "r-1"}))
	respond := func(response string) func(*events.AskSettled) {
		return func(s *events.AskSettled) { s.Response = json.RawMessage(response) }
	}
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "yes", Given: open, When: answer("r-1", "yes"), Then: given(settled("http", "r-1", "yes", 4))},
		{Name: "no", Given: open, When: answer("r-1", "no", because("never")),
			Then: given(settled("http", "r-1", "no", 4, endedBy("ada", "never")))},
		{Name: "a response, as it came", Given: open, When: answer("r-1", "yes", responding(`{"a":[1,null]}`)),
			Then: given(settled("http", "r-1", "yes", 4, respond(`{"a":[1,null]}`)))},
		{Name: "a response with no", Given: open, When: answer("r-1", "no", responding(`false`)),
			Then: given(settled("http", "r-1", "no", 4, respond(`false`)))},
		{Name: "args", Given: open, When: answer("r-1", "yes", editing(`{}`)),
			Then: given(notCounted("r-1", 4, "ada", "this ask takes no args"))},
		{Name: "a response at the limit", Given: open, When: answer("r-1", "yes", responding(argsOf(approval.MaxPosted))),
			Then: given(decided[events.AskSettled]())},
		{
			Name: "a response over the limit", Given: open, When: answer("r-1", "yes", responding(argsOf(approval.MaxPosted+1))),
			Then: given(notCounted("r-1", 4, "ada", "the response of 262145 bytes is over the limit of 262144")),
		},
		{Name: "the agent that asked may not answer", Given: open, When: tierstest.By(tierstest.Agent, answer("r-1", "yes")),
			Then: given(decided[events.AnswerRefused]())},
	})
}
