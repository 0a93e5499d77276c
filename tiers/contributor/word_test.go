package contributor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tiers/tierstest"
)

// reminded checks that a reply is answered, in the next round, by a text with these words.
func reminded(round int, words string) []events.Payload {
	return given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
		t.Helper()
		require.Equal(t, round, p.Round)
		last := p.Manifest[len(p.Manifest)-1]
		require.Equal(t, "user", last.Role)
		require.Contains(t, last.Text, words)
	}))
}

func longRun(s *events.Settings) { s.Tiers[0].MaxRounds = 10 }

func TestAReplyWithoutACallIsNotDone(t *testing.T) {
	t.Parallel()
	var table scenarios
	for _, text := range []string{
		"I will now edit a.go.", "It is done.", "All tests pass, the ticket is complete.", "Not DONE: yet",
		"DONE_LIST is a table now.", "DONEness grew.",
		"BLOCKED_USERS is a table now.", "BLOCKEDness is gone.", "BLOCKED2 is gone.", "I was BLOCKED: no more",
		"blocked users may not log in",
		"Report:\n\nDONE: it is.",
	} {
		table = append(table, tierstest.Scenario{Name: text, Given: round1(), When: reply(text),
			Then: reminded(2, "neither DONE: nor BLOCKED:")})
	}
	for _, text := range []string{"", " \n", "<think>I could read a.go.</think>"} {
		table = append(table, tierstest.Scenario{Name: fmt.Sprintf("empty %q", text), Given: round1(), When: reply(text),
			Then: reminded(2, "Your reply was empty")})
	}
	tierstest.Run(t, contributor.Decider(), table)
}

func TestACallWrittenAsTextIsAnsweredAsOne(t *testing.T) {
	t.Parallel()
	forms := map[string]string{
		"hermes":    `<tool_call>\n{"name": "read_file", "arguments": {"path": "a.go"}}\n</tool_call>`,
		"function":  `I look. <function=read_file>{"path": "a.go"}</function>`,
		"fence":     "I look.\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.go\"}}\n```",
		"bare":      `{"name": "read_file", "parameters": {"path": "a.go"}}`,
		"a list":    `[{"name": "read_file", "arguments": {"path": "a.go"}}]`,
		"openai":    `{"type": "function", "function": {"name": "read_file", "arguments": "{}"}}`,
		"mistral":   `[TOOL_CALLS][{"name": "read_file", "arguments": {}}]`,
		"mistral 3": `[TOOL_CALLS]read_file[ARGS]{"path": "a.go"}`,
		"harmony":   `<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path":"a.go"}<|call|>`,
		"llama":     `<|python_tag|>read_file.call(path="a.go")`,
		"deepseek":  "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file",
		"xml":       `<function_calls><invoke name="read_file"><parameter name="path">a.go</parameter></invoke></function_calls>`,
		"gemini":    "```tool_code\nread_file(path='a.go')\n```",
	}
	var table scenarios
	for name, text := range forms {
		table = append(table,
			tierstest.Scenario{Name: name, Given: round1(), When: reply(text),
				Then: reminded(2, "You wrote a tool call as text")},
			tierstest.Scenario{Name: name + " in a report", Given: round1(), When: reply("DONE: nearly.\n" + text),
				Then: reminded(2, "You wrote a tool call as text")})
	}
	for name, text := range map[string]string{
		"a mark that a report quotes": "DONE: the parser reads `<tool_call>` and `<function=` now.",
		"an object of a report":       `DONE: it prints {"name": "Ada", "arguments": {}}.`,
	} {
		table = append(table, tierstest.Scenario{Name: name, Given: round1(), When: reply(text),
			Then: given(ends("done", text, ""))})
	}
	tierstest.Run(t, contributor.Decider(), table)
}

func TestRemindersAreBounded(t *testing.T) {
	t.Parallel()
	promise := reply("I will now edit a.go.")
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "the second in a row", Given: given(round1(longRun), promise), When: promise,
			Then: reminded(3, "neither DONE: nor BLOCKED:")},
		{Name: "not a third", Given: given(round1(longRun), promise, promise), When: promise,
			Then: given(ends("blocked", "", "the model replied without a tool call, DONE: or BLOCKED: 3 times in a row"))},
		{Name: "nor of another kind", Given: given(round1(longRun), promise, promise), When: reply(""),
			Then: given(ends("blocked", "", "the model sent an empty reply 3 times in a row"))},
		{Name: "again after a call", Given: given(round1(longRun), promise, promise, aRound(), promise), When: promise,
			Then: reminded(6, "neither DONE: nor BLOCKED:")},
		{Name: "a report after them counts", Given: given(round1(longRun), promise, promise), When: reply("DONE: it is."),
			Then: given(ends("done", "DONE: it is.", ""))},
		{Name: "they count as rounds", Given: given(round1(), promise, promise), When: reply("", read),
			Then: given(decided[events.ToolRequested]())},
		{Name: "no round is over the limit", Given: given(round1(), aRound(), aRound()), When: promise,
			Then: given(ends("blocked", "", "no end after 3 rounds"))},
	})
}

