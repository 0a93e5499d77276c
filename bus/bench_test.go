package bus_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/bus/rawbus"
	"manualslop/events"
)

// benchEvent is an event of common size.
func benchEvent(tb testing.TB, actor string, i int) events.Event {
	tb.Helper()
	e, err := events.New(events.Origin{ID: fmt.Sprintf("%s-%d", actor, i), Time: time.Now(), Project: "p1", Session: "s1",
		Actor: actor, Cause: "01JABCDEFGHJKMNPQRSTVWXYZ0", N: uint64(i)},
		events.ToolApproved{Call: "01JABCDEFGHJKMNPQRSTVWXYZ0-0", Tool: "read_file",
			Args: json.RawMessage(`{"path":"src/a.go"}`), Effect: "reads", By: "rule"})
	require.NoError(tb, err)
	return e
}

func eachDurability(b *testing.B, project string, run func(*testing.B, *bus.Server)) {
	for _, d := range []string{bus.Relaxed, bus.Sync} {
		b.Run(d, func(b *testing.B) {
			run(b, bustest.Open(b, func(c *bus.Config) { c.Durability, c.Project = d, project }))
		})
	}
}

// percentiles reports how the durations of a run spread.
func percentiles(b *testing.B, all []time.Duration) {
	slices.Sort(all)
	for name, q := range map[string]float64{"p50-µs": 0.50, "p99-µs": 0.99, "max-µs": 1} {
		b.ReportMetric(float64(all[int(q*float64(len(all)-1))].Nanoseconds())/1e3, name)
	}
}

