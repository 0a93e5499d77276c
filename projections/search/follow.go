package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/blevesearch/bleve/v2"

	"manualslop/events"
)

// Limits of a batch, which is indexed atomically. Larger batches need more memory.
const (
	batchEvents = 500
	batchBytes  = 8 << 20
)

// maxRebuilds limits how often one call of Run rebuilds a damaged index.
const maxRebuilds = 3

// Conditions under which Run indexes without a search.
const (
	// lookEvery is how often Run checks how many events are missing.
	lookEvery = time.Second
	// idleLooks is the number of checks without a new event after which the log counts as idle:
	// longer than most model replies take.
	idleLooks = 30
	// idleEvents is how many events must be missing before they are indexed while the log is idle.
	// A search indexes fewer events quickly, and each batch costs the same few disk syncs.
	idleEvents = 1000
	// mostBehind is the default for how many events may be missing while others are being written.
	// A search must index them first, which takes at most half a minute on an idle processor.
	mostBehind = 100_000
	// closeLooks is the number of checks without a search after which an open index is closed.
	closeLooks = 60
)

// backlog determines when enough events are missing to index them without a search.
type backlog struct {
	done  uint64 // events up to here are indexed, or could not be
	head  uint64 // newest event at the last check
	quiet int    // number of checks since head changed
}

func (b *backlog) due(head, most uint64) bool {
	b.quiet++
	if head != b.head {
		b.head, b.quiet = head, 0
	}
	missing := max(head, b.done) - b.done
	return missing >= most || missing >= idleEvents && b.quiet >= idleLooks
}

// Run opens the index and indexes missing events when a search waits for them, when many are
// missing and none arrived for a while, or when more are missing than Options allow. It returns
// nil when ctx ends. If the log cannot be read, the next search tries again. A damaged index is
// rebuilt, at most a few times. The index is closed after a minute without a search, and when Run
// returns.
func (x *Index) Run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, x.Close()) }()
	x.mu.Lock()
	x.gentle = true
	x.mu.Unlock()
	looks := x.opts.Looks
	if looks == nil {
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		looks = ticker.C
	}
	missed := backlog{done: x.sealedAt()}
	for built := 0; ; {
		err := x.wait(ctx, looks, &missed)
		missed.done = x.opts.Head()
		if err == nil {
			err = x.update(ctx, missed.done)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrDamaged):
			if built++; built > maxRebuilds {
				return fmt.Errorf("search: %w", err)
			}
			x.opts.Logger.WarnContext(ctx, "rebuilding the search index", "error", err)
			if err := x.discard(); err != nil {
				return fmt.Errorf("search: %w", err)
			}
			x.please()
		case err != nil:
			x.opts.Logger.WarnContext(ctx, "the search index is not updated until the next search", "error", err)
		}
	}
}

// wait returns nil when there is something to index, ErrDamaged when a search found the index
// damaged, or the context's error.
func (x *Index) wait(ctx context.Context, looks <-chan time.Time, missed *backlog) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-x.hurry:
			return nil
		case <-x.broken:
			return ErrDamaged
		case <-looks:
			if missed.due(x.opts.Head(), x.opts.MostBehind) {
				return nil
			}
			x.closeUnsearched(ctx)
		}
	}
}

// update opens the index if it is closed, and indexes up to a sequence.
func (x *Index) update(ctx context.Context, to uint64) error {
	x.mu.RLock()
	open := x.index != nil
	x.mu.RUnlock()
	if !open {
		if err := x.Open(ctx); err != nil {
			return err
		}
	}
	return x.CatchUp(ctx, to)
}

// discard closes and deletes a damaged index.
func (x *Index) discard() error {
	_ = x.Close() // the index is discarded anyway
	select {
	case <-x.broken:
	default:
	}
	if x.opts.Dir == "" {
		return nil
	}
	return os.RemoveAll(x.path())
}

// CatchUp indexes the log up to a sequence; 0 means its end.
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

// If an index runs next to an engine, it pauses between batches, so that it uses only a share of
// the processor: for restShare times the duration of the batch, but at most restMost. A waiting
// search ends the pause.
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
		x.please() // the search may wait for more than this run indexes
	case <-ctx.Done():
	}
}

// please tells Run to index missing events now.
func (x *Index) please() {
	select {
	case x.hurry <- struct{}{}:
	default:
	}
}

// batch holds events that are indexed atomically.
type batch struct {
	x     *Index
	batch *bleve.Batch
	at    position
	bytes int
	took  time.Duration // duration of the newest flush
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

// flush indexes the batch together with the position after it.
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

// move publishes the position of the index.
func (x *Index) move(to position) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.at = to
	x.wake()
}
