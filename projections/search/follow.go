package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"github.com/blevesearch/bleve/v2"

	"manualslop/events"
)

// Bounds of a batch: what is indexed in one step.
const (
	batchEvents = 1000
	batchBytes  = 8 << 20
	// batchWait is how long a batch is held back for more at most.
	batchWait = 250 * time.Millisecond
)

// maxRebuilds is how often one Run builds a damaged index anew.
const maxRebuilds = 3

// Source is what an Index follows; *live.Live is one.
type Source interface {
	// Position is the sequence of the newest event seen.
	Position() uint64
	// Subscribe yields decoded events from a sequence on; of all sessions where
	// session is empty.
	Subscribe(ctx context.Context, session string, from uint64) iter.Seq2[events.Event, error]
}

// lazyLook is how often an index that is not open yet looks whether it should be.
const lazyLook = 500 * time.Millisecond

// wanted waits until there is a reason to open the index; false: ctx ended before.
func (x *Index) wanted(ctx context.Context, source Source) bool {
	begun := source.Position()
	if _, err := os.Lstat(x.path()); err != nil {
		begun = 0
	}
	look := time.NewTicker(lazyLook)
	defer look.Stop()
	for source.Position()-begun < x.opts.Lazy {
		select {
		case <-x.hurry:
			return true
		case <-look.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// Run opens the index where there is reason to, brings it up to the log's end
// and follows the source until ctx ends, when it returns nil, or the source
// does. Damage that shows meanwhile has the index built anew, a few times at
// most. The index is closed when Run returns.
func (x *Index) Run(ctx context.Context, source Source) (err error) {
	defer func() { err = errors.Join(err, x.Close()) }()
	x.mu.Lock()
	x.gentle = true
	x.mu.Unlock()
	if !x.wanted(ctx, source) {
		return nil
	}
	for built := 0; ; built++ {
		err := x.Open(ctx)
		if err == nil {
			err = x.keep(ctx, source)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case !errors.Is(err, ErrDamaged) || built == maxRebuilds:
			return fmt.Errorf("search: %w", err)
		}
		x.opts.Logger.WarnContext(ctx, "the search index is built anew", "error", err)
		if err := x.discard(); err != nil {
			return fmt.Errorf("search: %w", err)
		}
	}
}

// discard closes a damaged index and takes it away.
func (x *Index) discard() error {
	_ = x.Close() // it is thrown away
	select {
	case <-x.broken:
	default:
	}
	if x.opts.Dir == "" {
		return nil
	}
	return os.RemoveAll(x.path())
}

// keep brings the index up to the log's end and follows.
func (x *Index) keep(ctx context.Context, source Source) error {
	for {
		for x.Position() < source.Position() {
			if err := x.CatchUp(ctx, source.Position()); err != nil {
				return err
			}
		}
		err := x.follow(ctx, source)
		if !errors.Is(err, events.ErrSlow) {
			return err
		}
	}
}

// CatchUp indexes what stands on the log up to a sequence, 0: its end.
func (x *Index) CatchUp(ctx context.Context, to uint64) error {
	b := x.batch()
	for e, err := range x.opts.Log.Read(ctx, events.Filter{Project: x.opts.Project}, x.Position()+1, to) {
		if err != nil {
			return err
		}
		x.opts.Registry.Decode(&e)
		if err := b.add(ctx, &e); err != nil {
			return err
		}
		if b.full() {
			if err := b.flush(); err != nil {
				return err
			}
			x.rest(ctx, b.took)
		}
		select {
		case <-x.broken:
			return ErrDamaged
		default:
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.flush()
}

// follow indexes what comes, in batches.
func (x *Index) follow(ctx context.Context, source Source) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	feed, ended := make(chan events.Event, batchEvents), make(chan error, 1)
	from := x.Position() + 1
	go func() { ended <- pump(ctx, source, from, feed) }()
	b, timer := x.batch(), time.NewTimer(batchWait)
	defer timer.Stop()
	for {
		due := false
		select {
		case e := <-feed:
			if err := b.add(ctx, &e); err != nil {
				return err
			}
			due = b.full()
		case <-timer.C:
			timer.Reset(batchWait)
			due = true
		case <-x.hurry:
			due = len(feed) == 0
			if !due {
				x.please()
			}
		case <-x.broken:
			return ErrDamaged
		case err := <-ended:
			return errors.Join(err, b.flush())
		}
		if due {
			if err := b.flush(); err != nil {
				return err
			}
			x.rest(ctx, b.took)
		}
	}
}

// Between batches an index that runs beside an engine rests, so that it takes
// a share of the processors only: restShare times as long as the batch took, and
// not longer than restMost. A search that waits ends the rest.
const (
	restShare = 3
	restMost  = 2 * time.Second
)

func (x *Index) rest(ctx context.Context, took time.Duration) {
	x.mu.RLock()
	gentle := x.gentle
	x.mu.RUnlock()
	if !gentle || took == 0 {
		return
	}
	timer := time.NewTimer(min(restShare*took, restMost))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.hurry:
	case <-ctx.Done():
	}
}

// pump hands events over and says why there are no more.
func pump(ctx context.Context, source Source, from uint64, feed chan<- events.Event) error {
	for e, err := range source.Subscribe(ctx, "", from) {
		if err != nil {
			return err
		}
		select {
		case feed <- e:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return events.ErrClosed
}

// please has a batch indexed now.
func (x *Index) please() {
	select {
	case x.hurry <- struct{}{}:
	default:
	}
}

// batch is what is indexed in one step.
type batch struct {
	x     *Index
	batch *bleve.Batch
	at    position
	bytes int
	took  time.Duration // by the newest flush
}

func (x *Index) batch() *batch {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return &batch{x: x, at: x.at}
}

func (b *batch) add(ctx context.Context, e *events.Event) error {
	if e.Seq <= b.at.Seq {
		return nil
	}
	doc, err := b.x.document(ctx, e)
	if err != nil {
		return err
	}
	if b.batch == nil {
		b.x.mu.RLock()
		defer b.x.mu.RUnlock()
		if b.x.index == nil {
			return ErrNotOpen
		}
		b.batch = b.x.index.NewBatch()
	}
	b.at.Seq, b.at.ID = e.Seq, e.ID
	b.bytes += len(e.Data)
	return b.batch.IndexAdvanced(doc)
}

func (b *batch) full() bool {
	return b.batch != nil && (b.batch.Size() >= batchEvents || b.bytes >= batchBytes)
}

// flush indexes the batch together with the position behind it.
func (b *batch) flush() error {
	b.took = 0
	if b.batch == nil {
		return nil
	}
	begun := time.Now()
	raw, err := json.Marshal(b.at)
	if err != nil {
		return err
	}
	b.batch.SetInternal([]byte(positionKey), raw)
	b.x.mu.RLock()
	index := b.x.index
	b.x.mu.RUnlock()
	if index == nil {
		return ErrNotOpen
	}
	if err := guarded(func() error { return index.Batch(b.batch) }); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	b.batch, b.bytes, b.took = nil, 0, time.Since(begun)
	b.x.move(b.at)
	return nil
}

// move publishes how far the index came.
func (x *Index) move(to position) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.at = to
	x.wake()
}