func TestAnEmptyReplyLeavesNothingInTheConversation(t *testing.T) {
	t.Parallel()
	h := tierstest.Play(t, contributor.Decider(), given(round1(longRun), aRound(), reply(""))...)
	roles := ""
	for _, p := range h.LastRequest().Manifest {
		roles += p.Role + " "
	}
	require.Equal(t, "system user assistant tool user ", roles)
}

func TestADoneThatChangedNothingIsNotTaken(t *testing.T) {
	t.Parallel()
	target := func(p *events.TicketStarted) { p.Ticket.TargetFile = "./a.go" }
	begun := given(opened(longRun), starts(1, target), context())
	done := reply("DONE: it is.")
	end := func(unchanged bool, changes ...events.FileChange) []events.Payload {
		return given(events.TicketResolved{Ticket: "T-1", Attempt: 1, Outcome: "done", Text: "DONE: it is.",
			Unchanged: unchanged, Changes: changes})
	}
	wrote := given(reply("", shell), approve(0), settle(0, events.ToolDone, "ok",
		withFiles(events.FileState{Path: "b.go", Written: true, SHA256: "cd"})), reread())
	unseen := given(reply("", shell), approve(0), settle(0, events.ToolDone, "ok", func(p *events.ToolSettled) {
		p.Unseen = true
	}), reread())
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "it is asked once", Given: begun, When: done, Then: reminded(2, "No call of yours changed a file, and the "+
			"ticket is about ./a.go")},
		{Name: "a second claim goes to a review", Given: given(begun, done), When: done, Then: end(true)},
		{Name: "also after calls that changed nothing", Given: given(begun, aRound(), done, aRound()), When: done,
			Then: end(true)},
		{Name: "a change of another file is one", Given: given(begun, wrote), When: done,
			Then: end(false, events.FileChange{Path: "b.go", After: "cd"})},
		{Name: "a change that was seen later is one",
			Given: given(begun, aRound(events.FileUpdate{Path: "a.go", After: "ef"})), When: done, Then: end(false)},
		{Name: "what may have changed is not asked about", Given: given(begun, unseen), When: done, Then: end(false)},
		{Name: "without a target there is nothing to ask", Given: round1(longRun), When: done, Then: end(false)},
	})
}

func TestACallThatWasCutIsToldSo(t *testing.T) {
	t.Parallel()
	cut := func(output int64, calls ...events.ToolCall) events.Payload {
		return tierstest.With(func(h *tierstest.History) events.Payload {
			id := h.LastID("ModelRequested")
			p := events.ModelReplied{Request: id, Finish: "max_tokens", Usage: events.Usage{Output: output}}
			for i, c := range calls {
				c.ID = events.CallID(id, i)
				p.Calls = append(p.Calls, c)
			}
			return p
		})
	}
	broken := malformed("the arguments are not one JSON object")
	text := func(t *testing.T, at int, history ...any) string {
		t.Helper()
		return results(t, given(history...))[at].Text
	}
	require.Equal(t, "ERROR: your reply ended at 8192 tokens inside this call of read_file, so it did not run. Write "+
		"less in one call: make a large change in several.",
		text(t, 0, round1(), cut(8192, broken), reread()))
	require.Contains(t, text(t, 0, round1(), cut(0, broken), reread()), "your reply ended inside this call")
	require.Contains(t, text(t, 0, round1(), cut(8192, broken, broken), reread()),
		"Send the call again with one JSON object.")
	require.Contains(t, text(t, 1, round1(), cut(8192, broken, broken), reread()), "your reply ended at 8192 tokens")
	require.Contains(t, text(t, 0, round1(), reply("", broken), reread()), "Send the call again with one JSON object.")
}

func TestHostileRepliesAreReadInOnePass(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"<tool_call", "[TOOL_CALLS]", "[{", `{"`, "<think>", "</think>\n", "\n> [{}]", "DONE"} {
		text := "DONE: " + strings.Repeat(piece, 1<<20/len(piece))
		h := tierstest.Play(t, contributor.Decider(), given(round1(), reply(text))...)
		require.NotEmpty(t, tierstest.All[events.ModelRequested](h), piece)
	}
}
