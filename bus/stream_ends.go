package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"manualslop/bus/durable"
)

// Intervals of the guard.
const (
	guardEvery   = 250 * time.Millisecond // the record lags behind the log by at most this, plus one write
	guardPause   = 20 * time.Millisecond  // minimum time between two records, however many calls are claimed
	guardTimeout = 5 * time.Second
)

// guard keeps the record of the stream ends of a running store up to date, without delaying appends. It asks the
// server in-process, because it does so four times a second, even when idle.
type guard struct {
	s        *Server
	recorded bool // ends was written to the file
	ends     ends // the ends as recorded on disk
	stop     context.CancelFunc
	done     sync.WaitGroup
	failed   bool // the last attempt failed, which is logged only once
}

// startGuard records the ends now and keeps the record up to date until close. If flush is set, everything in the
// store is made durable first.
func startGuard(ctx context.Context, s *Server, first ends, flush bool) (*guard, error) {
	g := &guard{s: s, ends: first}
	if err := g.record(ctx, false, flush); err != nil {
		return nil, err
	}
	claimed := make(chan struct{}, 1)
	sub, err := g.s.admin.nc.Subscribe(subjectClaims+">", func(*nats.Msg) {
		select {
		case claimed <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return nil, fmt.Errorf("check the store: %w", err)
	}
	ctx, g.stop = context.WithCancel(context.Background())
	g.done.Go(func() {
		defer func() { _ = sub.Unsubscribe() }() // fails only on a closed connection
		g.run(ctx, claimed)
	})
	return g, nil
}

// run records at intervals, and at once when a call is claimed, so that a script that has run is not forgotten.
func (g *guard) run(ctx context.Context, claimed <-chan struct{}) {
	tick := time.NewTicker(guardEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-claimed:
		}
		err := g.record(ctx, false, false)
		if err != nil && !g.failed && ctx.Err() == nil {
			g.s.admin.log.Warn("cannot record the stream ends", "error", err)
		}
		g.failed = err != nil
		pause(ctx, guardPause)
	}
}

// close stops the guard and records the ends one last time, marked as an orderly stop.
func (g *guard) close() error {
	g.stop()
	g.done.Wait()
	return g.record(context.Background(), true, true)
}

// record writes the ends if they changed. If flush is set, it first makes everything durable.
func (g *guard) record(ctx context.Context, closed, flush bool) error {
	ctx, cancel := context.WithTimeout(ctx, guardTimeout)
	defer cancel()
	next, err := g.look(ctx)
	if err != nil {
		return fmt.Errorf("record the stream ends: %w", err)
	}
	// A stream whose write failed counts a message that it did not store.
	if (!next.same(g.ends) || closed) && g.s.frozen() != "" {
		return nil
	}
	if flush {
		if err := durable.SyncTree(g.s.cfg.store()); err != nil {
			return fmt.Errorf("record the stream ends: %w", err)
		}
		for _, end := range []*streamEnd{&next.Log, &next.Claims, &next.Blobs} {
			end.Synced = end.Seq
		}
	}
	next.Closed = closed
	if g.recorded && next.same(g.ends) {
		return nil
	}
	if err := next.write(g.s.cfg.store()); err != nil {
		return err
	}
	g.ends, g.recorded = next, true
	return nil
}

// look returns the positions of the streams and pools, as the server reports them.
func (g *guard) look(ctx context.Context) (ends, error) {
	next := g.ends
	streams, err := g.s.streams()
	if err != nil {
		return next, err
	}
	if len(streams) < len(streamConfigs(0, 1)) {
		return next, errNoStream
	}
	// order-independent: each stream has its own end
	for _, d := range streams {
		switch last := d.State.LastSeq; d.Name {
		case StreamEvents:
			next.Pools = poolsAmong(d.Consumer, g.ends.Pools)
			next.Log, err = g.end(ctx, d.Name, last, g.ends.Log)
		case streamClaims:
			next.Claims, err = g.end(ctx, d.Name, last, g.ends.Claims)
		case streamBlobs:
			next.Blobs, err = g.end(ctx, d.Name, last, g.ends.Blobs)
		}
		if err != nil {
			return next, err
		}
	}
	return next, nil
}

// end returns the end of a stream and the message there, unless that message was deleted.
func (g *guard) end(ctx context.Context, stream string, last uint64, before streamEnd) (streamEnd, error) {
	if last == before.Seq {
		return before, nil
	}
	now := streamEnd{Seq: last, Synced: before.Synced}
	m, err := g.s.admin.directGet(ctx, apiDirectGet+stream, getRequest{Seq: now.Seq})
	if err != nil || m == nil {
		return now, err
	}
	now.Subject, now.ID, now.Time = m.Subject, m.MsgID, m.Time
	return now, nil
}

// streams returns the positions of the streams and their consumers in the
// running store.
func (s *Server) streams() ([]server.StreamDetail, error) {
	account, err := s.nats.JszAccount(&server.JSzOptions{
		Account: server.DEFAULT_GLOBAL_ACCOUNT, Streams: true, Consumer: true, Config: true,
	})
	if err != nil {
		return nil, err
	}
	return account.Streams, nil
}

// poolEnds returns the positions of the log's pools.
func (s *Server) poolEnds() (map[string]poolEnd, error) {
	streams, err := s.streams()
	for _, d := range streams {
		if d.Name == StreamEvents {
			return poolsAmong(d.Consumer, nil), nil
		}
	}
	return nil, errors.Join(errNoStream, err)
}

// poolsAmong returns the positions of the pools among consumers. For a pool that the server has not opened yet,
// it keeps the previous position.
func poolsAmong(consumers []*server.ConsumerInfo, before map[string]poolEnd) map[string]poolEnd {
	out := map[string]poolEnd{}
	maps.Copy(out, before)
	for _, c := range consumers {
		if c.Config.Durable != "" {
			out[c.Name] = poolEnd{Floor: c.AckFloor.Stream, Delivered: c.Delivered.Stream}
		}
	}
	return out
}

// holdEnds checks the running store against the record and against other evidence of its length.
func (s *Server) holdEnds(ctx context.Context, before *survey) error {
	if before.ends.powerLost() {
		return nil // the store is a prefix of the old one, which was reported
	}
	for _, stream := range []string{StreamEvents, streamClaims, streamBlobs} {
		end := before.ends.of(stream)
		if end.ID == "" || stream == streamClaims && before.ends.ClaimsLost {
			continue
		}
		m, err := s.admin.directGet(ctx, apiDirectGet+stream, getRequest{Seq: end.Seq})
		if err != nil {
			return err
		}
		if m == nil && stream == streamClaims {
			continue // it was purged
		}
		if m == nil || m.Subject != end.Subject || m.MsgID != end.ID || !m.Time.Equal(end.Time) {
			return before.damage(stream, fmt.Sprintf("the message at sequence %d is not the one that was recorded", end.Seq))
		}
	}
	if before.ends.Closed {
		return nil
	}
	return errors.Join(s.holdClaims(ctx, before), s.holdNewestSnapshot(ctx, before))
}

// outside records on disk which kinds of role were connected from another process. Such a process may outlive the
// server with work in progress; all other holders of work end with the server.
type outside struct {
	path string
	log  *slog.Logger

	mu      sync.Mutex
	kinds   []Kind // from this run of the server and earlier ones
	now     []Kind // from this run
	unsaved bool
	said    bool // the failure to store it was logged
	closed  bool
}

// openOutside reads the records of earlier runs of the server in dir. An
// unreadable record counts as every kind.
func openOutside(dir string, log *slog.Logger) *outside {
	o := &outside{path: filepath.Join(dir, "bus-outside.json"), log: log}
	body, err := os.ReadFile(o.path)
	if errors.Is(err, fs.ErrNotExist) {
		return o
	}
	if err == nil {
		err = json.Unmarshal(body, &o.kinds)
	}
	if err != nil {
		o.kinds = []Kind{Worker, Models}
	}
	return o
}

// has reports whether a role of the given kind may be working in another
// process.
func (o *outside) has(kind Kind) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.kinds, kind)
}

