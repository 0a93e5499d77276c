package texttools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/texttools"
)

const mark = "0123456789ab"

// read parses words that come in pieces of n bytes.
func read(words string, n int) (string, []texttools.Call) {
	p := texttools.NewParser(mark)
	var said strings.Builder
	for len(words) > 0 {
		n := min(n, len(words))
		said.WriteString(p.Feed(words[:n]))
		words = words[n:]
	}
	said.WriteString(p.Close())
	return said.String(), p.Calls()
}

func block(inside string) string { return "```tool_call " + mark + "\n" + inside + "\n```" }

func TestCallsAndTextAreToldApartHoweverTheWordsCome(t *testing.T) {
	t.Parallel()
	one := texttools.Call{Name: "read_file", Args: `{"path":"a"}`}
	ours := block(`{"tool":"read_file","args":{"path":"a"}}`)
	for name, c := range map[string]struct {
		words, text string
		calls       []texttools.Call
	}{
		"text alone":            {"I am done.\n\nReally.\n", "I am done.\n\nReally.\n", nil},
		"nothing":               {"", "", nil},
		"a call alone":          {ours, "", []texttools.Call{one}},
		"a call and a line end": {ours + "\n", "", []texttools.Call{one}},
		"text before":           {"I look.\n\n" + ours + "\n", "I look.", []texttools.Call{one}},
		"text behind":           {"I look.\n" + ours + "\nSoon.", "I look.\n\nSoon.", []texttools.Call{one}},
		"two":                   {ours + "\n\n" + ours, "", []texttools.Call{one, one}},
		"two without a gap":     {ours + "\n" + ours, "", []texttools.Call{one, one}},
		"Windows line ends":     {"x\r\n" + strings.ReplaceAll(ours, "\n", "\r\n") + "\r\n", "x", []texttools.Call{one}},
		"indented":              {"  " + ours, "", []texttools.Call{one}},
		"a blank in the fence":  {strings.Replace(ours, "```tool", "``` tool", 1), "", []texttools.Call{one}},
		"more backticks":        {"`" + ours + "`\n", "", []texttools.Call{one}},
		"no arguments":          {block(`{"tool":"list"}`), "", []texttools.Call{{Name: "list", Args: "{}"}}},
		"over lines": {block("{\n \"tool\": \"read_file\",\n \"args\": {\"path\": \"```\\n\"}\n}"), "",
			[]texttools.Call{{Name: "read_file", Args: "{\"path\": \"```\\n\"}"}}},
		"other fences": {"```go\nx()\n```\n```tool_calls\ny\n```\n", "```go\nx()\n```\n```tool_calls\ny\n```\n",
			nil},
		"inside a line": {"say ```tool_call " + mark + "\n{}\n```\n", "say ```tool_call " + mark + "\n{}\n```\n",
			nil},
		"what begins as a fence": {"``", "``", nil},
		"an arrow":               {"`a`\n", "`a`\n", nil},
	} {
		for _, n := range []int{1, 2, 7, 1 << 20} {
			text, calls := read(c.words, n)
			require.Equal(t, c.text, text, "%s by %d", name, n)
			require.Equal(t, c.calls, calls, "%s by %d", name, n)
		}
	}
}

func TestWhatBeginsAsACallAndIsNoneIsAMalformedCall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ words, says string }{
		"another mark":      {"```tool_call 000000000000\n{\"tool\":\"read_file\",\"args\":{}}\n```", "mark"},
		"no mark":           {"```tool_call\n{\"tool\":\"read_file\",\"args\":{}}\n```", "mark"},
		"a blank, no mark":  {"``` tool_call\n{\"tool\":\"read_file\",\"args\":{}}\n```", "mark"},
		"not closed":        {"```tool_call " + mark + "\n{\"tool\":\"read_file\",\"args\":{}}\n", "not closed; end"},
		"opened at the end": {"text\n```tool_call " + mark, "not closed"},
		"no JSON":           {block("read_file(a)"), "not JSON"},
		"empty":             {block(""), "not JSON"},
		"two objects":       {block(`{"tool":"a","args":{}} {"tool":"b","args":{}}`), "not JSON"},
		"a member twice":    {block(`{"tool":"a","tool":"b"}`), "not JSON"},
		"a list":            {block(`[{"tool":"a"}]`), "not an object"},
		"null":              {block(`null`), "not an object"},
		"no tool":           {block(`{"args":{}}`), "names no tool"},
		"an empty tool":     {block(`{"tool":"","args":{}}`), "names no tool"},
		"a number":          {block(`{"tool":7}`), "names no tool"},
		"another member":    {block(`{"tool":"a","args":{},"x":1}`), "other than tool and args"},
		"a wrong member":    {block(`{"tool":"a","arguments":{}}`), "other than tool and args"},
		"args are text":     {block(`{"tool":"a","args":"{}"}`), "args is not an object"},
	} {
		for _, n := range []int{1, 1 << 20} {
			_, calls := read(c.words, n)
			require.Len(t, calls, 1, name)
			require.Contains(t, calls[0].Malformed, c.says, name)
			require.Empty(t, calls[0].Args, name)
		}
	}
}

