package approval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// The shell call of these tests is the third event, so its ask has this id.
var shellAsk = askID(events.GateTool, firstFree)

func TestAnswersToAToolGate(t *testing.T) {
	t.Parallel()
	open := given(begin(), shell)
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "yes lets it run with the bytes that were shown", Given: open, When: answer(shellAsk, "yes", because("fine")),
			Then: given(settled("tool", shellAsk, "yes", 4, endedBy("ada", "fine")), approved(shell, "ada", onAsk(shellAsk))),
		},
		{
			Name: "no denies it, and the reason goes to the model", Given: open, When: answer(shellAsk, "no",
				because("not here")),
			Then: given(settled("tool", shellAsk, "no", 4, endedBy("ada", "not here")), refused(shell, "ada", shellAsk,
				"not here")),
		},
		{
			Name: "no without a reason says who", Given: open, When: answer(shellAsk, "no"),
			Then: given(settled("tool", shellAsk, "no", 4), refused(shell, "ada", shellAsk, "refused by ada")),
		},
		{
			Name: "another person's answer counts as well", Given: open, When: tierstest.By("bob", answer(shellAsk, "yes")),
			Then: given(settled("tool", shellAsk, "yes", 4, endedBy("bob", "")), approved(shell, "bob", onAsk(shellAsk))),
		},
		{
			Name: "args that are null are none", Given: open, When: answer(shellAsk, "no", editing(`null`)),
			Then: given(settled("tool", shellAsk, "no", 4), refused(shell, "ada", shellAsk, "refused by ada")),
		},
		{
			Name: "a deny rule that came meanwhile beats the yes", Given: given(open, events.RuleAdded{Rule: deny("run_*")}),
			When: answer(shellAsk, "yes"),
			Then: given(settled("tool", shellAsk, "yes", 5), refused(shell, "rule", shellAsk, "a rule forbids it (test:deny)")),
		},
		{
			Name: "an ask rule does not ask twice", Given: given(begin(rules(ask("run_*"))), shell), When: answer(shellAsk,
				"yes"),
			Then: given(settled("tool", shellAsk, "yes", 4), approved(shell, "ada", onAsk(shellAsk))),
		},
	})
}

