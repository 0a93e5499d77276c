package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"

	"manualslop/events"
)

// Errors of an [Index].
var (
	// ErrDamaged means that the index is not usable; it will be rebuilt.
	ErrDamaged = errors.New("the search index is damaged")
	// ErrNotOpen means that the index has not been opened yet, or is closed.
	ErrNotOpen = errors.New("the search index is not open")
)

// version is the version of what is indexed, and how; an index of another version is deleted.
const version = 3

// positionKey is the key of the position in an index.
const positionKey = "slop.position"

// position is the position of an index in the log.
type position struct {
	Version int    `json:"version"`
	Project string `json:"project"`
	Seq     uint64 `json:"seq"`
	ID      string `json:"id"` // id of the event at Seq, which identifies the log
}

// Options configure an index. Log and Project are required.
type Options struct {
	// Dir is the folder of the index, created if missing; empty means that the index is in memory
	// only.
	Dir string
	// Log is the log to index.
	Log events.Log
	// Project is the project's subject token.
	Project string
	// Registry decodes payloads; nil means events.Catalogue().
	Registry *events.Registry
	// Head returns the sequence of the newest event in the log. A search waits until Run has
	// indexed it. If Head is nil, searches do not wait, and Run must not be called.
	Head func() uint64
	// Settle limits the time for which a search waits. Zero means one second.
	Settle time.Duration
	// MostBehind is how many events may be missing before Run indexes them while others are being
	// written. Zero means 100,000.
	MostBehind uint64
	// Looks makes Run check how many events are missing. If nil, it checks once a second.
	Looks <-chan time.Time
	// Logger receives the reasons for rebuilding an index. Nil means no logging.
	Logger *slog.Logger
}

// Index finds words in the events of a project. Create one with New, and then call Run, or Open,
// CatchUp and Close. It is safe for concurrent use.
type Index struct {
	opts     Options
	subjects *subjects
	hurry    chan struct{} // a search waits for events that are not indexed yet
	broken   chan struct{} // a search found the index damaged

	searches sync.RWMutex // held for reading during a search, for writing while closing

	mu         sync.RWMutex
	index      bleve.Index // nil if not open
	at         position
	moved      chan struct{} // closed when at changes
	searching  int           // number of searches in progress
	unsearched int           // number of checks since the newest search

	gentle bool // it runs next to an engine
}

// New returns an index that is not open.
func New(opts Options) *Index {
	if opts.Registry == nil {
		opts.Registry = events.Catalogue()
	}
	if opts.Settle == 0 {
		opts.Settle = settleWait
	}
	if opts.MostBehind == 0 {
		opts.MostBehind = mostBehind
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return &Index{
		opts: opts, hurry: make(chan struct{}, 1), broken: make(chan struct{}, 1), moved: make(chan struct{}),
		unsearched: closeLooks,
	}
}

// Open opens the stored index. If it is missing, damaged, or of another version or log, Open
// creates a new one.
func (x *Index) Open(ctx context.Context) error {
	index, at, err := x.acquire(ctx)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.subjects == nil || at != x.at { // otherwise it is opened again where it was closed
		x.subjects = &subjects{log: x.opts.Log, registry: x.opts.Registry, project: x.opts.Project,
			open: map[string]map[string]about{}}
	}
	x.index, x.at = index, at
	x.wake()
	return nil
}

// wake notifies waiters that the position changed; x.mu must be held.
func (x *Index) wake() {
	close(x.moved)
	x.moved = make(chan struct{})
}

// acquire returns the stored index, or an empty one.
func (x *Index) acquire(ctx context.Context) (bleve.Index, position, error) {
	if x.opts.Dir == "" {
		return x.begin("")
	}
	if err := os.MkdirAll(x.opts.Dir, 0o700); err != nil {
		return nil, position{}, fmt.Errorf("search index: %w", err)
	}
	path := x.path()
	if _, err := os.Lstat(path); err == nil {
		index, at, err := x.load(ctx, path)
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, errForeign) {
			return index, at, err // also if the log cannot be read, because the index may be valid
		}
		x.opts.Logger.InfoContext(ctx, "rebuilding the search index", "reason", err)
	}
	return x.begin(path)
}

