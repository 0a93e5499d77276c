package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/config"
	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
	"manualslop/tiers/llm/llmtest"
)

// What BenchmarkWorkers gives four workers to do.
const (
	benchWorkers = 4
	benchTickets = 16
	benchRounds  = 4
)

// BenchmarkWorkers is how long four workers take for 16 tickets of 4 rounds on a
// fake of a vendor's API that answers after a pause, over HTTP, as a multiple of
// the pauses that must follow each other. The reference is the same requests by
// the bare adapter, in four goroutines. SLOP_LOAD=full pauses for 500 ms.
func BenchmarkWorkers(b *testing.B) {
	latency := 20 * time.Millisecond
	if os.Getenv("SLOP_LOAD") == "full" {
		latency = 500 * time.Millisecond
	}
	ideal := benchTickets / benchWorkers * benchRounds * latency
	b.Setenv("XDG_CONFIG_HOME", b.TempDir())
	b.Setenv("ANTHROPIC_API_KEY", llmtest.Key)
	var ours, theirs time.Duration
	for b.Loop() {
		server := llmtest.Anthropic(b, llmtest.Options{Models: []string{benchModel},
			Answer: func(v llmtest.View) llmtest.Turn { return teamwork(v, latency) }})
		m := newWorkers(b, nil, func(c *config.Config) {
			for n, t := range c.Tiers {
				t.Provider, t.Model = anthropic.Name, benchModel
				c.Tiers[n] = t
			}
			c.Providers = map[string]config.Provider{anthropic.Name: {BaseURL: server.URL}}
			c.MMA.MaxWorkers = benchWorkers
		})
		ours += ticketsTime(m.reach(b, "work"))
		require.NoError(b, m.Close())
		theirs += bareTime(b, server)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(ours)/float64(b.N)/1e6, "ms")
	b.ReportMetric(float64(ours)/float64(b.N)/float64(ideal), "x-ideal")
	b.ReportMetric(float64(theirs)/float64(b.N)/float64(ideal), "bare-x-ideal")
}

const benchModel = "claude-sonnet-5"

// bareTime is how long the requests of the tickets take without an engine.
func bareTime(b *testing.B, server *llmtest.Server) time.Duration {
	b.Helper()
	bare := anthropic.Provider{Endpoint: server.Endpoint()}
	request := llm.Request{Model: benchModel, Messages: []llm.Message{
		{Role: llm.RoleSystem, Blocks: []llm.Block{llm.Text("tier 3 of four")}},
		{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("# Ticket T-000\n\nwork")}}}}
	began := time.Now()
	var wg sync.WaitGroup
	for range benchWorkers {
		wg.Go(func() {
			for range benchTickets / benchWorkers * benchRounds {
				if _, err := llm.Collect(bare.Stream(context.Background(), request), nil); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(began)
}

var (
	tierOfPrompt   = regexp.MustCompile(`tier ([1-4]) of four`)
	ticketOfPrompt = regexp.MustCompile(`(?m)^# Ticket (\S+)$`)
)

// teamwork plans tickets and reads a file in every round of a ticket but the
// last. Only contributors take their time.
func teamwork(v llmtest.View, latency time.Duration) llmtest.Turn {
	tier := tierOfPrompt.FindStringSubmatch(v.System)
	switch {
	case tier == nil:
		return llmtest.Turn{Error: events.ModelInvalidRequest, Message: "no tier"}
	case tier[1] == "1":
		return llmtest.Turn{Text: `[{"id":"TR-1","title":"One","description":"Do it"}]`}
	case tier[1] == "2":
		return llmtest.Turn{Text: manyTickets()}
	}
	said := 0
	for _, m := range v.Messages {
		if m.Role == "assistant" {
			said++
		}
	}
	if ticketOfPrompt.FindStringSubmatch(v.Messages[0].Text) == nil {
		return llmtest.Turn{Error: events.ModelInvalidRequest, Message: "no ticket"}
	}
	if said == benchRounds-1 {
		return llmtest.Turn{Text: "DONE: all.", Delay: latency}
	}
	return llmtest.Turn{Text: "I read.", Delay: latency, Calls: []llmtest.Call{{Name: "get_file_slice",
		Args: `{"path":"a.txt","start_line":1,"end_line":9}`}}}
}

func manyTickets() string {
	type ticket struct {
		ID          string   `json:"id"`
		Description string   `json:"description"`
		DependsOn   []string `json:"depends_on"`
	}
	var all []ticket
	for i := range benchTickets {
		all = append(all, ticket{fmt.Sprintf("T-%03d", i+1), "Read", []string{}})
	}
	b, err := json.Marshal(all)
	if err != nil {
		return strings.TrimSpace(err.Error())
	}
	return string(b)
}

// ticketsTime is from the start of the first ticket to the end of the last.
func ticketsTime(all []seen) time.Duration {
	var from, to time.Time
	for _, e := range all {
		switch e.Payload.(type) {
		case events.TicketStarted:
			if from.IsZero() {
				from = e.at
			}
		case events.TicketCompleted:
			to = e.at
		}
	}
	return to.Sub(from)
}
