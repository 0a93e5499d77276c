package sessionlog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"slices"
	"sync"

	"manualslop/events"
	"manualslop/projections/live"
)

// Source is what a Writer follows, such as *live.Live.
type Source interface {
	// Position returns the sequence of the newest event seen.
	Position() uint64
	// Sessions returns the sessions in the order in which they started.
	Sessions() []live.Summary
	// Subscribe yields the decoded events of a session from a sequence on; of all sessions if
	// session is empty.
	Subscribe(ctx context.Context, session string, from uint64) iter.Seq2[events.Event, error]
}

const (
	// maxOver limits the closed sessions whose rendering state is kept in case of further events.
	maxOver = 8
	// maxOpen limits the open sessions whose rendering state is kept, unless more than that are
	// among the newest activeEvents events.
	maxOpen      = 64
	activeEvents = 4096
	// maxHeld limits the sessions whose files are kept open.
	maxHeld = 16
)

// Writer writes the log files of a project's sessions. Only one writer at a time may use a project
// folder. It is safe for concurrent use.
type Writer struct {
	log      events.Log
	blobs    events.Blobs
	registry *events.Registry
	project  string
	root     *disk
	logger   *slog.Logger

	mu      sync.Mutex
	folders map[string]*folder // by session, as this process left them
	recent  []string           // sessions in folders, most recently used last
	taken   uint64             // number of events taken, starting at activeEvents
	unsaved map[string]bool    // sessions with content that waits for a flush
	owner   map[string]string  // folder name to session
	broken  map[string]bool    // sessions skipped until they close or the next start
	gone    map[string]bool    // sessions whose files were pruned
}

// New returns a writer for the sessions of a project whose files are below the existing folder
// dir. The caller must call Close. Texts in files of their own are read from blobs; if blobs is
// nil, only from events. A nil logger means no logging.
func New(log events.Log, blobs events.Blobs, registry *events.Registry, project, dir string,
	logger *slog.Logger) (*Writer, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("session logs: %w", err)
	}
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Writer{log: log, blobs: blobs, registry: registry, project: project, root: newDisk(root), logger: logger,
		taken: activeEvents, folders: map[string]*folder{}, unsaved: map[string]bool{},
		owner: map[string]string{}, broken: map[string]bool{}, gone: map[string]bool{}}, nil
}

// Close releases the project's folder. The files already contain all events that were taken.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.folders { // order-independent: each is closed
		d.release()
	}
	return w.root.Close()
}

// Rebuild makes a session's files match the log, whatever they contain: a prefix is continued,
// anything else is replaced. A session that was never opened has no files. It returns ErrFolder if
// its folder's name is not allowed.
func (w *Writer) Rebuild(ctx context.Context, session string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.attach(ctx, session, 0); err != nil {
		return fmt.Errorf("rebuild logs of %s: %w", session, err)
	}
	return nil
}

// attach renders a session from its beginning up to a sequence (0 means the end of the log), and
// compares the result with the existing files. A pruned session has none.
func (w *Writer) attach(ctx context.Context, session string, to uint64) (*folder, error) {
	w.letGo(session)
	gone, name, err := w.pruned(ctx, session, to)
	if err != nil {
		return nil, err
	}
	w.gone[session] = gone
	if gone {
		return nil, w.remove(ctx, session, name)
	}
	d := w.newFolder(session)
	defer d.abandon()
	for e, err := range w.log.Read(ctx, events.Filter{Project: w.project, Session: session}, 1, to) {
		if err != nil {
			return nil, err
		}
		w.registry.Decode(&e)
		if err := d.take(ctx, &e); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := d.settle(); err != nil {
		return nil, err
	}
	w.folders[session] = d
	w.used(session)
	return d, nil
}

// used limits the sessions with rendering state, and those with open files. Before an event of any
// other session is written, that session's log is read again.
func (w *Writer) used(session string) {
	d := w.folders[session]
	if d == nil {
		return
	}
	if d.closed {
		d.release()
	}
	w.recent = append(slices.DeleteFunc(w.recent, func(s string) bool { return s == session }), session)
	over, open, held := 0, 0, 0
	for _, s := range slices.Backward(slices.Clone(w.recent)) {
		d := w.folders[s]
		if d.held != nil {
			if held++; held > maxHeld {
				d.release()
			}
		}
		if d.closed {
			over++
		} else {
			open++
		}
		idle := over > maxOver || open > maxOpen && w.taken-d.used >= activeEvents
		if idle && !w.unsaved[s] {
			w.letGo(s)
		}
	}
}

// letGo drops the rendering state of a session, including unwritten content.
func (w *Writer) letGo(session string) {
	if d := w.folders[session]; d != nil {
		d.release()
	}
	delete(w.folders, session)
	delete(w.unsaved, session)
	w.recent = slices.DeleteFunc(w.recent, func(s string) bool { return s == session })
}

// claimFor returns a function that assigns a folder name to the session, unless an earlier session
// uses it.
func (w *Writer) claimFor(session string) func(string) error {
	return func(name string) error {
		if owner, taken := w.owner[name]; taken && owner != session {
			return fmt.Errorf("%w: %s is the folder of session %s", ErrFolder, name, owner)
		}
		w.owner[name] = session
		return nil
	}
}

// Take writes one decoded event, which must already be stored. A session's files are compared with
// the log when its first event is taken, and again after another program has changed them.
func (w *Writer) Take(ctx context.Context, e *events.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.gather(ctx, e); err != nil {
		return err
	}
	return w.flush(ctx, e.Session)
}

// gather is like Take, but leaves the log files to the next flush. Those of a closed session are
// written at once.
func (w *Writer) gather(ctx context.Context, e *events.Event) error {
	w.taken++
	err := errChanged
	switch e.Payload.(type) {
	case events.LogsPruned, events.LogsRestored: // the whole folder changes
	default:
		if w.gone[e.Session] {
			return nil
		}
		if d := w.folders[e.Session]; d != nil {
			err = d.take(ctx, e)
		}
	}
	if errors.Is(err, errChanged) {
		_, err = w.attach(ctx, e.Session, e.Seq)
	}
	if err != nil {
		w.letGo(e.Session)
		return fmt.Errorf("log of %s: %w", e.Session, err)
	}
	d := w.folders[e.Session]
	if d == nil { // pruned
		return nil
	}
	d.used = w.taken
	w.unsaved[e.Session] = true
	if d.closed {
		return w.flush(ctx, e.Session)
	}
	return nil
}

// flush writes the pending content of a session.
func (w *Writer) flush(ctx context.Context, session string) error {
	d := w.folders[session]
	if d == nil || !w.unsaved[session] {
		return nil
	}
	delete(w.unsaved, session)
	err := d.flush()
	if errors.Is(err, errChanged) {
		_, err = w.attach(ctx, session, d.seq)
	}
	if err != nil {
		w.letGo(session)
		return fmt.Errorf("log of %s: %w", session, err)
	}
	w.used(session)
	return nil
}
