package gemini_test

import (
	"net/http"
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
				return gemini.Provider{Endpoint: e, Silence: silence, Keeps: true}
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

// longRequest is a first request whose beginning is worth keeping.
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
		results.Blocks = append(results.Blocks, llm.Result{Call: c.ID, Name: c.Name, Text: strings.Repeat("line of a file "+c.ID+"\n", 50)})
	}
	next = r
	next.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)], assistant, results)
	sent = next
	sent.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)], assistant, llm.Message{Role: llm.RoleTool,
		Blocks: append(results.Blocks[:len(results.Blocks):len(results.Blocks)], llm.Text("[SYSTEM: FILES UPDATED]\n"+strings.Repeat("+ changed in "+id+"\n", 30)))})
	return next, sent
}

// cachedShare runs ten rounds and checks that from the third on at least 95 %
// of the request before, without its refresh block, come from a cache.
func cachedShare(t *testing.T, name string, keep bool) {
	s := llmtest.Gemini(t, llmtest.Options{Answer: func(llmtest.View) llmtest.Turn {
		return llmtest.Turn{Thinking: "Hm.", Calls: []llmtest.Call{{Name: "read_file", Args: `{"path":"a"}`}}}
	}})
	p := gemini.Provider{Endpoint: s.Endpoint(), Keeps: keep}
	conversation := longRequest(name)
	sent, before := conversation, int64(0)
	var prefix *llm.CachedPrefix
	for n := 1; n <= 10; n++ {
		if k, ok := p.Keepable(sent); ok && prefix == nil {
			kept, err := p.Keep(t.Context(), sent, k)
			require.NoError(t, err)
			prefix = &llm.CachedPrefix{Name: kept.Name, Messages: k.Messages}
		}
		sent.Cached = prefix
		reply, err := llm.Collect(p.Stream(t.Context(), sent), nil)
		require.NoError(t, err)
		if n >= 3 {
			require.GreaterOrEqual(t, reply.Usage.CacheRead*100, before*95, "round %d", n)
		}
		before = llm.Estimate(llm.Request{Messages: conversation.Messages, Tools: conversation.Tools}, "").Input
		require.Greater(t, before, int64(10_000))
		conversation, sent = round(conversation, reply, "01ROUND"+string(rune('A'+n)))
	}
	require.Equal(t, keep, s.Kept() == 1)
	require.Empty(t, s.Refused())
}

func TestTheBeginningOfTenRoundsIsReadFromTheCache(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"gemini-2.5-pro", "gemini-3.5-flash"} {
		cachedShare(t, name, false)
		cachedShare(t, name, true)
	}
}

func TestAnExplicitCacheIsMadeUsedExpiredAndDeletedOnTheServer(t *testing.T) {
	t.Parallel()
	s := llmtest.Gemini(t, llmtest.Options{Turns: []llmtest.Turn{{Calls: []llmtest.Call{{Name: "read_file", Args: `{"path":"a"}`}}}, {Text: "Done."}, {Text: "Done."}}})
	p := gemini.Provider{Endpoint: s.Endpoint(), Keeps: true}
	first := longRequest(model)
	reply, err := llm.Collect(p.Stream(t.Context(), first), nil)
	require.NoError(t, err)
	second, _ := round(first, reply, "01ROUND1")
	k, ok := p.Keepable(second)
	require.True(t, ok)
	kept, err := p.Keep(t.Context(), second, k)
	require.NoError(t, err)
	require.Greater(t, kept.Tokens, int64(10_000))
	require.WithinDuration(t, time.Now().Add(time.Hour), kept.ExpiresAt, time.Minute)

	second.Cached = &llm.CachedPrefix{Name: kept.Name, Messages: k.Messages}
	reply, err = llm.Collect(p.Stream(t.Context(), second), nil)
	require.NoError(t, err)
	require.Equal(t, "Done.", reply.Text)
	require.GreaterOrEqual(t, reply.Usage.CacheRead, kept.Tokens)
	seen := s.Requests()[1]
	require.Equal(t, "You are.", seen.System, "the fake puts it together again")
	require.NotContains(t, string(seen.Body), "func main", "what is kept is not sent")

	s.Expire()
	bad, _ := failed(t, p, second)
	require.True(t, bad.CacheGone)
	require.NoError(t, p.Forget(t.Context(), kept.Name), "gone already")
	kept, err = p.Keep(t.Context(), second, k)
	require.NoError(t, err)
	require.Equal(t, 1, s.Kept())
	require.NoError(t, p.Forget(t.Context(), kept.Name))
	require.Zero(t, s.Kept())
}

func TestATokenLimitBehindWholeCallsKeepsThem(t *testing.T) {
	t.Parallel()
	s := llmtest.Gemini(t, llmtest.Options{Turns: []llmtest.Turn{{Stop: "MAX_TOKENS", Calls: []llmtest.Call{{Name: "read_file", Args: `{"path":"a"}`}}}}})
	reply, err := llm.Collect(gemini.Provider{Endpoint: s.Endpoint()}.Stream(t.Context(), longRequest(model)), nil)
	require.NoError(t, err)
	require.Equal(t, llm.FinishMaxTokens, reply.Finish)
	require.Empty(t, reply.Calls[0].Malformed, "arguments come only whole")
}

// TestCachesAreFoundByTheirLabels on whichever page of the list they stand.
func TestCachesAreFoundByTheirLabels(t *testing.T) {
	t.Parallel()
	s := llmtest.Gemini(t, llmtest.Options{})
	p := gemini.Provider{Endpoint: s.Endpoint(), Keeps: true}
	r, _ := round(longRequest(model), llm.Reply{Text: "I look."}, "01ROUND1")
	k, ok := p.Keepable(r)
	require.True(t, ok)
	named := map[string]string{}
	for _, label := range []string{"", "slop 1", "slop 2", "slop 3", "somebody's", "slop 4", "slop 5"} {
		k.Label = label
		kept, err := p.Keep(t.Context(), r, k)
		require.NoError(t, err)
		named[label] = kept.Name
	}
	again, _ := p.Keepable(r)
	require.Equal(t, k.SHA256, again.SHA256, "a label is nothing of what is kept")
	found, err := p.Labelled(t.Context(), []string{"slop 1", "slop 5", "slop 6", ""})
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"slop 1": {named["slop 1"]}, "slop 5": {named["slop 5"]}}, found)
	s.Expire()
	found, err = p.Labelled(t.Context(), []string{"slop 1"})
	require.NoError(t, err)
	require.Empty(t, found)
	require.Empty(t, s.Refused())
}

func TestAListOfCachesWithoutAnEndIsGivenUp(t *testing.T) {
	t.Parallel()
	p, bodies := answering(t, http.StatusOK, `{"cachedContents":[{"name":"../models/x","displayName":"slop 1"}],"nextPageToken":"a b&c"}`)
	_, err := p.Labelled(t.Context(), []string{"slop 1"})
	require.ErrorContains(t, err, "more than 100 pages")
	require.Len(t, *bodies, 100)
	p, _ = answering(t, http.StatusOK, `{"cachedContents":[{"name":"../models/x","displayName":"slop 1"}]}`)
	found, err := p.Labelled(t.Context(), []string{"slop 1"})
	require.NoError(t, err)
	require.Empty(t, found, "no name of a cache")
}
