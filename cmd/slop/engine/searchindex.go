package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/projections/search"
)

// errIndexTaken means that another process is using the index of the data folder.
var errIndexTaken = errors.New("another process is using the search index of this data folder")

// OpenIndex takes the search index of the data folder for this process until free is called. It does not open the
// index yet.
func OpenIndex(p site.Place, log events.Log, head func() uint64, logger *slog.Logger) (x *search.Index, free func(),
	err error) {
	dir := filepath.Join(p.Data, "search")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("search index: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, nil, fmt.Errorf("search index: lock: %w", err)
	}
	if !ok {
		return nil, nil, errIndexTaken
	}
	return search.New(search.Options{Dir: dir, Log: log, Project: p.Name, Head: head, Logger: logger}),
		func() { _ = lock.Unlock() }, nil
}

// takeIndex takes the search index for this engine. An engine also works without one: then it returns nil.
func (e *Engine) takeIndex(log events.Log) (x *search.Index, free func()) {
	x, free, err := OpenIndex(e.Place, log, e.Live.Position, e.Logger)
	if err != nil {
		e.Logger.Warn("search is not available in this engine", "error", err)
		return nil, nil
	}
	return x, free
}

// keepIndex opens the search index once the gateway answers.
func (e *Engine) keepIndex(x *search.Index, free func()) {
	e.behind("search", func(ctx context.Context) error {
		defer free()
		if e.started(ctx); ctx.Err() != nil {
			return nil
		}
		if err := x.Run(ctx); err != nil && ctx.Err() == nil {
			e.Logger.Error("search is not available until the next start", "error", err)
		}
		return nil
	})
}