// add records a kind, durably if the disk has room. Without room no call can be claimed, and the kind is written
// once there is room.
func (o *outside) add(kind Kind) {
	if kind != Worker && kind != Models {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Contains(o.now, kind) {
		o.now = append(o.now, kind)
	}
	if slices.Contains(o.kinds, kind) {
		return
	}
	o.kinds, o.unsaved = append(o.kinds, kind), true
	o.write()
}

// write stores unsaved kinds, now or later.
func (o *outside) write() {
	if !o.unsaved || o.closed {
		return
	}
	body, err := json.Marshal(o.kinds)
	if err == nil {
		err = durable.WriteFile(o.path, append(body, '\n'))
	}
	if o.unsaved = err != nil; !o.unsaved {
		return
	}
	if !o.said {
		o.said = true
		o.log.Warn("cannot record an external process; if the engine crashes now, its work could be redelivered "+
			"while it still runs", "error", err)
	}
	time.AfterFunc(guardEvery, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.write()
	})
}

// close stops the attempts to write.
func (o *outside) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

// forget drops earlier kinds when a start finds no work in progress. It keeps the kinds that have connected since
// the start, because they may have taken work since.
func (o *outside) forget() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.kinds) == len(o.now) {
		return nil
	}
	o.kinds, o.unsaved = slices.Clone(o.now), len(o.now) > 0
	if o.unsaved {
		o.write()
		return nil
	}
	if err := os.Remove(o.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