func BenchmarkRawPublish(b *testing.B) {
	eachDurability(b, bustest.Project, func(b *testing.B, s *bus.Server) {
		nc, err := s.Stock(approval)
		require.NoError(b, err)
		defer nc.Close()
		e := benchEvent(b, events.ActorApproval, 1)
		body, err := json.Marshal(e)
		require.NoError(b, err)
		filter := events.Filter{Project: "p1", Session: "s1", Actor: events.ActorApproval}.Subject()
		i := 0
		for b.Loop() {
			m := &nats.Msg{Subject: e.Subject(), Data: body, Header: nats.Header{"Nats-Msg-Id": {strconv.Itoa(i)},
				"Nats-Expected-Last-Subject-Sequence": {strconv.Itoa(i)}, "Nats-Expected-Last-Subject-Sequence-Subject": {filter}}}
			_, err := nc.RequestMsg(m, time.Second)
			require.NoError(b, err)
			i++
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	eachDurability(b, bustest.Project, func(b *testing.B, s *bus.Server) {
		c := bustest.Connect(b, s, approval)
		filter := events.Filter{Project: "p1", Session: "s1", Actor: events.ActorApproval}
		e := benchEvent(b, events.ActorApproval, 1)
		ctx := context.Background()
		i := 0
		for b.Loop() {
			e.ID = strconv.Itoa(i)
			_, err := c.Append(ctx, e, &events.Expect{Filter: filter, Last: uint64(i)})
			require.NoError(b, err)
			i++
		}
	})
}

// BenchmarkAppendGuarded appends with and without the record of the store's ends.
func BenchmarkAppendGuarded(b *testing.B) {
	for _, guarded := range []bool{true, false} {
		b.Run(fmt.Sprintf("guarded=%t", guarded), func(b *testing.B) {
			eachDurability(b, bustest.Project, func(b *testing.B, s *bus.Server) {
				if !guarded {
					s.StopGuard()
				}
				c, e, i := bustest.Connect(b, s, approval), benchEvent(b, events.ActorApproval, 1), 0
				var all []time.Duration
				for b.Loop() {
					e.ID = strconv.Itoa(i)
					begun := time.Now()
					_, err := c.Append(context.Background(), e, nil)
					require.NoError(b, err)
					all = append(all, time.Since(begun))
					i++
				}
				percentiles(b, all)
			})
		})
	}
}

// BenchmarkScanLog is what a start after a crash adds.
func BenchmarkScanLog(b *testing.B) {
	const count = 50_000
	dir := b.TempDir()
	s, err := bus.Open(context.Background(), bus.Config{Dir: dir, Durability: bus.Relaxed, MaxBytes: 1 << 30})
	require.NoError(b, err)
	c, err := s.Connect(approval)
	require.NoError(b, err)
	e := benchEvent(b, events.ActorApproval, 1)
	for i := range count {
		e.ID = strconv.Itoa(i)
		_, err := c.Append(context.Background(), e, nil)
		require.NoError(b, err)
	}
	c.Close()
	require.NoError(b, s.Close())
	for b.Loop() {
		n, err := bus.ScanLog(streamDir(dir))
		require.NoError(b, err)
		require.Equal(b, count, n)
	}
	b.ReportMetric(float64(count*b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkReadSession(b *testing.B) {
	s := bustest.Open(b)
	c := bustest.Connect(b, s, approval)
	ctx := context.Background()
	for i := range 1000 {
		_, err := c.Append(ctx, benchEvent(b, events.ActorApproval, i), nil)
		require.NoError(b, err)
	}
	for _, size := range []uint64{10, 100, 1000} {
		b.Run(strconv.FormatUint(size, 10), func(b *testing.B) {
			for b.Loop() {
				n := uint64(0)
				for _, err := range c.Read(ctx, events.Filter{Session: "s1"}, 1, size) {
					require.NoError(b, err)
					n++
				}
				require.Equal(b, size, n)
			}
		})
	}
}

func BenchmarkRawChain(b *testing.B) {
	eachDurability(b, rawbus.Project, func(b *testing.B, s *bus.Server) {
		chain, err := rawbus.New(s.Stock, "s1")
		require.NoError(b, err)
		defer chain.Close()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = rawbus.Work(ctx, s.Stock, bus.WorkerName("test", 1), 1)
		}()
		defer func() { cancel(); <-done }()
		var all []time.Duration
		for b.Loop() {
			d, err := chain.Trip(ctx)
			require.NoError(b, err)
			all = append(all, d)
		}
		percentiles(b, all)
	})
}

// BenchmarkChain is the same round trip through Append, Watch and Work.
func BenchmarkChain(b *testing.B) {
	eachDurability(b, bustest.Project, func(b *testing.B, s *bus.Server) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		requests, approvals, w := bustest.Connect(b, s, bus.Role{Kind: bus.Decider, Name: events.ActorContributor}),
			bustest.Connect(b, s, approval), bustest.Connect(b, s, worker1)
		_, feed, err := bustest.Connect(b, s, reader).Watch(ctx, events.Filter{Project: "p1"}, 1)
		require.NoError(b, err)
		seen := make(chan string, 64)
		go func() {
			for e := range feed {
				seen <- e.Actor
			}
		}()
		n := 0
		go func() {
			_ = w.Work(ctx, toolPool, 1, func(ctx context.Context, _ events.Delivery) error {
				n++
				_, err := w.Append(ctx, benchWorkerEvent(b, n), nil)
				return err
			})
		}()
		await := func(actor string) {
			for <-seen != actor {
			}
		}
		var all []time.Duration
		var lastRequest, lastApproval uint64
		for i := 0; b.Loop(); i++ {
			start := time.Now()
			lastRequest, err = requests.Append(ctx, benchEvent(b, events.ActorContributor, i),
				&events.Expect{Filter: events.Filter{Project: "p1", Session: "s1", Actor: events.ActorContributor},
					Last: lastRequest})
			require.NoError(b, err)
			await(events.ActorContributor)
			lastApproval, err = approvals.Append(ctx, benchEvent(b, events.ActorApproval, i),
				&events.Expect{Filter: events.Filter{Project: "p1", Session: "s1", Actor: events.ActorApproval},
					Last: lastApproval})
			require.NoError(b, err)
			await(worker1.Name)
			all = append(all, time.Since(start))
		}
		percentiles(b, all)
	})
}

func benchWorkerEvent(b *testing.B, i int) events.Event {
	e, err := events.New(events.Origin{ID: fmt.Sprintf("w-%d", i), Time: time.Now(), Project: "p1", Session: "s1",
		Actor: worker1.Name, N: uint64(i)},
		events.ToolSettled{Call: "01JABCDEFGHJKMNPQRSTVWXYZ0-0", Tool: "read_file", Outcome: events.ToolDone,
			Text: "package a\n"})
	require.NoError(b, err)
	return e
}
