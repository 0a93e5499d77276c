package bus_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
)

// sharedWriters is how many appends are in flight at once.
const sharedWriters = 16

// BenchmarkSharedSync compares three ways to store what sixteen writers append at the
// same time, synced, on one server and on three: each writer waits for its own append;
// one publisher gathers what waits into an atomic batch, which has one sync; and the
// same with fast ingest. See ADR 97.
func BenchmarkSharedSync(b *testing.B) {
	single := bustest.Open(b, func(c *bus.Config) { c.Durability = bus.Sync })
	nc, err := single.Stock(bus.Role{Kind: bus.Admin})
	require.NoError(b, err)
	defer nc.Close()
	b.Run("one", func(b *testing.B) { sharedSync(b, nc, 1) })
	cluster := bustest.StartCluster(b, "ada")
	onThree := onCluster(b, cluster, "admin", bus.Role{Kind: bus.Admin})
	b.Run("three", func(b *testing.B) { sharedSync(b, onThree.NATS(), 3) })
}

func sharedSync(b *testing.B, nc *nats.Conn, replicas int) {
	b.Helper()
	js, err := jetstream.New(nc)
	require.NoError(b, err)
	_, err = js.CreateStream(context.Background(), jetstream.StreamConfig{Name: "SHARED", Subjects: []string{"shared.>"},
		Replicas: replicas, AllowAtomicPublish: true, AllowBatchPublish: true, Compression: jetstream.S2Compression})
	require.NoError(b, err)
	body, err := json.Marshal(benchEvent(b, events.ActorApproval, 1))
	require.NoError(b, err)
	for name, way := range map[string]func(*testing.B, *nats.Conn, []*nats.Msg){
		"alone": storeAlone, "atomic": storeAtomic, "fast": storeFast,
	} {
		b.Run(name, func(b *testing.B) {
			done := 0
			for began := time.Now(); b.Loop(); {
				msgs := make([]*nats.Msg, sharedWriters)
				for i := range msgs {
					msgs[i] = &nats.Msg{Subject: fmt.Sprintf("shared.%d", i), Data: body, Header: nats.Header{}}
				}
				way(b, nc, msgs)
				done += len(msgs)
				b.ReportMetric(float64(done)/time.Since(began).Seconds(), "events/s")
			}
		})
	}
}

func storeAlone(b *testing.B, nc *nats.Conn, msgs []*nats.Msg) {
	var wg sync.WaitGroup
	for _, m := range msgs {
		wg.Go(func() { acknowledged(b, nc, m) })
	}
	wg.Wait()
}

func storeAtomic(b *testing.B, nc *nats.Conn, msgs []*nats.Msg) {
	id := nuid.Next()
	for i, m := range msgs {
		m.Header["Nats-Batch-Id"], m.Header["Nats-Batch-Sequence"] = []string{id}, []string{strconv.Itoa(i + 1)}
		if i < len(msgs)-1 {
			require.NoError(b, nc.PublishMsg(m))
		}
	}
	last := msgs[len(msgs)-1]
	last.Header["Nats-Batch-Commit"] = []string{"1"}
	acknowledged(b, nc, last)
}

// storeFast publishes with replies <inbox>.<id>.<flow>.<gap>.<sequence>.<operation>.$FI;
// the operations are 0 start, 1 append, 2 commit.
func storeFast(b *testing.B, nc *nats.Conn, msgs []*nats.Msg) {
	inbox := nc.NewInbox()
	sub, err := nc.SubscribeSync(inbox + ".>")
	require.NoError(b, err)
	defer func() { require.NoError(b, sub.Unsubscribe()) }()
	id := nuid.Next()
	for i, m := range msgs {
		operation := 1
		switch i {
		case 0:
			operation = 0
		case len(msgs) - 1:
			operation = 2
		}
		m.Reply = fmt.Sprintf("%s.%s.%d.fail.%d.%d.$FI", inbox, id, len(msgs), i+1, operation)
		require.NoError(b, nc.PublishMsg(m))
	}
	for {
		answer, err := sub.NextMsg(10 * time.Second)
		require.NoError(b, err)
		var ack struct {
			Seq   uint64          `json:"seq"`
			Count int             `json:"count"`
			Error json.RawMessage `json:"error"`
		}
		require.NoError(b, json.Unmarshal(answer.Data, &ack))
		require.Empty(b, ack.Error)
		if ack.Count == len(msgs) {
			return
		}
	}
}

// acknowledged publishes a message and waits until it is stored.
func acknowledged(b *testing.B, nc *nats.Conn, m *nats.Msg) {
	answer, err := nc.RequestMsg(m, 10*time.Second)
	require.NoError(b, err)
	var ack jetstream.PubAck
	require.NoError(b, json.Unmarshal(answer.Data, &ack))
	require.NotZero(b, ack.Sequence, string(answer.Data))
}
