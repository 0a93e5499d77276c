package runtime_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/conversation"
	"manualslop/tiers/fence"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
	"manualslop/tiers/llm/gemini"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/openai"
)

// thinker is a model that thinks on a strict fake of its vendor.
type thinker struct {
	vendor, model, effort string
	back                  bool // it wants back what it thought
	adapter               func(e llm.Endpoint) llm.Provider
}

// thinkers are models of every vendor: those that sign what they thought, those
// that want it back, and those that keep it to themselves.
func thinkers() map[string]thinker {
	vendorOf := func(e llm.Endpoint) llm.Provider { return anthropic.Provider{Endpoint: e} }
	google := func(e llm.Endpoint) llm.Provider { return gemini.Provider{Endpoint: e} }
	out := map[string]thinker{
		"anthropic, adaptive":          {"anthropic", "claude-opus-5-5", "high", true, vendorOf},
		"anthropic, with a budget":     {"anthropic", "claude-sonnet-4-5", "high", true, vendorOf},
		"anthropic, without":           {"anthropic", "claude-sonnet-4-6", "", true, vendorOf},
		"gemini 3, first calls signed": {"gemini", "gemini-3.5-flash", "high", true, google},
		"gemini 2.5":                   {"gemini", "gemini-2.5-pro", "high", true, google},
	}
	// one of each way in which thoughts go back
	for _, name := range []string{"openai", "deepseek", "llama", "openrouter"} {
		server, _ := openai.Find(name)
		out[name] = thinker{name, "m", "high", llmtest.Flavours()[name].ThoughtsBack, func(e llm.Endpoint) llm.Provider {
			return openai.Provider{Server: server, Endpoint: e}
		}}
	}
	return out
}

// talking is a contributor's conversation with a model, as the log has it.
type talking struct {
	t        *testing.T
	who      thinker
	server   *llmtest.Server
	provider llm.Provider
	record   *llm.Record
	log      []*events.Event
	said     []func(*conversation.Thread)
	round    int
	blobs    map[string][]byte
}

