package bench

import (
	"context"
	"flag"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/tiers/llm/script"
)

// BenchmarkRound is what the engine adds to a round of a contributor: a scripted
// model without latency reads one file again and again. b.N is the rounds. The
// reference is the raw bus with as many appends as a round has, each waiting
// for the one before. The search index leaves a run alone; what it takes to index
// the run when somebody searches afterwards is index-cpu-µs/round.
func BenchmarkRound(b *testing.B) {
	for name, change := range map[string]func(*config.Config){
		"plain": nil,
		"budget": func(c *config.Config) {
			price := 1.0
			c.Budget = config.Budget{Session: 100_000, Ticket: 100_000}
			c.Models = map[string]config.Model{"script/*": {Input: &price, Output: &price}}
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.Setenv("XDG_CONFIG_HOME", b.TempDir())
			rounds := min(max(b.N, 3), 900)
			m := newWorkers(b, reading(b, rounds), func(c *config.Config) {
				three := c.Tiers["3"]
				three.MaxRounds = 1000
				c.Tiers["3"] = three
				if change != nil {
					change(c)
				}
			})
			all := m.reach(b, "read")
			times, requests := requestsOf(all)
			require.Len(b, requests, rounds)
			appends := int(requests[1].Seq - requests[0].Seq)
			indexed, found := m.index(b)
			raw := rawAppend(b, min(10*rounds, 2000))
			part := max(1, min(20, len(times)/2))
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(quantile(times, 0.5), "µs/round")
			b.ReportMetric(quantile(times, 0.99), "µs/round-p99")
			b.ReportMetric(quantile(times[:part], 0.5), "µs/first-rounds")
			b.ReportMetric(quantile(times[len(times)-part:], 0.5), "µs/last-rounds")
			used := requests[len(requests)-1].used - requests[0].used
			b.ReportMetric(float64(used.Microseconds())/float64(len(times)), "cpu-µs/round")
			b.ReportMetric(float64(indexed.Microseconds())/float64(rounds), "index-cpu-µs/round")
			b.ReportMetric(float64(found.Milliseconds()), "ms-until-found")
			b.ReportMetric(float64(appends), "appends/round")
			b.ReportMetric(raw*float64(appends), "raw-µs/round")
			b.ReportMetric(float64(len(requests[len(requests)-1].Data))/1e3, "kB/last-request")
		})
	}
}

// BenchmarkTickets is whole rounds of 16 tickets at once and nothing beside them:
// what "make profile" looks at. b.N is the rounds.
func BenchmarkTickets(b *testing.B) {
	for _, durability := range []string{bus.Relaxed, bus.Sync} {
		b.Run(durability, func(b *testing.B) {
			b.Setenv("XDG_CONFIG_HOME", b.TempDir())
			s := roundShape{1, 16, durability}
			root, err := filepath.EvalSymlinks(b.TempDir())
			require.NoError(b, err)
			goals := max(1, b.N/roundsMost/s.atOnce())
			script := benchScript{goals: goals, rounds: min(max(b.N/s.atOnce(), 1), roundsMost) + 1}
			m, err := startRounds(b.Context(), root, s, script, engine.Causes{})
			require.NoError(b, err)
			defer m.Close()
			if flag.Lookup("test.blockprofile").Value.String() != "" {
				runtime.SetBlockProfileRate(10_000) // the log's server switched it off; a sample for each 10 µs
			}
			var all []roundFigures
			for range goals {
				f, err := m.goal()
				require.NoError(b, err)
				all = append(all, f)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(medianOf(all, roundFigures.perSecond), "rounds/s")
			b.ReportMetric(medianOf(all, roundFigures.processor), "cpu-ms/round")
		})
	}
}

// index searches until the index has everything, and returns the processor time
// and the time that took.
func (m *Workers) index(b *testing.B) (used, took time.Duration) {
	b.Helper()
	begun, before := time.Now(), engine.ProcessorTime()
	require.NoError(b, m.searchAll(b.Context()))
	return engine.ProcessorTime() - before, time.Since(begun)
}

// reading is a scripted model whose contributor reads a file in every round but
// the last.
func reading(t testing.TB, rounds int) *script.Script {
	t.Helper()
	return readingFor(t, 1, rounds)
}

// readingFor is one that does so for several goals, one after the other.
func readingFor(t testing.TB, goals, rounds int) *script.Script {
	t.Helper()
	s, err := benchScript{goals: goals, tickets: 1, rounds: rounds}.parse()
	require.NoError(t, err)
	return s
}

// requestsOf are the times between the requests of a contributor, and those.
func requestsOf(all []seen) (times []time.Duration, requests []seen) {
	for _, e := range all {
		if p, ok := e.Payload.(events.ModelRequested); ok && p.Tier == 3 {
			if n := len(requests); n > 0 {
				times = append(times, e.at.Sub(requests[n-1].at))
			}
			requests = append(requests, e)
		}
	}
	return times, requests
}

// rawAppend is the median of one append of the raw chain in microseconds.
func rawAppend(b *testing.B, n int) float64 {
	b.Helper()
	m := &runner{g: &site.Flags{Terminal: term.Terminal{In: strings.NewReader(""), Quiet: true}}, root: b.TempDir()}
	chain, stop, err := m.rawInProcess(b.Context(), bus.Relaxed)
	require.NoError(b, err)
	defer stop()
	var all []time.Duration
	for range n {
		took, err := chain.Trip(context.Background())
		require.NoError(b, err)
		all = append(all, took)
	}
	slices.Sort(all)
	return quantile(all, 0.5) / 3
}
