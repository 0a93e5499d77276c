package sessionlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"time"

	"manualslop/events"
	"manualslop/projections/live"
)

// RegistryFile lists the sessions of a project and why their logs are kept.
const RegistryFile = "logs/log_registry.toml"

// registryEvery is how many events the registry file may be behind, unless one of them must be
// shown at once.
const registryEvery = 64

// Keeper maintains [RegistryFile] and, once when it starts, prunes logs that are not worth
// keeping. All fields except Snapshots, Build and Logger are required.
type Keeper struct {
	// Log is a connection with the rights of the actor "gateway".
	Log events.Log
	// Registry decodes payloads.
	Registry *events.Registry
	// Project is the project's subject token, and Dir its folder.
	Project, Dir string
	// Encode writes a map of [Row] by folder name as TOML.
	Encode func(any) ([]byte, error)
	// Clock is used for the age of sessions and the time of pruning.
	Clock func() time.Time
	// NewID returns a new event id.
	NewID func() string
	// Snapshots stores the facts about the sessions between runs; Build identifies the program. If
	// Snapshots is nil, each start folds the whole log.
	Snapshots live.Snapshots
	Build     string
	// Logger receives messages about folders that are not pruned. Nil means no logging.
	Logger *slog.Logger

	root   *disk
	facts  map[string]*Facts
	order  []*Facts          // by first event
	newest map[string]uint64 // sequence of each session's newest event
	fresh  int               // events since the file was written
	seq    uint64            // sequence and id of the newest event taken
	id     string
	kept   uint64 // seq when the facts were last stored
}

// Row is one session in the registry file.
type Row struct {
	Session     string     `toml:"session_id"`
	Path        string     `toml:"path"`
	Start       time.Time  `toml:"start_time"`
	End         *time.Time `toml:"end_time,omitempty"`
	Whitelisted bool       `toml:"whitelisted"`
	Reason      string     `toml:"reason,omitempty"` // why it is whitelisted
	Starred     bool       `toml:"starred"`
	Pruned      bool       `toml:"pruned"`
	Metrics     Metrics    `toml:"metadata"`
}

// Metrics holds the statistics of a session in the registry file.
type Metrics struct {
	Messages int   `toml:"message_count"`
	Errors   int   `toml:"errors"`
	Size     int64 `toml:"size_bytes"`
}

// Run continues the fold of all sessions from the stored facts, writes the registry file, prunes,
// and then follows the source until that ends. It returns nil when ctx ends. Failures to write or
// remove files are logged and do not stop it.
func (k *Keeper) Run(ctx context.Context, source Source) error {
	root, err := os.OpenRoot(k.Dir)
	if err != nil {
		return fmt.Errorf("session registry: %w", err)
	}
	defer root.Close()
	k.root, k.fresh = newDisk(root), 0
	k.forget()
	if k.Logger == nil {
		k.Logger = slog.New(slog.DiscardHandler)
	}
	next := source.Position() + 1
	if err := k.fold(ctx, next-1); err != nil {
		return stopped(ctx, err)
	}
	k.write(ctx)
	k.prune(ctx)
	k.store(ctx, storeEvery)
	for {
		last, err := k.follow(ctx, source, next)
		if ctx.Err() != nil {
			k.write(context.WithoutCancel(ctx))
			k.store(context.WithoutCancel(ctx), 1)
			return nil
		}
		if !errors.Is(err, events.ErrSlow) {
			return stopped(ctx, err)
		}
		next = last + 1
	}
}

// stopped wraps the error with which a part ended; it returns nil if ctx has ended.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("session registry: %w", err)
}

func (k *Keeper) fold(ctx context.Context, to uint64) error {
	if to == 0 {
		return nil
	}
	for e, err := range k.Log.Read(ctx, events.Filter{Project: k.Project}, k.restore(ctx, to)+1, to) {
		if err != nil {
			return err
		}
		k.apply(&e)
	}
	return ctx.Err()
}

