package doctor

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/config"
	"manualslop/events"
	"manualslop/tiers/llm"
)

// TestAdviceSaysWhatBodiesLeaveOut holds the advice of each adapter against the
// bodies that it makes, for every model of the table.
func TestAdviceSaysWhatBodiesLeaveOut(t *testing.T) {
	t.Parallel()
	c, warm, share := config.Default(), 0.5, 0.9
	all := config.Providers(c, config.Credentials{})
	for _, o := range append(c.ModelsOffered(false).Models, events.ModelOffer{Provider: "openai", Model: "gpt-5.5"},
		events.ModelOffer{Provider: "anthropic", Model: "claude-3-5-haiku"},
		events.ModelOffer{Provider: "gemini", Model: "gemini-2.0-flash"}, events.ModelOffer{Provider: "deepseek",
			Model: "deepseek-chat"}) {
		provider, model := all[o.Provider], strings.ReplaceAll(o.Model, "*", "")
		adviser, can := provider.(llm.Adviser)
		require.True(t, can, o.Provider)
		for _, effort := range append(events.Efforts(), "") {
			for _, room := range []int{0, 600, 32_000} {
				params := events.ModelParams{Temperature: &warm, TopP: &share, Effort: effort, MaxOutputTokens: room}
				_, limits := adviser.Advise(model, params)
				says := func(words string) bool {
					return slices.ContainsFunc(limits, func(l string) bool { return strings.HasPrefix(l, words) })
				}
				sent, without := bodyOf(t, provider, model, params), params
				without.Effort = ""
				where := []any{"%s/%s %q %d: %v", o.Provider, o.Model, effort, room, limits}
				require.Equal(t, !has(sent, "temperature"), says("temperature and top_p"), where...)
				require.Equal(t, has(sent, "temperature") && !has(sent, "topP", "top_p"), says("top_p is not sent"), where...)
				if effort != "" && effort != "off" {
					require.Equal(t, equalJSON(t, sent, bodyOf(t, provider, model, without)) || has(sent, "thinkingBudget") &&
						room == 600, says("effort has no effect"), where...)
				}
				if effort == "off" {
					stops := strings.Contains(string(sent), `"none"`) || strings.Contains(string(sent), `"disabled"`) ||
						strings.Contains(string(sent), `"thinkingBudget":0`) ||
						!has(sent, "effort", "reasoning_effort", "reasoning", "thinkingLevel", "thinkingBudget", "thinking")
					require.Equal(t, !stops, says(`effort "off" is sent as`), where...)
				}
			}
		}
	}
}

func bodyOf(t *testing.T, p llm.Provider, model string, params events.ModelParams) []byte {
	t.Helper()
	body, err := p.Body(llm.Request{Model: model, Params: params, Messages: []llm.Message{{Role: llm.RoleUser,
		Blocks: []llm.Block{llm.Text("Where?")}}}})
	require.NoError(t, err)
	return body
}

// has tells whether a body has one of these members anywhere.
func has(body []byte, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(string(body), `"`+n+`":`) })
}

func equalJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	require.NoError(t, json.Unmarshal(a, &x))
	require.NoError(t, json.Unmarshal(b, &y))
	return reflect.DeepEqual(x, y)
}
