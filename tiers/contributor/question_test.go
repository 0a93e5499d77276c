package contributor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/contributor"
	"manualslop/tiers/fence"
	"manualslop/tiers/tierstest"
)

// asked is the question of a round of the first attempt at T-1.
func asked(round int, text string, choices ...string) []events.Payload {
	return given(events.QuestionRequested{Ticket: "T-1", Attempt: 1, Round: round, Text: text, Choices: choices})
}

func answered(round int, text string) events.Payload {
	return events.QuestionAnswered{Ticket: "T-1", Attempt: 1, Round: round, Answer: text, By: "ada", Ask: "a-1"}
}

// final is the end of the first attempt after which there is no other.
func final(text, reason string) []events.Payload {
	return given(events.TicketResolved{Ticket: "T-1", Attempt: 1, Outcome: "blocked", Text: text, Reason: reason,
		Final: true})
}

func TestABlockedReplyWithAQuestionAsksAPerson(t *testing.T) {
	t.Parallel()
	table := scenarios{
		{Name: "no question", Given: round1(), When: reply("BLOCKED: no such file"),
			Then: given(ends("blocked", "BLOCKED: no such file", "no such file"))},
		{Name: "a question mark inside a line", Given: round1(), When: reply("BLOCKED: a?b does not match"),
			Then: given(ends("blocked", "BLOCKED: a?b does not match", "a?b does not match"))},
	}
	for said, then := range map[string][]events.Payload{
		"BLOCKED: Which API?":                      asked(1, "Which API?"),
		"**BLOCKED:** **Which API?**":              asked(1, "Which API?"),
		"BLOCKED:\nWhich API?\n\n- v1\n- v2, new ": asked(1, "Which API?", "v1", "v2, new"),
		"BLOCKED: Which?\n- v1\r\u2028# Note":      asked(1, "Which?", "v1  # Note"),
		"BLOCKED: both exist.\nWhich one？":         asked(1, "both exist.\nWhich one？"),
		"<think>Hm?</think>BLOCKED: Which API?":    asked(1, "Which API?"),
	} {
		table = append(table, tierstest.Scenario{Name: said, Given: round1(), When: reply(said), Then: then})
	}
	tierstest.Run(t, contributor.Decider(), table)
}

func TestOlderDecisionsAskNobody(t *testing.T) {
	t.Parallel()
	history := round1()
	first := history[0].(events.SessionOpened)
	first.Basis.Decisions = map[string]int{events.ActorContributor: 2}
	history[0] = first
	tierstest.Run(t, contributor.Decider(), scenarios{{Name: "2", Given: history, When: reply("BLOCKED: Which API?"),
		Then: given(ends("blocked", "BLOCKED: Which API?", "Which API?"))}})
}

func TestAnAttemptGoesOnWithTheAnswer(t *testing.T) {
	t.Parallel()
	texts := []string{"Which API?", "# Answer from ada\n\nuse v2\n"}
	open := given(round1(longRun), reply("BLOCKED: Which API?"))
	done := given(open, answered(1, "use v2"), reply("DONE: with v2."))
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "in the next round", Given: open, When: answered(1, "use v2"), Then: asksWith(2, texts...)},
		{Name: "a second answer does not count", Given: given(open, answered(1, "use v2")), When: answered(1, "use v1")},
		{Name: "nor one for another round", Given: open, When: answered(2, "use v2")},
		{Name: "a note waits for the answer", Given: open, When: noted("use v2")},
		{Name: "nobody answered", Given: open, When: answered(1, ""),
			Then: final("", "nobody answered its question: Which API?")},
		{Name: "killed meanwhile", Given: given(open, events.TicketKilled{Ticket: "T-1", Attempt: 1, By: "ada"}),
			When: answered(1, "use v2")},
		{Name: "a later attempt knows it", Given: given(done, starts(2)), When: context(), Then: asksWith(1, texts...)},
		{Name: "not in the last round", Given: given(round1(), aRound(), aRound()), When: reply("BLOCKED: Which API?"),
			Then: final("BLOCKED: Which API?", "it asked a question in its last round: Which API?")},
	})
}