func TestAnswersThatDoNotCount(t *testing.T) {
	t.Parallel()
	open := given(begin(), shell)
	first := given(open, answer(shellAsk, "no"))
	late := func(n int, author string) events.AnswerRefused {
		at := tierstest.At(4)
		r := notCounted(shellAsk, n, author, "it was settled before")
		r.SettledBy, r.SettledAt = "ada", &at
		return r
	}
	refusal := func(reason string) []events.Payload { return given(notCounted(shellAsk, 4, "ada", reason)) }
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "the second one is told who was first and when", Given: first, When: tierstest.By("bob",
			answer(shellAsk, "yes")), Then: given(late(5, "bob"))},
		{Name: "so is the same person", Given: first, When: answer(shellAsk, "no"), Then: given(late(5, "ada"))},
		{Name: "and a worthless one", Given: first, When: answer(shellAsk, "perhaps"), Then: given(late(5, "ada"))},
		{Name: "to an unknown ask", Given: open, When: answer("A-9", "yes"),
			Then: given(notCounted("A-9", 4, "ada", "there is no such ask"))},
		{Name: "to no ask", Given: open, When: answer("", "yes"),
			Then: given(notCounted("", 4, "ada", "there is no such ask"))},
		{
			Name: "to an id that is too long to repeat", Given: open, When: answer(strings.Repeat("x", events.MaxIDLength+1),
				"yes"),
			Then: given(notCounted(strings.Repeat("x", events.MaxIDLength)+"…", 4, "ada", "there is no such ask")),
		},
		{Name: "neither yes nor no", Given: open, When: answer(shellAsk, "expired"),
			Then: refusal(`decision is neither "yes" nor "no"`)},
		{Name: "yes in another case", Given: open, When: answer(shellAsk, "Yes"),
			Then: refusal(`decision is neither "yes" nor "no"`)},
		{Name: "nothing said", Given: open, When: answer(shellAsk, ""), Then: refusal(`decision is neither "yes" nor "no"`)},
		{Name: "args with no", Given: open, When: answer(shellAsk, "no", editing(`{"script":"ls"}`)),
			Then: refusal("args come only with yes")},
		{Name: "a response at a gate", Given: open, When: answer(shellAsk, "yes", responding(`true`)),
			Then: refusal("response is for asks of /api/ask only")},
		{
			Name: "args that break the schema", Given: open, When: answer(shellAsk, "yes", editing(`{"script":7}`)),
			Then: given(tierstest.Check(func(t testing.TB, p events.AnswerRefused) {
				require.Contains(t, p.Reason, "the edited arguments do not fit: ")
			})),
		},
		{
			Name: "args without a canonical form", Given: open, When: answer(shellAsk, "yes",
				editing(`{"script":"a","script":"b"}`)),
			Then: given(tierstest.Check(func(t testing.TB, p events.AnswerRefused) {
				require.Contains(t, p.Reason, "the edited arguments do not fit: there is no canonical form of them")
			})),
		},
		{
			Name: "a reason over the limit", Given: open, When: answer(shellAsk, "no",
				because(strings.Repeat("x", approval.MaxReason+1))),
			Then: refusal("the reason of 4097 bytes is over the limit of 4096"),
		},
		{
			Name: "a reason at the limit counts", Given: open, When: answer(shellAsk, "no",
				because(strings.Repeat("x", approval.MaxReason))),
			Then: given(decided[events.AskSettled](), decided[events.ToolDenied]()),
		},
		{
			Name: "after a refused one the right one counts", Given: given(open, answer(shellAsk, "perhaps")),
			When: answer(shellAsk, "yes"),
			Then: given(settled("tool", shellAsk, "yes", 5), approved(shell, "ada", onAsk(shellAsk))),
		},
	})
}

func TestAuthorsWithoutRightsNeverAnswer(t *testing.T) {
	t.Parallel()
	var table scenarios
	for _, author := range []string{tierstest.Agent, tierstest.Worker, events.ActorConductor, events.ActorContributor,
		events.ActorModels,
		events.ActorTimers, events.ActorGateway, events.ActorAdmin} {
		table = append(table, tierstest.Scenario{
			Name: author, Given: given(begin(), shell), When: tierstest.By(author, answer(shellAsk, "yes")),
			Then: given(notCounted(shellAsk, 4, author, author+" may not write AskAnswered")),
		})
	}
	tierstest.Run(t, approval.Decider(), table)
}

func TestUnreadableBodies(t *testing.T) {
	t.Parallel()
	broken := func(name, reason string) events.Payload {
		return tierstest.By(tierstest.Person, events.Malformed{Name: name, Version: 1, Reason: reason})
	}
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "of an answer are refused", Given: given(begin(), shell), When: broken("AskAnswered", "unexpected end"),
			Then: given(notCounted("", 4, "ada", "unexpected end")),
		},
		{
			Name: "with a long complaint are refused briefly", Given: begin(), When: broken("AskAnswered",
				strings.Repeat("x", approval.MaxNote+1)),
			Then: given(notCounted("", firstFree, "ada", strings.Repeat("x", approval.MaxNote)+"…")),
		},
		{Name: "of anything else change nothing", Given: given(begin(), shell), When: broken("RuleAdded", "unexpected end")},
		{Name: "of an answer in a closed session change nothing", Given: given(begin(), events.SessionClosed{}),
			When: broken("AskAnswered", "cut")},
	})
}

