package bus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"manualslop/bus/durable"
	"manualslop/events"
)

// Rewrite configures a rewrite of a store without some of its sessions.
type Rewrite struct {
	// Config is the configuration for [Open]. Its folder must hold a store that is not in use.
	Config Config
	// Keep reports whether to keep a session.
	Keep func(project, session string) bool
	// Note returns an event to append after all others in the new store. It may be nil or return nil.
	Note func(RewriteResult) *events.Event
	// Progress, if not nil, is called with the number of processed events of the old log.
	Progress func(done, all uint64)
	// Plan only counts and writes nothing.
	Plan bool
}

// RewriteResult counts what a rewrite keeps and drops.
type RewriteResult struct {
	Old, New    uint64 // events of the log before and after the rewrite
	DroppedSize uint64 // bytes of the dropped events and blobs
	Blobs       int    // number of dropped blobs, which no kept event names
}

// Do copies the kept data to a new store, checks the copy, and puts it in place of the old one, which is deleted
// last. Kept events are renumbered from 1 in their order, and positions inside kept events, claims and pools are
// adjusted. A kill at any point leaves either the old store or the new one, and the next start reports which. The
// error is one of [Open] or the context's; nothing is changed then.
func (r *Rewrite) Do(ctx context.Context) (RewriteResult, error) {
	old, err := Open(ctx, r.Config)
	if err != nil {
		return RewriteResult{}, err
	}
	result, err := r.run(ctx, old)
	return result, errors.Join(err, old.Close())
}

func (r *Rewrite) run(ctx context.Context, old *Server) (RewriteResult, error) {
	c := &copying{rewrite: r, old: old.admin, kept: map[string]bool{}, refs: map[string]bool{}, dropped: map[string]bool{}}
	if r.Plan {
		return c.plan(ctx)
	}
	dir := rewriteDir(r.Config.Dir)
	if err := os.RemoveAll(dir); err != nil {
		return RewriteResult{}, fmt.Errorf("rewrite: %w", err)
	}
	if err := c.build(ctx, dir); err != nil {
		return RewriteResult{}, errors.Join(fmt.Errorf("rewrite: %w", err), os.RemoveAll(dir))
	}
	if err := old.stop(); err != nil { // this keeps the folder locked
		return RewriteResult{}, err
	}
	if err := swapStores(r.Config.Dir); err != nil {
		return RewriteResult{}, fmt.Errorf("rewrite: %w", err)
	}
	return c.result, nil
}

// copying is the state of a rewrite.
type copying struct {
	rewrite  *Rewrite
	old, new *Conn
	result   RewriteResult
	places   []uint64        // old sequences of the kept events
	kept     map[string]bool // the kept sessions
	refs     map[string]bool // digests in kept events
	dropped  map[string]bool // digests in dropped events, and other text that looks like one
}

// place returns the number of kept events at or before an old sequence, which is the new sequence of the last of
// them.
func (c *copying) place(old uint64) uint64 {
	return uint64(sort.Search(len(c.places), func(i int) bool { return c.places[i] > old }))
}

// plan reads every event and counts.
func (c *copying) plan(ctx context.Context) (RewriteResult, error) {
	if err := c.each(ctx, func(copied) error { return nil }); err != nil {
		return RewriteResult{}, err
	}
	if err := c.followBlobs(ctx, func(string) error { return nil }); err != nil {
		return RewriteResult{}, err
	}
	return c.result, c.countDropped(ctx)
}

// build creates the new store, fills it and closes it.
func (c *copying) build(ctx context.Context, dir string) (err error) {
	was, err := c.old.stream(ctx, StreamEvents)
	if err != nil {
		return err
	}
	cfg := c.rewrite.Config
	// The copy is made durable once, when the store is closed.
	cfg.Dir, cfg.Durability, cfg.Listen, cfg.MaxBytes = dir, Relaxed, "", was.Config.MaxBytes*2
	server, err := Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	c.new = server.admin
	var sum chain
	if err := c.each(ctx, func(m copied) error { return c.store(ctx, m, &sum) }); err != nil {
		return err
	}
	if err := c.followBlobs(ctx, func(digest string) error { return c.copyBlob(ctx, digest) }); err != nil {
		return err
	}
	if err := c.countDropped(ctx); err != nil {
		return err
	}
	if err := c.copyClaims(ctx); err != nil {
		return err
	}
	if err := c.copyPools(ctx); err != nil {
		return err
	}
	if err := c.check(ctx, sum); err != nil {
		return err
	}
	return c.note(ctx)
}

// note appends the event that records the rewrite.
func (c *copying) note(ctx context.Context) error {
	if c.rewrite.Note == nil {
		return nil
	}
	e := c.rewrite.Note(c.result)
	if e == nil {
		return nil
	}
	_, err := c.new.Append(ctx, *e, nil)
	return err
}

// Folders of a rewrite in a data folder.
func rewriteDir(data string) string { return filepath.Join(data, "rewrite") }
func oldStore(data string) string   { return filepath.Join(data, "bus.old") }

// swapStores replaces the old store with the finished new one.
func swapStores(data string) error {
	store := (&Config{Dir: data}).store()
	if err := os.Rename(store, oldStore(data)); err != nil {
		return err
	}
	if err := os.Rename((&Config{Dir: rewriteDir(data)}).store(), store); err != nil {
		return err
	}
	if err := durable.SyncFolder(data); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(oldStore(data)), os.RemoveAll(rewriteDir(data)))
}

// Rewritten reports whether a rewrite of the data folder was killed while it swapped the stores. The next [Open]
// finishes the swap.
func Rewritten(data string) bool {
	_, err := os.Stat(oldStore(data))
	return err == nil
}

// settleRewrite finishes or undoes a rewrite that was killed. The folder must be locked. If the old store was
// moved away, the new one is complete, so the rewrite is finished; otherwise it is undone. The remark is empty if
// there was no rewrite.
func settleRewrite(data string) (remark string, err error) {
	moved, made := exists(oldStore(data)), exists(rewriteDir(data))
	store := (&Config{Dir: data}).store()
	switch {
	case !moved && !made:
		return "", nil
	case moved && !exists(store):
		if err := os.Rename((&Config{Dir: rewriteDir(data)}).store(), store); err != nil {
			return "", fmt.Errorf("finish the removal of sessions: %w", err)
		}
		fallthrough
	case moved:
		remark = "finished an interrupted removal of sessions"
	default:
		remark = "undid an interrupted removal of sessions"
	}
	if err := durable.SyncFolder(data); err != nil {
		return "", err
	}
	return remark, errors.Join(os.RemoveAll(oldStore(data)), os.RemoveAll(rewriteDir(data)))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