func (x *Index) path() string { return filepath.Join(x.opts.Dir, "index") }

// begin creates an empty index.
func (x *Index) begin(path string) (index bleve.Index, at position, err error) {
	at = position{Version: version, Project: x.opts.Project}
	if path == "" {
		index, err = bleve.NewMemOnly(bleve.NewIndexMapping())
		return index, at, err
	}
	if err := os.RemoveAll(path); err != nil {
		return nil, at, fmt.Errorf("search index: %w", err)
	}
	if index, err = bleve.New(path, bleve.NewIndexMapping()); err != nil {
		return nil, at, fmt.Errorf("search index: %w", err)
	}
	return index, at, nil
}

// load opens the stored index and checks that it belongs to this log.
func (x *Index) load(ctx context.Context, path string) (index bleve.Index, at position, err error) {
	if err := verify(path); err != nil {
		return nil, at, err
	}
	if err := unseal(path); err != nil {
		return nil, at, err
	}
	var raw []byte
	err = guarded(func() (err error) {
		if index, err = bleve.OpenUsing(path, map[string]any{"bolt_timeout": "5s"}); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if raw, err = index.GetInternal([]byte(positionKey)); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		return nil
	})
	if err == nil && raw != nil && json.Unmarshal(raw, &at) != nil {
		err = fmt.Errorf("%w: its position cannot be read", ErrDamaged)
	}
	if err == nil {
		err = x.belongs(ctx, at)
	}
	if err != nil && index != nil {
		_ = guarded(index.Close) // the index is discarded anyway
	}
	return index, at, err
}

// errForeign means that an index is of another version or another log.
var errForeign = errors.New("the search index belongs to another log or version")

// belongs checks that a stored position is in this log.
func (x *Index) belongs(ctx context.Context, at position) error {
	if at.Version != version || at.Project != x.opts.Project {
		return fmt.Errorf("%w: version %d of project %q", errForeign, at.Version, at.Project)
	}
	if at.Seq == 0 {
		return nil
	}
	for e, err := range x.opts.Log.Read(ctx, events.Filter{Project: x.opts.Project}, at.Seq, at.Seq) {
		if err != nil {
			return err
		}
		if e.ID == at.ID {
			return nil
		}
	}
	return fmt.Errorf("%w: its newest event is not in this log", errForeign)
}

// Close closes the index. Calling it again has no effect.
func (x *Index) Close() error {
	x.mu.Lock()
	index, at := x.index, x.at.Seq
	x.index = nil
	x.mu.Unlock()
	return x.release(index, at)
}

// closeUnsearched counts a check, and closes the index if it was not searched during closeLooks
// checks: an open index uses memory, and opening it again is quick.
func (x *Index) closeUnsearched(ctx context.Context) {
	x.mu.Lock()
	var index bleve.Index
	if x.unsearched++; x.searching == 0 && x.unsearched >= closeLooks {
		index, x.index = x.index, nil
	}
	at := x.at.Seq
	x.mu.Unlock()
	if err := x.release(index, at); err != nil {
		x.opts.Logger.WarnContext(ctx, "the search index was not closed properly", "error", err)
	}
}

// release closes an index that is no longer x.index and is complete up to at.
func (x *Index) release(index bleve.Index, at uint64) error {
	if index == nil {
		return nil
	}
	x.searches.Lock() // wait for searches that still use the index
	defer x.searches.Unlock()
	if err := guarded(index.Close); err != nil || x.opts.Dir == "" {
		return err
	}
	return seal(x.path(), at)
}

// Position returns the sequence of the newest event that is indexed.
func (x *Index) Position() uint64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.at.Seq
}

// guarded runs f and converts a panic of the library, or a memory fault in a mapped file, to
// ErrDamaged, because both are caused by damage.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return f()
}
