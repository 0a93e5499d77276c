package script_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/script"
)

func parse(t *testing.T, lines ...string) *script.Script {
	t.Helper()
	s, err := script.Parse(strings.NewReader(strings.Join(lines, "\n")))
	require.NoError(t, err)
	return s
}

func TestEveryFieldOfALineIsRead(t *testing.T) {
	t.Parallel()
	s := parse(t, ``, `{"tier":3,"track":"TR-1","ticket":"T-001","contains":"FAIL","reply":{"text":"I look.","tool_calls":[{"name":"read_file","args":{"path":"a"}},{"name":"get_tree"},{"name":"x","args":"{broken"}],`+
		`"usage":{"input":1,"output":2,"cache_read":3,"cache_write":4},"delay_ms":1500}}`, `  `,
		`{"tier":1,"reply":{"error":{"kind":"rate_limited","message":"slow down","retry_after_ms":250}}}`)
	require.Equal(t, []script.Line{
		{Number: 2, Tier: 3, Track: "TR-1", Ticket: "T-001", Contains: "FAIL", Reply: script.Reply{
			Text: "I look.", Delay: 1500 * time.Millisecond, Usage: &events.Usage{Input: 1, Output: 2, CacheRead: 3,
				CacheWrite: 4},
			Calls: []script.Call{{Name: "read_file", Args: `{"path":"a"}`}, {Name: "get_tree", Args: `{}`},
				{Name: "x", Args: `{broken`}},
		}},
		{Number: 4, Tier: 1, Reply: script.Reply{Error: &llm.Error{Kind: events.ModelRateLimited, Message: "slow down",
			RetryAfter: 250 * time.Millisecond}}},
	}, s.Lines())
	l, ok := s.Line(4)
	require.True(t, ok)
	require.Equal(t, 1, l.Tier)
	_, ok = s.Line(1)
	require.False(t, ok, "an empty line is no line")
}

func TestAnErrorMayBeAString(t *testing.T) {
	t.Parallel()
	s := parse(t, `{"tier":1,"reply":{"error":"overloaded"}}`, `{"tier":1,"reply":{"error":"it broke"}}`,
		`{"tier":1,"reply":{"error":{"kind":"auth"}}}`)
	require.Equal(t, &llm.Error{Kind: events.ModelOverloaded, Message: "the script says overloaded"},
		s.Lines()[0].Reply.Error)
	require.Equal(t, &llm.Error{Kind: events.ModelInvalidRequest, Message: "it broke"}, s.Lines()[1].Reply.Error)
	require.Equal(t, &llm.Error{Kind: events.ModelAuth, Message: "the script says auth"}, s.Lines()[2].Reply.Error)
}

func TestUsageHasASecondSpelling(t *testing.T) {
	t.Parallel()
	s := parse(t, `{"tier":1,"reply":{"usage":{"input_tokens":5,"output_tokens":6}}}`)
	require.Equal(t, &events.Usage{Input: 5, Output: 6}, s.Lines()[0].Reply.Usage)
}

