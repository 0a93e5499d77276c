package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/runtime"
	"manualslop/tools"
)

// pingPong stands in for tier 3's model: each outcome asks for the next call,
// so that what is measured is the engine's way of one call and nothing else.
// It waits for each duration to be taken before it goes on.
func pingPong(ctx context.Context, done chan<- time.Duration) tiers.Decider[*bounce] {
	return tiers.Decider[*bounce]{
		Name: events.ActorContributor,
		New:  func() *bounce { return &bounce{done: done} },
		Evolve: func(b *bounce, e *events.Event) *bounce {
			switch p := e.Payload.(type) {
			case events.GoalSubmitted:
				b.due = true
			case events.ToolSettled:
				if p.Call == b.call() {
					select {
					case b.done <- time.Since(b.began):
					case <-ctx.Done():
					}
					b.due = true
				}
			case events.ToolRequested:
				b.due = false
			}
			return b
		},
		Decide: func(b *bounce, _ *events.Event) []events.Payload {
			if !b.due {
				return nil
			}
			b.n++
			b.began = time.Now()
			return []events.Payload{events.ToolRequested{Call: b.call(), Tool: "nothing", Args: json.RawMessage(`{"text":"` + callText + `"}`), Ticket: "T-1", Attempt: 1, Round: b.n}}
		},
	}
}

// callText gives the call's events the size of those of a session.
var callText = fmt.Sprintf("%0300d", 7)

type bounce struct {
	n     int
	due   bool
	began time.Time
	done  chan<- time.Duration
}

func (b *bounce) call() string { return fmt.Sprintf("c-%d", b.n) }

type nothingArgs struct {
	Text string `json:"text" doc:"anything"`
}

func nothing(_ context.Context, _ tools.Env, in nothingArgs) (tools.Result, error) {
	return tools.Result{Text: in.Text}, nil
}

// blocks is in how many turns the engine and the raw bus are measured, so that
// a drift of the machine's speed meets both.
const blocks = 10

// BenchmarkToolRoundTrip is one call of a tool that does nothing, in one
// process: requested, approved, outcome seen by the decider. Beside it stands
// the same chain on the raw bus.
func BenchmarkToolRoundTrip(b *testing.B) {
	for _, durability := range []string{bus.Relaxed, bus.Sync} {
		b.Run(durability, func(b *testing.B) {
			next := roundTrips(b, durability)
			raw := bustest.NewRawChain(b, bustest.Open(b, func(c *bus.Config) { c.Durability = durability }), "s1")
			var ours, theirs []time.Duration
			b.ResetTimer()
			for range blocks {
				for range max(b.N/blocks, 1) {
					ours = append(ours, next())
				}
				for range max(b.N/blocks, 1) {
					took, err := raw.Trip(context.Background())
					require.NoError(b, err)
					theirs = append(theirs, took)
				}
			}
			b.StopTimer()
			mine, reference := quantile(ours, 0.5), quantile(theirs, 0.5)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(micros(mine), "p50-µs")
			b.ReportMetric(micros(quantile(ours, 0.99)), "p99-µs")
			b.ReportMetric(micros(reference), "raw-p50-µs")
			b.ReportMetric(float64(mine)/float64(reference), "x-raw")
		})
	}
}

func quantile(all []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[int(q*float64(len(sorted)-1))]
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// roundTrips starts an engine whose contributor is pingPong; each call of next
// lets it make one trip and tells how long it took.
func roundTrips(b *testing.B, durability string) (next func() time.Duration) {
	w := newWorldOn(b, bustest.Open(b, func(c *bus.Config) { c.Durability = durability }), nil)
	registry, err := tools.NewRegistry(tools.Reader(tools.Spec{Name: "nothing", Summary: "Does nothing.", Effect: tools.Reads}, nothing))
	require.NoError(b, err)
	tool, _ := registry.Lookup("nothing")
	w.say(events.SessionOpened{Folder: "f", Workspace: w.dir, Settings: events.Settings{MaxWorkers: 1, ToolTimeoutMS: 1000}})
	w.say(events.ToolsOffered{Tools: []events.ToolOffer{{Name: "nothing", Description: "d", Effect: "reads", Schema: tool.Schema()}}})
	done := make(chan time.Duration)
	ctx, cancel := context.WithCancel(context.Background())
	crew := &runtime.Orchestrator{Project: project, Logger: logger()}
	for _, start := range machines() {
		name := start().Name()
		if name == events.ActorContributor {
			start = func() *tiers.Machine { return pingPong(ctx, done).Start() }
		}
		crew.Roles = append(crew.Roles, runtime.Role{Start: start, Log: w.connect(bus.Role{Kind: bus.Decider, Name: name})})
	}
	reader := &runtime.Reader{Log: w.connect(bus.Role{Kind: bus.Reader}), Registry: events.Catalogue(), Project: project, Logger: logger()}
	reader.Subscribe(crew)
	worker := w.worker("worker-test-1")
	worker.Tools = registry
	var wg sync.WaitGroup
	wg.Go(func() { _ = reader.Run(ctx) })
	wg.Go(func() { _ = worker.Run(ctx, 4) })
	b.Cleanup(func() { cancel(); wg.Wait(); crew.Wait() })
	w.say(events.GoalSubmitted{Goal: "go"})
	for range 50 {
		<-done
	}
	return func() time.Duration { return <-done }
}
