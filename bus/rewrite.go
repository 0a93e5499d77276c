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

// Rewrite says how a store is written again without some sessions.
type Rewrite struct {
	// Config is that of [Open]; the folder must hold a store that nobody uses.
	Config Config
	// Keep reports whether a session stays.
	Keep func(project, session string) bool
	// Note makes the event that comes after the others, in the new store; nil:
	// none.
	Note func(RewriteResult) *events.Event
	// Progress hears how many events of the old log were looked at; it may be nil.
	Progress func(done, all uint64)
	// Plan only counts: nothing is written.
	Plan bool
}

// RewriteResult is what a rewrite keeps and drops.
type RewriteResult struct {
	Old, New    uint64 // events of the log before and after it
	DroppedSize uint64 // bytes of the dropped events and blobs
	Blobs       int    // blobs that go, because no kept event names them
}

// Do copies what stays into a new store, checks the copy, and puts it in place
// of the old one, which is deleted last. The sequences of kept events change:
// they are counted from 1 again, in their order. Positions inside of kept
// events, claims and pools change with them. A kill at any point leaves the old
// store or the new one, and the next start says which. Errors: as [Open], and
// the context's; nothing is changed then.
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
	if err := old.stop(); err != nil { // the lock stays ours
		return RewriteResult{}, err
	}
	if err := swapStores(r.Config.Dir); err != nil {
		return RewriteResult{}, fmt.Errorf("rewrite: %w", err)
	}
	return c.result, nil
}

// copying is a rewrite under way.
type copying struct {
	rewrite  *Rewrite
	old, new *Conn
	result   RewriteResult
	places   []uint64        // old sequences of kept events
	kept     map[string]bool // sessions
	refs     map[string]bool // digests that kept events name
	dropped  map[string]bool // digests that only dropped events name, and what is not a digest
}

// place returns how many kept events are at an old sequence or before it, which
// is the new sequence of the last of them.
func (c *copying) place(old uint64) uint64 {
	return uint64(sort.Search(len(c.places), func(i int) bool { return c.places[i] > old }))
}

// plan looks at every event and counts.
func (c *copying) plan(ctx context.Context) (RewriteResult, error) {
	if err := c.each(ctx, func(copied) error { return nil }); err != nil {
		return RewriteResult{}, err
	}
	if err := c.followBlobs(ctx, func(string) error { return nil }); err != nil {
		return RewriteResult{}, err
	}
	return c.result, c.countDropped(ctx)
}

// build makes the new store and closes it.
func (c *copying) build(ctx context.Context, dir string) (err error) {
	was, err := c.old.stream(ctx, StreamEvents)
	if err != nil {
		return err
	}
	cfg := c.rewrite.Config
	// What is copied is durable once, when the store is closed.
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

// note records the rewrite after everything else.
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

// swapStores puts the finished new store into the place of the old one.
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

// Rewritten reports whether a rewrite of the data folder was killed between two
// stores; the next [Open] puts the new one in its place.
func Rewritten(data string) bool {
	_, err := os.Stat(oldStore(data))
	return err == nil
}

// settleRewrite ends a rewrite that was killed, with the folder locked: it
// finishes one whose old store was moved away, because the new one is whole
// then, and undoes any other. The remark is empty if there was none.
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