func (w thinker) talk(t *testing.T) *talking {
	server, stop, err := llmtest.Start(llmtest.Options{Vendor: w.vendor, Models: []string{w.model},
		Answer: func(v llmtest.View) llmtest.Turn {
			turn := llmtest.Turn{Thinking: fmt.Sprintf("Let me see <%d>.", v.Number), Text: "I look."}
			for i := range 1 + v.Number%3 {
				turn.Calls = append(turn.Calls, llmtest.Call{Name: "read_file", Args: fmt.Sprintf(`{"path": "%d"}`, i)})
			}
			if v.Number%4 == 3 {
				turn.Text = ""
			}
			return turn
		}})
	require.NoError(t, err)
	t.Cleanup(stop)
	c := &talking{t: t, who: w, server: server, provider: w.adapter(server.Endpoint()), record: &llm.Record{},
		blobs: map[string][]byte{}}
	c.take(&events.Event{Payload: events.ToolsOffered{Tools: []events.ToolOffer{{Name: "read_file", Description: "Reads.",
		Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}}})
	rules, a, b := c.part("user", strings.Repeat("Use tabs.\n", 1500)), c.part("user", strings.Repeat("package a\n",
		3000)), c.part("user", strings.Repeat("package b\n", 2000))
	c.said = append(c.said, func(th *conversation.Thread) {
		th.Open(events.Part{Role: "system", Text: "You are a contributor."})
		th.Rules(rules)
		th.Open(events.Part{Role: "user", Text: "# Ticket T-001\n\nMend it."})
		th.Show("a.go", a)
		th.Show("b.go", b)
	})
	return c
}

// take puts an event on the log.
func (c *talking) take(e *events.Event) {
	c.log = append(c.log, e)
	c.record.Take(e)
}

// resume is what another process knows: the log, and nothing else.
func (c *talking) resume() {
	c.record, c.provider = &llm.Record{}, c.who.adapter(c.server.Endpoint())
	for _, e := range c.log {
		c.record.Take(e)
	}
}

// thread is the conversation so far, as nobody shortened it.
func (c *talking) thread() *conversation.Thread {
	th := &conversation.Thread{}
	for _, say := range c.said {
		say(th)
	}
	return th
}

// part is a text of the project in the blob store.
func (c *talking) part(role, text string) events.Part {
	sha := events.Digest([]byte(text))
	c.blobs[sha] = []byte(text)
	return events.Part{Role: role, SHA256: sha, Size: int64(len(text)), Origin: fence.Repo, Fence: "abcdefabcdef"}
}

// ask sends a thread with a block of changed files, and gives the reply.
func (c *talking) ask(thread *conversation.Thread) llm.Reply {
	c.t.Helper()
	parts := append(thread.Parts(), events.Part{Role: "user", Kind: events.PartRefresh,
		Text: fmt.Sprintf("[SYSTEM: FILES UPDATED]\n+ of round %d\n", c.round)})
	digest, err := events.ManifestDigest(parts)
	require.NoError(c.t, err)
	id := fmt.Sprintf("01ASK%d", len(c.server.Requests()))
	m := events.ModelRequested{Model: c.who.model, Params: events.ModelParams{MaxOutputTokens: 8192, Effort: c.who.effort},
		Tools: []string{"read_file"}, Manifest: parts, SHA256: digest}
	c.take(&events.Event{ID: id, Payload: m})
	r, err := c.record.Request(id, m, func(sha string) ([]byte, error) { return c.blobs[sha], nil })
	require.NoError(c.t, err)
	reply, err := llm.Collect(c.provider.Stream(c.t.Context(), r), nil)
	require.NoError(c.t, err)
	require.Empty(c.t, c.server.Refused())
	seen := c.server.Requests()
	for _, m := range seen[len(seen)-1].Messages {
		require.Equal(c.t, c.who.back && m.Role == "assistant", m.Opaque)
	}
	return reply
}

// goOn adds the round of a reply.
func (c *talking) goOn(reply llm.Reply) {
	c.round++
	id := fmt.Sprintf("01ROUND%d", c.round)
	said := reply.Replied(id)
	c.take(&events.Event{ID: id, Payload: said})
	parts := []events.Part{{Role: "assistant", SHA256: said.SHA256, Size: int64(len(said.Text)), From: id}}
	for i, call := range said.Calls {
		p := c.part("tool", strings.Repeat(fmt.Sprintf("result %d of round %d\n", i, c.round), 500))
		p.Call, p.Failed = call.ID, i == 1
		parts = append(parts, p)
	}
	round := c.round
	c.said = append(c.said, func(th *conversation.Thread) {
		th.Heard(&conversation.Offers{}, events.ModelRequested{}, nil, id, said)
		for _, p := range parts {
			th.Result(round, "read_file", p)
		}
	})
}

// TestAShortenedConversationIsTakenByItsVendor shortens a conversation of six
// rounds in every way that there is room for, and sends each: the fakes refuse
// what the vendors refuse. What was thought goes back to the letter or not at all.
func TestAShortenedConversationIsTakenByItsVendor(t *testing.T) {
	t.Parallel()
	for name, who := range thinkers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := who.talk(t)
			for range 6 {
				c.goOn(c.ask(c.thread()))
			}
			ways := map[string]bool{}
			for room := int64(60_000); ; room -= 500 {
				cut, err := c.thread().Fit(conversation.Reader{Room: room}, nil)
				if err != nil {
					break
				}
				if cut == nil {
					continue
				}
				way := fmt.Sprint(cut.Shortened, cut.DroppedRounds, cut.Views)
				if ways[way] {
					continue
				}
				ways[way] = true
				short := c.thread()
				short.Apply(*cut)
				c.ask(short)
			}
			require.GreaterOrEqual(t, len(ways), 5)

			last := c.thread() // one that is shortened while it goes on
			for room := int64(40_000); ; room -= room / 3 {
				cut, err := last.Fit(conversation.Reader{Room: room}, nil)
				if err != nil {
					break
				}
				if cut != nil {
					last.Apply(*cut)
				}
				c.goOn(c.ask(last))
				c.said[len(c.said)-1](last)
			}
			require.Greater(t, c.round, 9)
		})
	}
}
