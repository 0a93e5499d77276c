package sessionlog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"manualslop/events"
)

// Run repairs existing files and then follows the source until that ends. It returns nil when ctx
// ends. At the start it checks every open session, and rebuilds closed ones that are incomplete.
// If a session's files cannot be written, that is reported, and the session is skipped until it
// closes or until the next start; the others continue.
func (w *Writer) Run(ctx context.Context, source Source) error {
	next := source.Position() + 1
	for _, s := range source.Sessions() {
		if s.Opened.IsZero() {
			continue
		}
		if s.Pruned {
			w.failed(ctx, s.Session, w.clear(ctx, s.Session, s.Folder))
			continue
		}
		if err := w.own(s.Folder, s.Session); err != nil || s.Closed != nil && complete(w.root.Root, s.Folder, s.LastSeq) {
			w.failed(ctx, s.Session, err)
			continue
		}
		w.failed(ctx, s.Session, w.Rebuild(ctx, s.Session))
	}
	for {
		last, err := w.follow(ctx, source, next)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, events.ErrSlow):
			next = last + 1
		default:
			return fmt.Errorf("session logs: %w", err)
		}
	}
}

// own assigns a folder to a session before any file is touched, so that the earlier of two
// sessions gets it.
func (w *Writer) own(name, session string) error {
	if err := checkFolder(name); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.claimFor(session)(name)
}

// gatherBytes limits the size of events that may wait to be written.
const gatherBytes = 1 << 20

// follow writes new events and returns the sequence of the last one. While more events are
// available, writes are batched.
func (w *Writer) follow(ctx context.Context, source Source, from uint64) (uint64, error) {
	last, waiting := from-1, 0
	defer w.flushAll(ctx)
	for e, err := range source.Subscribe(ctx, "", from) {
		if err != nil {
			return last, err
		}
		last = e.Seq
		if _, closes := e.Payload.(events.SessionClosed); closes || !w.isBroken(e.Session) {
			w.failed(ctx, e.Session, w.gatherNow(ctx, &e))
		}
		if waiting += len(e.Data); last >= source.Position() || waiting > gatherBytes {
			w.flushAll(ctx)
			waiting = 0
		}
	}
	return last, events.ErrClosed
}

func (w *Writer) gatherNow(ctx context.Context, e *events.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gather(ctx, e)
}

// flushAll writes pending content.
func (w *Writer) flushAll(ctx context.Context) {
	w.mu.Lock()
	failed := map[string]error{}
	for _, session := range slices.Sorted(maps.Keys(w.unsaved)) {
		failed[session] = w.flush(ctx, session)
	}
	w.mu.Unlock()
	for session, err := range failed { // order-independent: each is reported
		w.failed(ctx, session, err)
	}
}

func (w *Writer) isBroken(session string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken[session]
}

// failed logs that a session is skipped; it ignores errors after ctx has ended.
func (w *Writer) failed(ctx context.Context, session string, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	w.logger.Error("cannot write a session log; trying again when the session closes or at the next "+
		"start", "session", session, "error", err)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken[session] = true
}