func (k *Keeper) apply(e *events.Event) {
	f := k.facts[e.Session]
	if f == nil {
		f = &Facts{Session: e.Session}
		k.facts[e.Session] = f
		k.order = append(k.order, f)
	}
	f.Apply(k.Registry, e)
	k.newest[e.Session] = e.Seq
	k.seq, k.id = e.Seq, e.ID
}

// follow folds new events and writes the file when it is due.
func (k *Keeper) follow(ctx context.Context, source Source, from uint64) (uint64, error) {
	last := from - 1
	for e, err := range source.Subscribe(ctx, "", from) {
		if err != nil {
			return last, err
		}
		last = e.Seq
		k.apply(&e)
		k.fresh++
		switch e.Payload.(type) {
		case events.SessionOpened, events.SessionClosed, events.SessionStarred, events.LogsPruned, events.LogsRestored:
			k.fresh = registryEvery
		}
		if k.fresh >= registryEvery {
			k.write(ctx)
			k.store(ctx, storeEvery)
		}
	}
	return last, events.ErrClosed
}

// rows returns the rows of the registry file by folder name. If several sessions use the same
// folder name, the first owns it.
func (k *Keeper) rows() map[string]Row {
	rows := make(map[string]Row, len(k.order))
	for _, f := range k.order {
		if _, taken := rows[f.Folder]; taken || f.Opened.IsZero() || checkFolder(f.Folder) != nil {
			continue
		}
		why := f.Kept()
		rows[f.Folder] = Row{Session: f.Session, Path: path.Join(Base, f.Folder), Start: f.Opened.UTC(), End: f.Closed,
			Whitelisted: why != "", Reason: why, Starred: f.Starred, Pruned: f.Pruned,
			Metrics: Metrics{Messages: f.Messages, Errors: f.Errors, Size: f.Size}}
	}
	return rows
}

// write atomically updates the registry file.
func (k *Keeper) write(ctx context.Context) {
	k.fresh = 0
	raw, err := k.Encode(k.rows())
	if err == nil {
		err = makeFolder(k.root, path.Dir(RegistryFile))
	}
	if err == nil {
		err = writeWhole(k.root, RegistryFile, raw)
	}
	if err != nil {
		k.Logger.WarnContext(ctx, "cannot write the session registry", "file", RegistryFile, "error", err)
	}
}

// prune records which sessions are not worth keeping; the writer removes their folders. The newest
// session is kept, and so is a folder with other files in it. A session that gets a new event in
// the meantime is kept until the next start.
func (k *Keeper) prune(ctx context.Context) {
	now := k.Clock()
	rows := k.rows()
	for i, f := range k.order {
		why := f.Prunable(now)
		if why == "" || i == len(k.order)-1 || rows[f.Folder].Session != f.Session {
			continue
		}
		if foreign, err := foreignIn(k.root.Root, f.Folder); err != nil || len(foreign) > 0 {
			k.Logger.WarnContext(ctx, "a log folder is not pruned, because it has files that are not logs", "folder", f.Folder,
				"foreign", foreign, "error", err)
			continue
		}
		if err := k.publish(ctx, f, why, now); err != nil && !errors.Is(err, events.ErrConflict) {
			k.Logger.WarnContext(ctx, "cannot prune a session's logs", "session", f.Session, "error", err)
			return
		}
	}
}

// publish records that a session is pruned. It fails with events.ErrConflict if the session has an
// event that was not considered, such as a star.
func (k *Keeper) publish(ctx context.Context, f *Facts, why string, now time.Time) error {
	e, err := events.New(events.Origin{ID: k.NewID(), Time: now, Project: k.Project, Session: f.Session,
		Actor: events.ActorGateway},
		events.LogsPruned{Reason: why, Size: f.Size})
	if err != nil {
		return err
	}
	known := events.Expect{Filter: events.Filter{Project: k.Project, Session: f.Session}, Last: k.newest[f.Session]}
	_, err = k.Log.Append(ctx, e, &known)
	return err
}
