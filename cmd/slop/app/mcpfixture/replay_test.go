package mcpfixture

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

const head = `{"mcp_record":1,"server":"s","tools":[{"name":"t","description":"d","inputSchema":{"type":"object"}}]}` + "\n"

func TestCallsAreAnsweredInTheRecordedOrder(t *testing.T) {
	t.Parallel()
	_, tape, err := load(strings.NewReader(head +
		`{"tool":"t","arguments":{"a":1,"b":2},"result":{"content":[{"type":"text","text":"one"}]}}` + "\n" +
		`{"tool":"t","arguments":{"a":1},"error":{"code":-32602,"message":"bad"}}` + "\n" +
		`{"tool":"t","arguments":{"b":2,"a":1},"result":{"content":[{"type":"image","data":"AAEC","mimeType":"image/png"}]}}`))
	require.NoError(t, err)
	first, err := tape.call(t.Context(), "t", []byte(`{"b": 2, "a": 1}`))
	require.NoError(t, err)
	require.Equal(t, "one", first.Content[0].(*sdk.TextContent).Text)
	second, err := tape.call(t.Context(), "t", []byte(`{"a":1,"b":2}`))
	require.NoError(t, err)
	require.Equal(t, []byte{0, 1, 2}, second.Content[0].(*sdk.ImageContent).Data)
	_, err = tape.call(t.Context(), "t", []byte(`{"a":1,"b":2}`))
	require.ErrorContains(t, err, "no further call of t")
	_, err = tape.call(t.Context(), "t", []byte(`{"a":1}`))
	require.ErrorContains(t, err, "bad")
	_, err = tape.call(t.Context(), "other", []byte(`{"a":1}`))
	require.ErrorContains(t, err, "no further call of other")
}

func TestBadRecordingsAreRefusedWithTheirLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                    "the file is empty",
		"{":                   "line 1: ",
		`{"mcp_record":2}`:    "line 1: mcp_record must be 1, got 2",
		head + "x":            "line 2: ",
		head + `{"tool":"t"}`: "line 2: exactly one of result and error",
		head + `{"tool":"t","result":{"content":[]},"arguments":{"a":1,"a":2}}`:   "line 2: arguments: ",
		`{"mcp_record":1,"tools":[{"name":"t","inputSchema":{"type":"string"}}]}`: `tool "t": schema: type must be "object"`,
		`{"mcp_record":1,"tools":[{"name":"","inputSchema":{"type":"object"}}]}`:  "a tool has no name",
		head + strings.Repeat(" ", maxLine+1):                                     "line 2: ",
	} {
		_, _, err := load(strings.NewReader(text))
		require.ErrorContains(t, err, want, "%.80s", text)
	}
}
