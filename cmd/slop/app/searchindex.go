package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"manualslop/events"
	"manualslop/hookgw/hookclient"
	"manualslop/projections/search"
)

// errIndexTaken says that another process works on the index of the data folder.
var errIndexTaken = errors.New("another process works on the search index of this data folder")

// openIndex is the search index of the data folder, not open yet, which is this
// process's until free is called.
func (p place) openIndex(log events.Log, head func() uint64, logger *slog.Logger) (x *search.Index, free func(), err error) {
	dir := filepath.Join(p.data, "search")
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
	return search.New(search.Options{Dir: dir, Log: log, Project: p.name, Head: head, Logger: logger}), func() { _ = lock.Unlock() }, nil
}

// takeIndex makes the search index this engine's. An engine goes on without
// one: then what it returns is nil.
func (e *engine) takeIndex(log events.Log) (x *search.Index, free func()) {
	x, free, err := e.openIndex(log, e.live.Position, e.logger)
	if err != nil {
		e.logger.Warn("there is no search in this engine", "error", err)
		return nil, nil
	}
	return x, free
}

// keepIndex has the search index answer searches once the gateway answers.
func (e *engine) keepIndex(x *search.Index, free func()) {
	e.behind("search", func(ctx context.Context) error {
		defer free()
		if e.started(ctx); ctx.Err() != nil {
			return nil
		}
		if err := x.Run(ctx); err != nil && ctx.Err() == nil {
			e.logger.Error("the search index is given up until the next start", "error", err)
		}
		return nil
	})
}

// search asks the engine.
func (d *apiDesk) search(ctx context.Context, text string, page search.Page) (search.Answer, error) {
	var out search.Answer
	_, err := d.reader.Call(ctx, http.MethodGet, "/api/search", url.Values{"q": {text}, "sort": {page.Sort},
		"limit": {strconv.Itoa(page.Limit)}, "offset": {strconv.Itoa(page.Offset)}}, nil, &out)
	var refused *hookclient.Error
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
		err = &search.QueryError{Message: refused.Message, Hint: refused.Hint}
	}
	return out, err
}

// search brings the index of the store up to its end and asks it. Of a bus that
// is somewhere else the index is made in memory, each time.
func (d *busDesk) search(ctx context.Context, text string, page search.Page) (search.Answer, error) {
	q, err := search.Parse(text, time.Now())
	if err != nil {
		return search.Answer{}, err
	}
	x := search.New(search.Options{Log: d.read, Project: d.place.name})
	if d.conns.server != nil {
		own, free, err := d.place.openIndex(d.read, nil, nil)
		if err != nil {
			return search.Answer{}, err
		}
		defer free()
		x = own
	}
	if err := x.Open(ctx); err != nil {
		return search.Answer{}, err
	}
	defer x.Close()
	if err := x.CatchUp(ctx, 0); err != nil {
		return search.Answer{}, err
	}
	return x.Find(ctx, q, page)
}
