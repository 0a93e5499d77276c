package bus_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
)

// BenchmarkThreeCopiesBesideOne appends to three servers that keep three copies
// and to one server that keeps one, in turns, each durable and over TCP.
func BenchmarkThreeCopiesBesideOne(b *testing.B) {
	const writers, each = 16, 20
	cluster := bustest.StartCluster(b, "ada")
	single := bustest.Open(b, func(c *bus.Config) { c.Durability, c.Listen, c.Host = bus.Sync, "127.0.0.1:0", "test" })
	keys := b.TempDir()
	require.NoError(b, single.WriteKeys(keys))
	logs := map[string]*bus.Conn{
		"three": onCluster(b, cluster, "orchestrator", approval),
		"one":   dial(b, bus.DialConfig{Creds: keys + "/orchestrator.json", Role: approval}),
	}
	alone, rates := map[string][]time.Duration{}, map[string][]time.Duration{}
	n := 0
	add := func(log *bus.Conn, i int) time.Duration {
		e := benchEvent(b, events.ActorApproval, i)
		began := time.Now()
		_, err := log.Append(context.Background(), e, nil)
		require.NoError(b, err)
		return time.Since(began)
	}
	for b.Loop() {
		for _, name := range []string{"one", "three"} {
			for range each {
				n++
				alone[name] = append(alone[name], add(logs[name], n))
			}
			var wg sync.WaitGroup
			began := time.Now()
			for w := range writers {
				first := n + w*each
				wg.Go(func() {
					for i := range each {
						add(logs[name], first+i+1)
					}
				})
			}
			wg.Wait()
			n += writers * each
			rates[name] = append(rates[name], time.Since(began)/(writers*each))
		}
	}
	for name := range logs {
		slices.Sort(alone[name])
		slices.Sort(rates[name])
		one := alone[name]
		b.ReportMetric(float64(one[len(one)/2].Microseconds()), name+"-p50-µs")
		b.ReportMetric(float64(one[len(one)*99/100].Microseconds()), name+"-p99-µs")
		b.ReportMetric(float64(time.Second/rates[name][len(rates[name])/2]), name+"-16-writers/s")
	}
}
