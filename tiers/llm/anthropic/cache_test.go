package anthropic_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
	"manualslop/tiers/llm/llmtest"
)

// session is a contributor's conversation that grows by rounds.
type session struct {
	model    string
	manifest []events.Part
	replies  map[string]llm.Reply
}

// round answers the calls of a reply with results, as a contributor does.
func (s *session) round(number int, reply llm.Reply) {
	id := fmt.Sprintf("01ROUND%d", number)
	said := reply.Replied(id)
	s.replies[id] = reply
	s.manifest = append(s.manifest, events.Part{Role: llm.RoleAssistant, From: id, SHA256: said.SHA256,
		Size: int64(len(said.Text))})
	for i, c := range said.Calls {
		s.manifest = append(s.manifest, events.Part{Role: llm.RoleTool, Call: c.ID,
			Text: strings.Repeat(fmt.Sprintf("result %d of round %d. ", i, number), 20+10*number)})
	}
}

// request is the next prompt, with a block of changed files that no later one has.
func (s *session) request(t *testing.T, number int) llm.Request {
	t.Helper()
	refresh := events.Part{Role: llm.RoleUser, Kind: events.PartRefresh, Text: "[SYSTEM: FILES UPDATED]\n" +
		strings.Repeat(fmt.Sprintf("+line of round %d\n", number), 50*number)}
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)
	r, err := llm.Assemble(append(append([]events.Part(nil), s.manifest...), refresh),
		[]events.ToolOffer{{Name: "read_file", Description: "Reads.", Schema: schema},
			{Name: "get_tree", Description: "Lists.", Schema: schema}},
		func(p events.Part) (string, []events.ToolCall, json.RawMessage, error) {
			reply := s.replies[p.From].Replied(p.From)
			return reply.Text, reply.Calls, reply.Raw, nil
		})
	require.NoError(t, err)
	r.Model, r.Params = s.model, events.ModelParams{MaxOutputTokens: 8192, Effort: "medium"}
	return r
}

// withoutRefresh is how many tokens a prompt has without its block of changed
// files and the result that holds it, by the count of the fake.
func withoutRefresh(r llm.Request, u events.Usage) int64 {
	blocks := r.Messages[len(r.Messages)-1].Blocks
	refresh, _ := blocks[len(blocks)-1].(llm.Text)
	last, _ := blocks[max(0, len(blocks)-2)].(llm.Result)
	return u.Prompt() - int64(len(refresh)+len(last.Text)+3)/4
}

// TestAGrowingConversationIsReadFromTheCache holds ten rounds to the promise
// that a prompt finds nearly all of the one before it in the vendor's cache,
// although each has a block of changed files that the next one has not: all but
// the result in which that block stands. Some rounds have more blocks than the vendor looks back.
func TestAGrowingConversationIsReadFromTheCache(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ model, thinking string }{
		"with thoughts":               {"claude-sonnet-4-6", "Let me think."},
		"without":                     {"claude-sonnet-4-6", ""},
		"with thoughts that it binds": {"claude-opus-5-5", "Let me think."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.Anthropic(t, llmtest.Options{Answer: func(v llmtest.View) llmtest.Turn {
				turn := llmtest.Turn{Thinking: c.thinking, Text: "I look on."}
				for i := range 1 + 12*(v.Number%3) {
					turn.Calls = append(turn.Calls, llmtest.Call{Name: "read_file", Args: fmt.Sprintf(`{"path":"%d"}`, i)})
				}
				return turn
			}})
			p := anthropic.Provider{Endpoint: s.Endpoint()}
			talk := &session{model: c.model, replies: map[string]llm.Reply{}, manifest: []events.Part{
				{Role: llm.RoleSystem, Text: strings.Repeat("You are a contributor. ", 50)},
				{Role: llm.RoleUser, Text: "# Ticket T-001\n\nMend it."},
				{Role: llm.RoleUser, Text: strings.Repeat("package a // a file\n", 400)},
			}}
			var before int64
			for number := 1; number <= 10; number++ {
				r := talk.request(t, number)
				reply, err := llm.Collect(p.Stream(t.Context(), r), nil)
				require.NoError(t, err)
				if number >= 3 {
					require.GreaterOrEqual(t, float64(reply.Usage.CacheRead), 0.95*float64(before), "round %d", number)
				}
				before = withoutRefresh(r, reply.Usage)
				talk.round(number, reply)
			}
			require.Empty(t, s.Refused())
		})
	}
}
