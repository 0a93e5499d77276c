package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/replay"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
	"manualslop/tiers/llm/gemini"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/openai"
	"manualslop/tools/builtin"
)

// onWire is one vendor's wire with the adapter that speaks it.
type onWire struct {
	name, vendor, model string
	adapter             func(e llm.Endpoint, silence time.Duration) llm.Provider
}

// theWires are the wires that engines speak over HTTP.
func theWires() []onWire {
	return []onWire{
		{anthropic.Name, "anthropic", "claude-sonnet-4-6", func(e llm.Endpoint, silence time.Duration) llm.Provider {
			return anthropic.Provider{Endpoint: e, Silence: silence}
		}},
		{gemini.Name, "gemini", "gemini-3.5-flash", func(e llm.Endpoint, silence time.Duration) llm.Provider {
			return gemini.Provider{Endpoint: e, Silence: silence}
		}},
		{"openai", "openai", "gpt-4.1", func(e llm.Endpoint, silence time.Duration) llm.Provider {
			server, _ := openai.Find("openai")
			return openai.Provider{Server: server, Endpoint: e, Silence: silence}
		}},
		// over the Responses API
		{"openai", "openai", "gpt-5.6-sol", func(e llm.Endpoint, silence time.Duration) llm.Provider {
			server, _ := openai.Find("openai")
			return openai.Provider{Server: server, Endpoint: e, Silence: silence}
		}},
	}
}

// asks are the parts of a request by which a fake knows who asks.
type asks struct {
	tier   int
	ticket string
	round  int
}

var (
	tierWords     = regexp.MustCompile(`tier ([1-4]) of four`)
	ticketHeading = regexp.MustCompile(`(?m)^# Ticket (\S+)$`)
)

func whoAsks(v llmtest.View) asks {
	a := asks{round: 1}
	if found := tierWords.FindStringSubmatch(v.System); found != nil {
		a.tier = int(found[1][0] - '0')
	}
	if found := ticketHeading.FindStringSubmatch(v.Messages[0].Text); found != nil {
		a.ticket = found[1]
	}
	for _, m := range v.Messages {
		if m.Role == "assistant" {
			a.round++
		}
	}
	return a
}

// planned is a turn of a planning tier: one track with these tickets.
func planned(tier int, tickets ...string) llmtest.Turn {
	type item struct {
		ID          string `json:"id"`
		Description string `json:"description"`
	}
	plan := []item{{"TR-1", "look around"}}
	if tier == 2 {
		plan = nil
		for _, id := range tickets {
			plan = append(plan, item{id, "look into a.txt"})
		}
	}
	text, err := json.Marshal(plan)
	if err != nil {
		panic(err)
	}
	return llmtest.Turn{Text: string(text)}
}

// serveOn gives the world a fake of the wire and an adapter that speaks to it.
func (w *world) serveOn(t *testing.T, on onWire, answer func(v llmtest.View) llmtest.Turn) *llmtest.Server {
	t.Helper()
	s, stop, err := llmtest.Start(llmtest.Options{Vendor: on.vendor, Models: []string{on.model}, Answer: answer})
	require.NoError(t, err)
	t.Cleanup(stop)
	w.more = on.adapter(s.Endpoint(), 0)
	return s
}

// openOn begins a session on a wire.
func (w *world) openOn(on onWire) {
	w.open(func(s *events.Settings) {
		s.MaxRetries, s.MaxWorkers = 0, 8
		for i := range s.Tiers {
			s.Tiers[i].Provider, s.Tiers[i].Models, s.Tiers[i].MaxRounds = on.name, []string{on.model}, 4
		}
	})
	var offered events.ToolsOffered // few, so that prompts are short
	for _, t := range builtin.Tools().All() {
		if spec := t.Spec(); spec.Name == "read_file" {
			offered.Tools = append(offered.Tools, events.ToolOffer{Name: spec.Name, Description: spec.Text(),
				Effect: spec.Effect.String(), Schema: t.Schema()})
		}
	}
	w.say(offered)
	w.yesToAll()
}

// untilGoalEnds waits until the goal is over, and checks the record.
func (w *world) untilGoalEnds(t *testing.T) []events.Event {
	t.Helper()
	log := w.until(func(e *events.Event) bool {
		switch e.Payload.(type) {
		case events.GoalCompleted, events.GoalFailed:
			return true
		case events.PlanningFailed, events.SessionStalled:
			t.Errorf("%s: %s", e.Type, e.Data)
		}
		return false
	})
	_, err := replay.Verify(log, replay.Deciders()...)
	require.NoError(t, err)
	return log
}

// strides is a clock that goes on by a stride with each look at it.
type strides struct {
	mu  sync.Mutex
	now time.Time
}

func (s *strides) look() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(20 * time.Second)
	return s.now
}

// at is what the clock showed last.
func (s *strides) at() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// impatient is a provider that bears little silence where the server will be silent.
type impatient struct {
	llm.Provider
	quick  llm.Provider
	silent func(ticket string) bool // called once for each attempt
}

func (p impatient) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			text, _ := b.(llm.Text)
			if found := ticketHeading.FindStringSubmatch(string(text)); found != nil && p.silent(found[1]) {
				return p.quick.Stream(ctx, r)
			}
		}
	}
	return p.Provider.Stream(ctx, r)
}

// shown is what somebody sees who follows live text by its rules.
type shown struct {
	mu     sync.Mutex
	text   map[string]string // by request
	pieces map[string]int
	lost   []string
}

func newShown() *shown { return &shown{text: map[string]string{}, pieces: map[string]int{}} }

func (s *shown) Signal(_ context.Context, _, _, _, name string, body []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var d struct {
		Request, Delta string
		Piece          int
	}
	if err := json.Unmarshal(body, &d); err != nil || name != "delta" {
		return fmt.Errorf("%s %s: %w", name, body, err)
	}
	if d.Piece == 0 {
		s.text[d.Request], s.pieces[d.Request] = "", 0
	}
	if d.Piece != s.pieces[d.Request] {
		s.lost = append(s.lost, string(body))
	}
	s.pieces[d.Request]++
	s.text[d.Request] += d.Delta
	return nil
}

// of is what stands there for a request.
func (s *shown) of(request string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text[request]
}

// requireNoTrace checks that neither the record nor a request holds a text.
func requireNoTrace(t *testing.T, log []events.Event, views []llmtest.View, text string) {
	t.Helper()
	for _, e := range log {
		require.NotContains(t, string(e.Data), text, "%s %s", e.Type, e.ID)
	}
	for _, v := range views {
		require.NotContains(t, string(v.Body), text, "request %d", v.Number)
	}
	for id, stream := range replay.Rebuild(log).MMAStatus().MMAStreams {
		require.False(t, strings.Contains(stream, text), id)
	}
}
