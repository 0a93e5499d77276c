package gemini_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/gemini"
	"manualslop/tiers/llm/llmtest"
)

// fixture is the provider with its fake.
func fixture(model, other string) func(*testing.T) llmtest.Fixture {
	return func(*testing.T) llmtest.Fixture {
		return llmtest.Fixture{
			Start: llmtest.Gemini,
			Provider: func(e llm.Endpoint, silence time.Duration) llm.Provider {
				return gemini.Provider{Endpoint: e, Silence: silence}
			},
			Model: model, Other: other, Thinks: true,
			Usage: events.Usage{Input: 20, CacheRead: 80, Output: 12, Thinking: 7},
		}
	}
}

func TestGemini3PassesTheSuite(t *testing.T) {
	t.Parallel()
	llmtest.Conform(t, fixture("gemini-3.5-flash", "gemini-3.1-pro-preview"))
}

func TestTheNewestFlashPassesTheSuite(t *testing.T) {
	t.Parallel()
	llmtest.Conform(t, fixture("gemini-flash-latest", "gemini-3.8-flash"))
}

func TestGemini25PassesTheSuite(t *testing.T) {
	t.Parallel()
	llmtest.Conform(t, fixture("gemini-2.5-pro", "gemini-3-pro-preview"))
}

// longRequest is a first request that is long enough for the implicit cache.
func longRequest(model string) llm.Request {
	r := asking(model, nil)
	r.Messages = r.Messages[:2]
	r.Messages[1].Blocks = []llm.Block{llm.Text("# Ticket"), llm.Text(strings.Repeat("func main() { return }\n", 2000))}
	return r
}

// round is r with a reply and its results behind it, and a refresh block that
// the next round leaves out.
func round(r llm.Request, reply llm.Reply, id string) (next, sent llm.Request) {
	said := reply.Replied(id)
	assistant := llm.Message{Role: llm.RoleAssistant}
	if len(said.Raw) > 0 {
		assistant.Blocks = append(assistant.Blocks, opaque(said.Raw))
	}
	results := llm.Message{Role: llm.RoleTool}
	for _, c := range said.Calls {
		assistant.Blocks = append(assistant.Blocks, llm.Call{ID: c.ID, Name: c.Name, Args: c.Args})
		results.Blocks = append(results.Blocks, llm.Result{Call: c.ID, Name: c.Name, Text: strings.Repeat("line of a file "+
			c.ID+"\n", 50)})
	}
	next = r
	next.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)], assistant, results)
	sent = next
	sent.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)], assistant, llm.Message{Role: llm.RoleTool,
		Blocks: append(results.Blocks[:len(results.Blocks):len(results.Blocks)], llm.Text("[SYSTEM: FILES UPDATED]\n"+
			strings.Repeat("+ changed in "+id+"\n", 30)))})
	return next, sent
}

// TestTheBeginningOfTenRoundsIsReadFromTheCache checks that from the third round
// on at least 95 % of the request before, without its refresh block, come from the
// implicit cache.
func TestTheBeginningOfTenRoundsIsReadFromTheCache(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"gemini-2.5-pro", "gemini-3.5-flash"} {
		s := llmtest.Gemini(t, llmtest.Options{Answer: func(llmtest.View) llmtest.Turn {
			return llmtest.Turn{Thinking: "Hm.", Calls: []llmtest.Call{{Name: "read_file", Args: `{"path":"a"}`}}}
		}})
		p := gemini.Provider{Endpoint: s.Endpoint()}
		conversation := longRequest(name)
		sent, before := conversation, int64(0)
		for n := 1; n <= 10; n++ {
			reply, err := llm.Collect(p.Stream(t.Context(), sent), nil)
			require.NoError(t, err)
			if n >= 3 {
				require.GreaterOrEqual(t, reply.Usage.CacheRead*100, before*95, "round %d", n)
			}
			before = llm.Estimate(llm.Request{Messages: conversation.Messages, Tools: conversation.Tools}, "").Input
			require.Greater(t, before, int64(10_000))
			conversation, sent = round(conversation, reply, "01ROUND"+string(rune('A'+n)))
		}
		require.Empty(t, s.Refused())
	}
}

func TestATokenLimitBehindWholeCallsKeepsThem(t *testing.T) {
	t.Parallel()
	s := llmtest.Gemini(t,
		llmtest.Options{Turns: []llmtest.Turn{{Stop: "MAX_TOKENS",
			Calls: []llmtest.Call{{Name: "read_file", Args: `{"path":"a"}`}}}}})
	reply, err := llm.Collect(gemini.Provider{Endpoint: s.Endpoint()}.Stream(t.Context(), longRequest(model)), nil)
	require.NoError(t, err)
	require.Equal(t, llm.FinishMaxTokens, reply.Finish)
	require.Empty(t, reply.Calls[0].Malformed, "arguments come only whole")
}
