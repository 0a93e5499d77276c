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
	// ErrDamaged says that the index cannot be used as it is; it is built anew.
	ErrDamaged = errors.New("the search index is damaged")
	// ErrNotOpen says that the index is not open, or not yet.
	ErrNotOpen = errors.New("the search index is not open")
)

// version counts changes of what is indexed and how; another one's index is
// thrown away.
const version = 3

// positionKey is where an index keeps how far it came.
const positionKey = "slop.position"

// position is how far an index came.
type position struct {
	Version int    `json:"version"`
	Project string `json:"project"`
	Seq     uint64 `json:"seq"`
	ID      string `json:"id"` // of the event there, which tells logs apart
}

// Options say what is indexed where. Log and Project are required.
type Options struct {
	// Dir is the folder of the index, which is made; empty: it is in memory only.
	Dir string
	// Log is read from where the index ends.
	Log events.Log
	// Project is the subject token.
	Project string
	// Registry decodes payloads; nil: events.Catalogue().
	Registry *events.Registry
	// Head is the sequence of the newest event on the log. A search waits until Run
	// has indexed it. Nil: a search does not wait, and Run may not be called.
	Head func() uint64
	// Settle is how long a search waits for that at most. Zero: a second.
	Settle time.Duration
	// MostBehind is how many events may be missing before Run indexes them while
	// others are written. Zero: 100,000.
	MostBehind uint64
	// Looks has Run look how much is missing. Nil: it looks once a second.
	Looks <-chan time.Time
	// Logger hears why an index is built anew. Nil: nobody does.
	Logger *slog.Logger
}

// Index finds words in the events of a project. Make it with New, then call
// Run, or Open, CatchUp and Close. Safe for concurrent use.
type Index struct {
	opts     Options
	subjects *subjects
	hurry    chan struct{} // somebody waits for what is not indexed yet
	broken   chan struct{} // a search met damage

	searches sync.RWMutex // held for reading while the index is searched, for writing while it is closed

	mu         sync.RWMutex
	index      bleve.Index // nil: not open
	at         position
	moved      chan struct{} // closed when at moves
	searching  int           // searches under way
	unsearched int           // looks since the newest search

	gentle bool // it runs beside an engine
}

// New is an index that is not open.
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

// Open opens what is stored, or begins anew where that is missing, damaged, of
// another version or of another log.
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

// wake tells those who wait that the index moved; x.mu is held.
func (x *Index) wake() {
	close(x.moved)
	x.moved = make(chan struct{})
}

// acquire is the stored index, or an empty one.
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
			return index, at, err // also where the log cannot be read: the index may be right
		}
		x.opts.Logger.InfoContext(ctx, "the search index is built anew", "reason", err)
	}
	return x.begin(path)
}

func (x *Index) path() string { return filepath.Join(x.opts.Dir, "index") }

// begin makes an empty index.
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

// load opens the stored index and checks that it is one of this log.
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
		_ = guarded(index.Close) // it is thrown away
	}
	return index, at, err
}

// errForeign says that an index is of another version or another log.
var errForeign = errors.New("the search index belongs to something else")

// belongs checks a stored position against the log.
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
	return fmt.Errorf("%w: its newest event is not on this log", errForeign)
}

// Close gives the index up. Calls after the first do nothing.
func (x *Index) Close() error {
	x.mu.Lock()
	index, at := x.index, x.at.Seq
	x.index = nil
	x.mu.Unlock()
	return x.release(index, at)
}

// closeUnsearched counts a look and closes an index that nobody searched for
// closeLooks of them: an open one holds memory, and opening it takes a moment.
func (x *Index) closeUnsearched(ctx context.Context) {
	x.mu.Lock()
	var index bleve.Index
	if x.unsearched++; x.searching == 0 && x.unsearched >= closeLooks {
		index, x.index = x.index, nil
	}
	at := x.at.Seq
	x.mu.Unlock()
	if err := x.release(index, at); err != nil {
		x.opts.Logger.WarnContext(ctx, "the search index was not closed in order", "error", err)
	}
}

// release closes an index that is no longer x.index and holds everything up to at.
func (x *Index) release(index bleve.Index, at uint64) error {
	if index == nil {
		return nil
	}
	x.searches.Lock() // those under way have the index still
	defer x.searches.Unlock()
	if err := guarded(index.Close); err != nil || x.opts.Dir == "" {
		return err
	}
	return seal(x.path(), at)
}

// Position is the sequence of the newest event that is indexed.
func (x *Index) Position() uint64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.at.Seq
}

// guarded runs f and turns a panic of the library, which damage leads to, into
// ErrDamaged; so with a fault in memory that is a damaged file's.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return f()
}
