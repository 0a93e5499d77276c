package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
)

func body(t *testing.T, r llm.Request) string {
	t.Helper()
	b, err := anthropic.Provider{}.Body(r)
	require.NoError(t, err)
	return string(b)
}

func says(role string, blocks ...llm.Block) llm.Message {
	return llm.Message{Role: role, Blocks: blocks}
}

// TestTheBodyIsFixed holds the bytes of a recorded wire version: if this must
// change, the version goes up.
func TestTheBodyIsFixed(t *testing.T) {
	t.Parallel()
	require.Equal(t, "anthropic/4", anthropic.Provider{}.Wire())
	half := 0.5
	r := llm.Request{
		Model: "claude-sonnet-4-5", Params: events.ModelParams{Temperature: &half, TopP: &half, MaxOutputTokens: 100},
		Tools: []llm.Tool{{Name: "t", Description: "Does <this>.", Schema: json.RawMessage(`{"type": "object"}`)}},
		Messages: []llm.Message{
			says(llm.RoleSystem, llm.Text("You work."), llm.Text(" ")), says(llm.RoleUser, llm.Text("Go.")),
			says(llm.RoleAssistant, llm.Text("\n"), llm.Call{ID: "R-0", Name: "t", Args: json.RawMessage(`{"a": 1}`)},
				llm.Call{ID: "R-1", Name: "no tool", Args: json.RawMessage(`{}`)}),
			says(llm.RoleTool, llm.Result{Call: "R-0", Name: "t", Text: "ok"}, llm.Result{Call: "R-1", Name: "no tool",
				Failed: true}),
			says(llm.RoleUser, llm.Text("And do not forget b.")),
		},
	}
	require.Equal(t, `{"model":"claude-sonnet-4-5","max_tokens":100,"temperature":0.5,`+
		`"tools":[{"name":"t","description":"Does <this>.","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],`+
		`"system":[{"type":"text","text":"You work.","cache_control":{"type":"ephemeral"}}],`+
		`"messages":[{"role":"user","content":[{"type":"text","text":"Go.","cache_control":{"type":"ephemeral"}}]},`+
		`{"role":"assistant","content":[{"type":"tool_use","id":"R-0","name":"t","input":{"a":1}},{"type":"tool_use","id":"R-1","name":"no_tool","input":{}}]},`+
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"R-0","content":"ok"},{"type":"tool_result","tool_use_id":"R-1","content":"(failed without a word)","is_error":true},`+
		`{"type":"text","text":"And do not forget b.","cache_control":{"type":"ephemeral"}}]}],"stream":true}`, body(t, r))
	r.Tools[0].Schema = json.RawMessage(`{`)
	_, err := anthropic.Provider{}.Body(r)
	require.Equal(t, events.ModelInvalidRequest, llm.AsError(err).Kind)
}

func TestChangedFilesStandInTheLastResult(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ result, want string }{
		{"ok", `[{"type":"text","text":"ok"},{"type":"text","text":"FRESH"}]`}, {" ", `[{"type":"text","text":"FRESH"}]`},
	} {
		require.Contains(t, body(t, llm.Request{Model: "m", Messages: []llm.Message{
			says(llm.RoleUser, llm.Text("Go.")),
			says(llm.RoleAssistant, llm.Call{ID: "a", Name: "t", Args: json.RawMessage(`{}`)}),
			{Role: llm.RoleTool, Blocks: []llm.Block{llm.Result{Call: "a", Text: c.result}, llm.Text("FRESH")}, Refreshed: true},
		}}), `{"type":"tool_result","tool_use_id":"a","content":`+c.want+`}`)
	}
}

func TestNoMarkStandsOnTheBlockOfChangedFiles(t *testing.T) {
	t.Parallel()
	refreshed := llm.Message{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("Go."), llm.Text("FRESH")}, Refreshed: true}
	for name, c := range map[string]struct {
		messages []llm.Message
		want     []string
	}{
		"behind words": {[]llm.Message{refreshed}, []string{"Go."}},
		"behind results": {[]llm.Message{says(llm.RoleUser, llm.Text("Go.")), says(llm.RoleAssistant,
			llm.Call{ID: "a", Name: "t", Args: json.RawMessage(`{}`)}),
			{Role: llm.RoleTool, Blocks: []llm.Block{llm.Result{Call: "a", Text: "ok"}, llm.Text("FRESH")}, Refreshed: true}},
			[]string{"Go."}},
		"behind two": {[]llm.Message{
			says(llm.RoleUser, llm.Text("Go.")),
			says(llm.RoleAssistant, llm.Call{ID: "a", Name: "t", Args: json.RawMessage(`{}`)}, llm.Call{ID: "b", Name: "t",
				Args: json.RawMessage(`{}`)}),
			{Role: llm.RoleTool, Blocks: []llm.Block{llm.Result{Call: "a", Text: "one"}, llm.Result{Call: "b", Text: "two"},
				llm.Text("FRESH")}, Refreshed: true},
		}, []string{"Go.", "one"}},
		"alone": {[]llm.Message{says(llm.RoleUser, llm.Text("Go.")), says(llm.RoleAssistant, llm.Text("x")),
			{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("FRESH")}, Refreshed: true}}, []string{"Go."}},
		"none": {[]llm.Message{says(llm.RoleUser, llm.Text("Go."), llm.Text("On."))}, []string{"On."}},
	} {
		var got struct {
			Messages []struct {
				Content []struct {
					Text    string
					Content any
					Mark    any `json:"cache_control"`
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(body(t, llm.Request{Model: "m", Messages: c.messages})), &got))
		var marked []string
		for _, m := range got.Messages {
			for _, b := range m.Content {
				if b.Mark != nil {
					text, _ := b.Content.(string)
					marked = append(marked, b.Text+text)
				}
			}
		}
		require.Equal(t, c.want, marked, name)
	}
}

// opaque is a reply that came with thoughts and a call of this id.
func opaque(id string, calls ...llm.Block) llm.Message {
	data := `[{"type":"thinking","thinking":"a < b","signature":"s"},{"type":"tool_use","id":"` + id +
		`","name":"t","input":{}}]`
	return says(llm.RoleAssistant, append([]llm.Block{llm.Opaque{Origin: "anthropic:m", Data: json.RawMessage(data)},
		llm.Text("portable")}, calls...)...)
}

func TestAReplyGoesBackVerbatimOrAsItsPortablePart(t *testing.T) {
	t.Parallel()
	call := func(id string) llm.Block { return llm.Call{ID: id, Name: "t", Args: json.RawMessage(`{}`)} }
	result := func(id string) llm.Message { return says(llm.RoleTool, llm.Result{Call: id, Text: "ok"}) }
	start := says(llm.RoleUser, llm.Text("Go."))
	text := func(model string, m ...llm.Message) string {
		return body(t, llm.Request{Model: model, Messages: append([]llm.Message{start}, m...)})
	}

	once := text("m", opaque("call_1", call("R1-0")), result("R1-0"))
	require.Contains(t, once,
		`{"type":"thinking","thinking":"a < b","signature":"s"},{"type":"tool_use","id":"call_1","name":"t","input":{}}`)
	require.Contains(t, once, `"tool_use_id":"call_1"`)
	require.NotContains(t, once, "portable")

	twice := text("m", opaque("call_1", call("R1-0")), result("R1-0"), opaque("call_1", call("R2-0")), result("R2-0"))
	require.NotContains(t, twice, "call_1", "an id that occurs twice gives way to ours")
	for _, id := range []string{"R1-0", "R2-0"} {
		require.Contains(t, twice, `"id":"`+id+`"`)
		require.Contains(t, twice, `"tool_use_id":"`+id+`"`)
	}

	for name, portable := range map[string]string{
		"another model": text("n", opaque("call_1", call("R1-0")), result("R1-0")),
		"calls that do not fit": text("m", opaque("call_1", call("R1-0"), call("R1-1")),
			says(llm.RoleTool, llm.Result{Call: "R1-0"}, llm.Result{Call: "R1-1"})),
		"no calls": text("m", opaque("call_1"), start),
		"no id":    text("m", opaque("", call("R1-0")), result("R1-0")),
	} {
		require.Contains(t, portable, "portable", name)
		require.NotContains(t, portable, "thinking", name)
	}
}

func TestHowMuchAModelThinksFollowsItsFamily(t *testing.T) {
	t.Parallel()
	const binds = `"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}`
	half := 0.5
	for _, c := range []struct{ model, effort, want string }{
		{"claude-sonnet-4-5", "", `"temperature":0.5`},
		{"claude-sonnet-4-5", "off", `"temperature":0.5,"thinking":{"type":"disabled"}`},
		{"claude-sonnet-4-5", "low", `"thinking":{"type":"enabled","budget_tokens":1024}`},
		{"claude-sonnet-4-5", "high", `"thinking":{"type":"enabled","budget_tokens":6000}`},
		{"claude-opus-4-6", "medium", `"thinking":{"type":"adaptive"},"output_config":{"effort":"medium"}`},
		{"claude-opus-4-6", "off", `"temperature":0.5,"thinking":{"type":"disabled"}`},
		{"claude-opus-4-8", "off", `"thinking":{"type":"disabled"}`},
		{"claude-opus-5", "off", `"thinking":{"type":"disabled"}`},
		{"claude-opus-5", "high", `"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}`},
		{"claude-fable-5", "off", `"output_config":{"effort":"low"}`},
		{"claude-fable-5-1", "", binds},
		{"claude-haiku-5-5", "", binds},
		{"claude-opus-5-5", "high", binds + `,"output_config":{"effort":"high"}`},
		{"claude-opus-5-5", "off", binds + `,"output_config":{"effort":"low"}`},
		{"claude-opus-5-5", "", binds},
		{"claude-3-5-haiku-latest", "high", `"temperature":0.5,"top_p":0.5`},
		{"another-maker", "low", `"thinking":{"type":"enabled","budget_tokens":1024}`},
	} {
		r := llm.Request{Model: c.model, Params: events.ModelParams{Temperature: &half, TopP: &half, Effort: c.effort,
			MaxOutputTokens: 8000}, Messages: []llm.Message{says(llm.RoleUser, llm.Text("Go."))}}
		got := body(t, r)
		got = strings.TrimPrefix(got, `{"model":"`+c.model+`","max_tokens":8000`)
		got = strings.TrimPrefix(got[:strings.Index(got, `"messages"`)], ",")
		require.Equal(t, c.want, strings.TrimSuffix(got, ","), c.model+" "+c.effort)
	}
	small := llm.Request{Model: "claude-sonnet-4-5", Params: events.ModelParams{Effort: "high", MaxOutputTokens: 1365},
		Messages: []llm.Message{says(llm.RoleUser, llm.Text("Go."))}}
	require.NotContains(t, body(t, small), "thinking", "no room to think in")
	small.Params.MaxOutputTokens++
	require.Contains(t, body(t, small), `"budget_tokens":1024`)
}

func TestIdsThatTheVendorGaveTwiceInOneReplyGiveWayToOurs(t *testing.T) {
	t.Parallel()
	data := json.RawMessage(
		`[{"type":"thinking","thinking":"a","signature":"s"},{"type":"tool_use","id":"same","name":"a","input":{}},{"type":"tool_use","id":"other","name":"b","input":{}},{"type":"tool_use","id":"same","name":"c","input":{}}]`)
	r := llm.Request{Model: "claude-opus-4-6", Messages: []llm.Message{
		{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("Go.")}},
		{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.Opaque{Origin: "anthropic:claude-opus-4-6", Data: data},
			llm.Call{ID: "r-0", Name: "a", Args: json.RawMessage("{}")}, llm.Call{ID: "r-1", Name: "b",
				Args: json.RawMessage("{}")}, llm.Call{ID: "r-2", Name: "c", Args: json.RawMessage("{}")}}},
		{Role: llm.RoleTool, Blocks: []llm.Block{llm.Result{Call: "r-0", Text: "1"}, llm.Result{Call: "r-1", Text: "2"},
			llm.Result{Call: "r-2", Text: "3"}}},
	}}
	for range 50 {
		b, err := anthropic.Provider{}.Body(r)
		require.NoError(t, err)
		for _, want := range []string{
			`"id":"r-0","name":"a"`, `"id":"other","name":"b"`, `"id":"r-2","name":"c"`,
			`"tool_use_id":"r-0","content":"1"`, `"tool_use_id":"other","content":"2"`, `"tool_use_id":"r-2","content":"3"`,
		} {
			require.Contains(t, string(b), want)
		}
	}
}