func TestEditedArguments(t *testing.T) {
	t.Parallel()
	open := given(begin(), shell)
	edited := `{"script":"ls -l"}`
	preview := askID(events.GateTool, firstFree+1)
	write := given(begin(), edit, events.PreviewBuilt{Call: "c1", Diff: "-a"})
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "run, under their own digest", Given: open, When: answer(shellAsk, "yes", editing(edited)),
			Then: given(settled("tool", shellAsk, "yes", 4, settledWith(edited)), approved(shell, "ada", onAsk(shellAsk),
				withArgs(edited, true))),
		},
		{
			Name: "that say the same in other words are not edited", Given: open, When: answer(shellAsk, "yes",
				editing(`{ "script" : "l\u0073" }`)),
			Then: given(settled("tool", shellAsk, "yes", 4, settledWith(`{"script":"l\u0073"}`)), approved(shell, "ada",
				onAsk(shellAsk), withArgs(`{"script":"l\u0073"}`, false))),
		},
		{
			Name: "that a deny rule forbids do not run", Given: given(begin(rules(deny("edit_file", "docs/**"))), edit,
				events.PreviewBuilt{Call: "c1"}),
			When: answer(preview, "yes", editing(`{"path":"docs/a"}`)),
			Then: given(settled("tool", preview, "yes", 5, settledWith(`{"path":"docs/a"}`)), refused(edit, "rule", preview,
				"a rule forbids it (test:deny)")),
		},
		{
			Name: "that no rule can judge run on the person's word", Given: given(begin(rules(deny("edit_file", "docs/**"))),
				edit, events.PreviewBuilt{Call: "c1"}),
			When: answer(preview, "yes", editing(`{"path":"/x/a"}`)),
			Then: given(settled("tool", preview, "yes", 5, settledWith(`{"path":"/x/a"}`)), approved(edit, "ada", onAsk(preview),
				withArgs(`{"path":"/x/a"}`, true))),
		},
		{
			Name: "of a write", Given: write, When: answer(preview, "yes", editing(`{"path":"b.go","content":"<&>"}`)),
			Then: given(settled("tool", preview, "yes", 5, settledWith(`{"path":"b.go","content":"\u003c\u0026\u003e"}`)),
				approved(edit, "ada", onAsk(preview), withArgs(`{"path":"b.go","content":"\u003c\u0026\u003e"}`, true))),
		},
		{
			Name: "of a tool that is offered no more keep the schema that was shown", Given: given(open, events.ToolsOffered{}),
			When: answer(shellAsk, "yes", editing(`{"script":7}`)), Then: given(decided[events.AnswerRefused]()),
		},
	})
}

func TestEditedArgumentsAreMeasuredAsTheyAreStored(t *testing.T) {
	t.Parallel()
	open := given(begin(), wants("c1", "odd", `{}`))
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "at the limit", Given: open, When: answer(shellAsk, "yes", editing(argsOf(events.MaxArgs))),
			Then: given(decided[events.AskSettled](), decided[events.ToolApproved]()),
		},
		{
			Name: "one byte over", Given: open, When: answer(shellAsk, "yes", editing(argsOf(events.MaxArgs+1))),
			Then: given(notCounted(shellAsk, 4, "ada", "the edited arguments do not fit: 131073 bytes are over the limit of "+
				"131072")),
		},
	})
}

// TestRawBytesAreMeasuredEscaped gives the decider an answer as another program
// may have written it: its characters are not escaped, approval's facts escape them.
func TestRawBytesAreMeasuredEscaped(t *testing.T) {
	t.Parallel()
	m := approval.Decider().Start()
	n := 0
	say := func(actor string, p events.Payload) []events.Event {
		n++
		e, err := events.New(events.Origin{ID: tierstest.ID(n), Time: tierstest.At(n), Project: "p1", Session: "S1",
			Actor: actor}, p)
		require.NoError(t, err)
		facts, err := m.Take(&e)
		require.NoError(t, err)
		return facts
	}
	for _, p := range begin() {
		say("ada", p)
	}
	say(events.ActorContributor, wants("c1", "odd", `{}`))
	raw := json.RawMessage(`{"x":"` + strings.Repeat("<", events.MaxArgs/2) + `"}`)
	facts := say("ada", events.AskAnswered{Ask: shellAsk, Decision: "yes", Args: raw})
	require.Len(t, facts, 1)
	require.Contains(t, facts[0].Payload.(events.AnswerRefused).Reason, "over the limit of 131072")
}
