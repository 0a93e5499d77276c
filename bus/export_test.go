package bus

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"manualslop/events"
)

// Limits of a stored snapshot: of one message, and of the pieces.
const (
	MaxStoredSnapshot = maxSnapshotBytes
	MaxSnapshotPieces = maxSnapshotPieces
)

// StoredSnapshot is what stands under a key of the snapshots.
func StoredSnapshot(ctx context.Context, c *Conn, key string) []byte {
	body, err := c.getMessage(ctx, key)
	if err != nil {
		panic(err)
	}
	return body
}

// ReserveTypes are the types that the reserve knows by name.
func ReserveTypes() []string {
	return slices.AppendSeq(slices.Collect(maps.Keys(newWork())), maps.Keys(endings()))
}

// NATS is the stock connection under c.
func (c *Conn) NATS() *nats.Conn { return c.nc }

// Search looks for an event that was sent at a time.
func (c *Conn) Search(ctx context.Context, e events.Event, since time.Time) (uint64, error) {
	body, err := e.MarshalJSON()
	if err != nil {
		return 0, err
	}
	return c.search(ctx, &nats.Msg{Subject: e.Subject(), Data: body, Header: nats.Header{jetstream.MsgIDHeader: {e.ID}}},
		since)
}

// PoolNames are the names of every pool of the log.
func (c *Conn) PoolNames(ctx context.Context) ([]string, error) {
	pools, err := c.listPools(ctx)
	var out []string
	for _, p := range pools {
		out = append(out, p.Name)
	}
	return out, err
}

// RecordedPools is what the guard records of pools after two looks: in the first
// one the server names a consumer of the log, in the second one it names none.
func RecordedPools(name string, floor, delivered uint64) map[string][2]uint64 {
	c := server.ConsumerInfo{Name: name, Config: &server.ConsumerConfig{Durable: name}}
	c.AckFloor.Stream, c.Delivered.Stream = floor, delivered
	out := map[string][2]uint64{}
	// order-independent: each pool has its own end
	for name, end := range poolsAmong(nil, poolsAmong([]*server.ConsumerInfo{&c, {Config: &server.ConsumerConfig{}}},
		nil)) {
		out[name] = [2]uint64{end.Floor, end.Delivered}
	}
	return out
}

// StopGuard ends the record of the ends, to show what it costs.
func (s *Server) StopGuard() { s.guard.stop(); s.guard.done.Wait() }

// ScanLog reads every block of a store's log as a start after a crash does.
func ScanLog(dir string) (records int, err error) {
	s, err := scanStream(dir, StreamEvents, true)
	return s.records, err
}

// Hears tells whether somebody is subscribed to a subject.
func (s *Server) Hears(subject string) bool {
	return s.nats.GlobalAccount().SubscriptionInterest(subject)
}

// Undelivered is what a reader makes of a consumer that delivers nothing from a
// sequence on, though it is asked to.
func (c *Conn) Undelivered(ctx context.Context, f events.Filter, from uint64) error {
	fd, err := c.openFeed(ctx, f, from)
	if err != nil {
		return err
	}
	defer fd.close()
	return fd.undelivered(ctx)
}

// SpareSlots is how many slots of a worker wait for work at most.
const SpareSlots = spareSlots

// Pulls counts the slots that wait for work of a pool.
func (c *Conn) Pulls(ctx context.Context, pool string) (int, error) {
	var info struct {
		Waiting int `json:"num_waiting"`
	}
	err := c.api(ctx, apiConsInfo+StreamEvents+"."+pool, nil, &info)
	return info.Waiting, err
}

// Drop ends the connection of a process outside, which makes it again.
func (s *Server) Drop(c *Conn) error {
	id, err := c.nc.GetClientID()
	if err != nil {
		return err
	}
	return s.nats.DisconnectClientByID(id)
}
