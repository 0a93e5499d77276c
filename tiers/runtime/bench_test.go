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
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/runtime"
	"manualslop/tools"
)

// pingPong stands in for tier 3's model: each outcome asks for the next call,
// so that what is measured is the engine's way of one call and nothing else.
func pingPong(done chan<- time.Duration) tiers.Decider[*bounce] {
	return tiers.Decider[*bounce]{
		Name: events.ActorContributor,
		New:  func() *bounce { return &bounce{done: done} },
		Evolve: func(b *bounce, e *events.Event) *bounce {
			switch p := e.Payload.(type) {
			case events.GoalSubmitted:
				b.due = true
			case events.ToolSettled:
				if p.Call == b.call() {
					b.done <- time.Since(b.began)
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

func BenchmarkToolRoundTrip(b *testing.B) {
	w := newWorld(b, nil)
	registry, err := tools.NewRegistry(tools.Reader(tools.Spec{Name: "nothing", Summary: "Does nothing.", Effect: tools.Reads}, nothing))
	require.NoError(b, err)
	tool, _ := registry.Lookup("nothing")
	w.say(events.SessionOpened{Folder: "f", Workspace: w.dir, Settings: events.Settings{MaxWorkers: 1, ToolTimeoutMS: 1000}})
	w.say(events.ToolsOffered{Tools: []events.ToolOffer{{Name: "nothing", Description: "d", Effect: "reads", Schema: tool.Schema()}}})
	done := make(chan time.Duration, 1)
	ctx, cancel := context.WithCancel(context.Background())
	crew := &runtime.Orchestrator{Project: project, Logger: logger()}
	for _, start := range machines() {
		name := start().Name()
		if name == events.ActorContributor {
			start = func() *tiers.Machine { return pingPong(done).Start() }
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
	defer func() {
		cancel()
		go func() {
			for range done {
			}
		}()
		wg.Wait()
		crew.Wait()
	}()
	w.say(events.GoalSubmitted{Goal: "go"})
	for range 50 {
		<-done
	}
	took := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for range b.N {
		took = append(took, <-done)
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
