package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

func TestAnArgumentInTheWrongTypeIsTakenWhereThereIsOneReading(t *testing.T) {
	t.Parallel()
	tools := []llm.Tool{
		{Name: "t", Schema: json.RawMessage(
			`{"type":"object","properties":{"n":{"type":"integer"},"f":{"type":"number"},"b":{"type":"boolean"},"s":{"type":"string"},"l":{"type":"array"},"m":{"type":["integer","null"]}}}`)}}
	mended := func(c events.ToolCall) string {
		t.Helper()
		return string(llm.Mended([]events.ToolCall{c}, tools)[0].Args)
	}
	for in, want := range map[string]string{
		`{"n":"1","f":"-1.5e3","b":"true","s":7}`: `{"b":true,"f":-1.5e3,"n":1,"s":"7"}`,
		`{"s":true, "b":"false"}`:                 `{"b":false,"s":"true"}`,
		`{"n":  "12" }`:                           `{"n":12}`,
		`{"n":"1.5"}`:                             `{"n":"1.5"}`,
		`{"n":"one"}`:                             `{"n":"one"}`,
		`{"n":" 1"}`:                              `{"n":" 1"}`,
		`{"n":""}`:                                `{"n":""}`,
		`{"n":"01"}`:                              `{"n":"01"}`,
		`{"b":"yes"}`:                             `{"b":"yes"}`,
		`{"b":1}`:                                 `{"b":1}`,
		`{"s":null,"n":null}`:                     `{"s":null,"n":null}`,
		`{"s":["a"]}`:                             `{"s":["a"]}`,
		`{"l":"a","m":"1","other":"1"}`:           `{"l":"a","m":"1","other":"1"}`,
		`{ "n": 1 }`:                              `{ "n": 1 }`,
		`[]`:                                      `[]`,
	} {
		require.Equal(t, want, mended(events.ToolCall{Name: "t", Args: json.RawMessage(in)}), in)
	}
	wrong := json.RawMessage(`{"n":"1"}`)
	require.Equal(t, string(wrong), mended(events.ToolCall{Name: "other", Args: wrong}))
	require.Equal(t, string(wrong), mended(events.ToolCall{Name: "t", Args: wrong, Malformed: "cut"}))
}