func TestTheSizeOfABlockIsBounded(t *testing.T) {
	t.Parallel()
	most := events.MaxArgs + 4<<10
	frame := `{"tool":"a","args":{"x":""}}`
	fill := func(n int) string {
		return block(strings.Replace(frame, `""`, `"`+strings.Repeat("x", n-len(frame))+`"`, 1))
	}
	_, calls := read(fill(most-1), 4096) // and its line end
	require.Empty(t, calls[0].Malformed)
	for _, words := range []string{fill(most), block(strings.Repeat("x\n", most)), "```tool_call " + mark + "\n" +
		strings.Repeat("x", 2*most) + "\n```"} {
		_, calls = read(words, 4096)
		require.Len(t, calls, 1)
		require.Contains(t, calls[0].Malformed, "has more than")
	}
}

func TestInstructionsShowTheModelACallThatIsOne(t *testing.T) {
	t.Parallel()
	tools := []llm.Tool{{Name: "read_file", Description: "Reads a file.\n", Schema: json.RawMessage(`{"type":"object"}`)},
		{Name: "list"}}
	text := texttools.Tools(tools) + texttools.Instructions(tools, mark)
	require.NotContains(t, texttools.Tools(tools), mark, "tickets share it")
	require.Empty(t, texttools.Tools(nil))
	for _, want := range []string{"## read_file\n\nReads a file.\n\nArguments (JSON Schema): {\"type\":\"object\"}",
		"## list", mark} {
		require.Contains(t, text, want)
	}
	_, calls := read(text, 100)
	require.Equal(t, []texttools.Call{{Name: "NAME", Args: `{"argument": "value"}`}}, calls)
	require.Empty(t, texttools.Instructions(nil, mark))
	_, calls = read(texttools.Block("a\"b", json.RawMessage(`{}`), mark), 3)
	require.Equal(t, []texttools.Call{{Name: `a"b`, Args: `{}`}}, calls)
}

func TestTheMarkStaysWithItsConversation(t *testing.T) {
	t.Parallel()
	first := llm.Request{Model: "m", Tools: []llm.Tool{{Name: "a"}}, Messages: []llm.Message{
		{Role: llm.RoleSystem, Blocks: []llm.Block{llm.Text("s")}}, {Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("u")}},
	}}
	later := first
	later.Model = "bigger"
	later.Messages = append(later.Messages[:2:2], llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.Text("x")}})
	require.Equal(t, texttools.Mark(first), texttools.Mark(later))
	other := first
	other.Messages = []llm.Message{first.Messages[0], {Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("v")}}}
	require.NotEqual(t, texttools.Mark(first), texttools.Mark(other))
	require.Len(t, texttools.Mark(first), len(mark))
}

// FuzzParser holds that pieces make no difference and that nothing is lost
// where there is no call.
func FuzzParser(f *testing.F) {
	f.Add("text\n```tool_call "+mark+"\n{\"tool\":\"a\"}\n```\nmore", 3)
	f.Add("\n\r\r\r\r```tool_call 0123456`\n", 3)
	f.Add("\f```tool_call "+mark+"\n{}\n```\n", 0)
	f.Add(strings.Repeat(" ", 250)+"```tool_call "+mark+"\n{}\n```\n", 6)
	f.Fuzz(func(t *testing.T, words string, n int) {
		text, calls := read(words, 1<<30)
		again, same := read(words, 1+(n&0xff))
		require.Equal(t, text, again)
		require.Equal(t, calls, same)
		if len(calls) == 0 {
			require.Equal(t, words, text)
		}
	})
}

func TestWordsInManyPiecesAreReadInBoundedWork(t *testing.T) {
	t.Parallel()
	const pieces = 60_000 // copied anew for each, they are gigabytes
	p := texttools.NewParser("m")
	for range pieces {
		require.Empty(t, p.Feed("\n"))
	}
	require.Equal(t, strings.Repeat("\n", pieces)+"x", p.Feed("x"))

	p = texttools.NewParser("m")
	require.Empty(t, p.Feed("```tool_call m\n{\"tool\":\"t\",\"args\":{\"a\":\""))
	for range pieces {
		require.Empty(t, p.Feed("x"))
	}
	require.Empty(t, p.Feed("\"}}\n```\n"))
	require.Equal(t, `{"a":"`+strings.Repeat("x", pieces)+`"}`, p.Calls()[0].Args)
}