func TestErrorsNameTheLineAndTheField(t *testing.T) {
	t.Parallel()
	for line, field := range map[string]string{
		`{`:                                       "",
		`{} {}`:                                   "",
		`[]`:                                      "",
		`"x"`:                                     "",
		`{"tier":1,"tier":2,"reply":{}}`:          "",
		`{"reply":{}}`:                            "tier",
		`{"tier":0,"reply":{}}`:                   "tier",
		`{"tier":5,"reply":{}}`:                   "tier",
		`{"tier":"3","reply":{}}`:                 "tier",
		`{"tier":1.5,"reply":{}}`:                 "tier",
		`{"tier":1}`:                              "reply",
		`{"tier":1,"reply":null}`:                 "reply",
		`{"tier":1,"reply":"x"}`:                  "reply",
		`{"tier":1,"Track":"a","reply":{}}`:       "Track",
		`{"tier":1,"ticket":1,"reply":{}}`:        "ticket",
		`{"tier":1,"contains":["a"],"reply":{}}`:  "contains",
		`{"tier":1,"reply":{"txt":"a"}}`:          "reply.txt",
		`{"tier":1,"reply":{"text":1}}`:           "reply.text",
		`{"tier":1,"reply":{"tool_calls":{}}}`:    "reply.tool_calls",
		`{"tier":1,"reply":{"tool_calls":["x"]}}`: "reply.tool_calls[0]",
		`{"tier":1,"reply":{"tool_calls":[{"name":"a"},{"args":{}}]}}`:    "reply.tool_calls[1].name",
		`{"tier":1,"reply":{"tool_calls":[{"name":"a","args":[]}]}}`:      "reply.tool_calls[0].args",
		`{"tier":1,"reply":{"tool_calls":[{"name":"a","arguments":{}}]}}`: "reply.tool_calls[0].arguments",
		`{"tier":1,"reply":{"usage":{"input":-1}}}`:                       "reply.usage.input",
		`{"tier":1,"reply":{"usage":{"input":1,"input_tokens":1}}}`:       "reply.usage.input_tokens",
		`{"tier":1,"reply":{"usage":{"total":1}}}`:                        "reply.usage.total",
		`{"tier":1,"reply":{"delay_ms":-1}}`:                              "reply.delay_ms",
		`{"tier":1,"reply":{"error":{"kind":"teapot"}}}`:                  "reply.error.kind",
		`{"tier":1,"reply":{"error":{"kind":"auth","retry_after":1}}}`:    "reply.error.retry_after",
		`{"tier":1,"reply":{"error":7}}`:                                  "reply.error",
		fmt.Sprintf(`{"tier":1,"reply":{"delay_ms":%d}}`, script.MaxDelay.Milliseconds()+
			1): "reply.delay_ms",
		fmt.Sprintf(`{"tier":1,"reply":{"usage":{"output":%d}}}`, script.MaxTokens+
			1): "reply.usage.output",
		`{"tier":1,"reply":{"tool_calls":[` + strings.Repeat(`{"name":"a"},`, llm.MaxCalls) +
			`{"name":"a"}]}}`: "reply.tool_calls",
	} {
		_, err := script.Parse(strings.NewReader("{\"tier\":1,\"reply\":{}}\n" + line + "\n"))
		var wrong *script.ParseError
		require.ErrorAs(t, err, &wrong, line)
		require.Equal(t, 2, wrong.Line, line)
		require.Equal(t, field, wrong.Field, err.Error())
		require.Contains(t, err.Error(), "script line 2: "+field)
	}
}

func TestLinesAreBounded(t *testing.T) {
	t.Parallel()
	line := func(n int) string {
		frame := `{"tier":1,"reply":{"text":""}}`
		return strings.Replace(frame, `""`, `"`+strings.Repeat("x", n-len(frame))+`"`, 1)
	}
	parse(t, line(script.MaxLine), line(script.MaxLine))
	for _, text := range []string{line(script.MaxLine + 1), line(script.MaxLine+1) + "\n"} {
		_, err := script.Parse(strings.NewReader("\n" + text))
		var wrong *script.ParseError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, 2, wrong.Line)
	}
}

func TestTheNumberOfLinesIsBounded(t *testing.T) {
	t.Parallel()
	line := "{\"tier\":1,\"reply\":{}}\n"
	parse(t, strings.Repeat(line, script.MaxLines))
	_, err := script.Parse(strings.NewReader(strings.Repeat(line, script.MaxLines+1)))
	var wrong *script.ParseError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, script.MaxLines+1, wrong.Line)
}

func TestTheWholeFileIsBounded(t *testing.T) {
	t.Parallel()
	const width = 1 << 16
	blank := strings.Repeat(" ", width-1) + "\n"
	parse(t, strings.Repeat(blank, script.MaxBytes/width))
	_, err := script.Parse(strings.NewReader(strings.Repeat(blank, script.MaxBytes/width) + "\n"))
	var wrong *script.ParseError
	require.ErrorAs(t, err, &wrong)
}

func TestErrorsOfTheReaderAreReported(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk gone")
	_, err := script.Parse(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
}

func TestTheDocumentSaysWhatALineMaySay(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "scripts.md"))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(page), "```jsonl\n")
	block, _, _ := strings.Cut(rest, "```")
	s := parse(t, block)
	require.Greater(t, len(s.Lines()), 4)
	for _, kind := range llm.Kinds() {
		require.Contains(t, string(page), "`"+kind+"`")
	}
	for _, member := range []string{"tier", "track", "ticket", "contains", "text", "tool_calls", "usage", "delay_ms",
		"error"} {
		require.Contains(t, rest, "`"+member+"`")
		require.Contains(t, block, `"`+member+`"`)
	}
}