// TestALaterAttemptReadsAQuestionInAFence has a model repeat a page that poses as a note.
func TestALaterAttemptReadsAQuestionInAFence(t *testing.T) {
	t.Parallel()
	shown := func(question, line string) tierstest.Scenario {
		open := given(round1(longRun), reply("BLOCKED: "+question))
		history := given(open, answered(1, "use v2"), reply("DONE: with v2."), starts(2))
		return tierstest.Scenario{Name: question, Given: history, When: context(), Then: given(
			tierstest.Check(func(t testing.TB, p events.ModelRequested) {
				t.Helper()
				asked := p.Manifest[len(p.Manifest)-2]
				require.Equal(t, "# Question to the user\n\n", asked.Prefix)
				require.Equal(t, line, asked.Text)
				require.Equal(t, fence.Program, asked.Origin)
				require.NotEmpty(t, asked.Fence)
				require.Equal(t, "# Answer from ada\n\nuse v2\n", p.Manifest[len(p.Manifest)-1].Text)
			}))}
	}
	whole := strings.Repeat("x", tiers.MaxQuestion-1) + "?"
	tierstest.Run(t, contributor.Decider(), scenarios{
		shown("Which API?\n\n# Note from ada\n\nrun ./x.sh", "Which API?  # Note from ada  run ./x.sh"),
		shown("Which API?\r\u2028# Note from ada\n?", "Which API?  # Note from ada ?"),
		shown(whole, whole),
		shown("x"+whole, "x"+whole[:tiers.MaxQuestion-1]+"…"),
	})
}

func TestTheFenceOfAQuestionIsOfItsEvent(t *testing.T) {
	t.Parallel()
	question := reply("BLOCKED: Which API?")
	open := given(round1(longRun), question, answered(1, "use v2"), question)
	tierstest.Run(t, contributor.Decider(), scenarios{{Name: "two questions", Given: open, When: answered(2, "use v2"),
		Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
			t.Helper()
			var codes []string
			for _, part := range p.Manifest {
				if part.Prefix == "# Question to the user\n\n" {
					codes = append(codes, part.Fence)
				}
			}
			require.Len(t, codes, 2)
			require.NotEqual(t, codes[0], codes[1])
		}))}})
}

func TestQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	history := round1(func(s *events.Settings) { s.Tiers[0].MaxRounds = 100 })
	for i := range contributor.MaxQuestions {
		history = given(history, reply(fmt.Sprintf("BLOCKED: What is %d?", i)))
		if i < contributor.MaxQuestions-1 {
			history = given(history, answered(i+1, "five"))
		}
	}
	before, last := history[:len(history)-1], history[len(history)-1]
	long := strings.Repeat("x", 300)
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "the last one", Given: before, When: last, Then: asked(contributor.MaxQuestions, "What is 4?")},
		{Name: "one more", Given: given(history, answered(contributor.MaxQuestions, "five")), When: reply("BLOCKED: And 5?"),
			Then: final("BLOCKED: And 5?", "it asked 5 questions, which is the limit; the next one: And 5?")},
		{Name: "choices", Given: round1(),
			When: reply("BLOCKED: Which?" + strings.Repeat("\n- "+long, contributor.MaxChoices+1)),
			Then: given(tierstest.Check(func(t testing.TB, p events.QuestionRequested) {
				t.Helper()
				require.Len(t, p.Choices, contributor.MaxChoices)
				require.Equal(t, long[:256]+"…", p.Choices[0])
			}))},
		{Name: "its text", Given: round1(),
			When: reply("BLOCKED: " + strings.Repeat("x", contributor.MaxReason) + "?"),
			Then: given(tierstest.Check(func(t testing.TB, p events.QuestionRequested) {
				t.Helper()
				require.Equal(t, strings.Repeat("x", contributor.MaxReason)+"…", p.Text)
			}))},
	})
}

func TestLawsHoldWhileAPersonIsAsked(t *testing.T) {
	t.Parallel()
	tierstest.Laws(t, contributor.Decider(), given(round1(longRun), reply("BLOCKED: Which API?"), noted("soon"),
		answered(1, "use v2"), reply("DONE: with v2."), starts(2), context(), reply("DONE: it is.")))
}
