package engine

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"

	"manualslop/cmd/slop/site"
	"manualslop/events"
)

// NewID returns a new identifier.
func NewID() string { return ulid.MustNew(ulid.Now(), rand.Reader).String() }

// SessionWriter writes a user's events in one session.
type SessionWriter struct {
	Log     events.Log
	Project string
	Session string
	Person  string
	Mask    func([]byte) []byte
}

// Publish records an event of the user and returns its sequence and id.
func (v SessionWriter) Publish(ctx context.Context, p events.Payload) (uint64, string, error) {
	return v.PublishAs(ctx, NewID(), p)
}

// PublishAs is like Publish, for an event with the given id.
func (v SessionWriter) PublishAs(ctx context.Context, id string, p events.Payload) (uint64, string, error) {
	return v.publish(ctx, id, p, nil)
}

// PublishAt is like Publish, but returns events.ErrConflict if the newest event of the session is not at last.
func (v SessionWriter) PublishAt(ctx context.Context, p events.Payload, last uint64) (uint64, string, error) {
	return v.publish(ctx, NewID(), p,
		&events.Expect{Filter: events.Filter{Project: v.Project, Session: v.Session}, Last: last})
}

func (v SessionWriter) publish(ctx context.Context, id string, p events.Payload, x *events.Expect) (uint64, string,
	error) {
	e, err := events.New(events.Origin{ID: id, Time: time.Now(), Project: v.Project, Session: v.Session,
		Actor: v.Person}, p)
	if err != nil {
		return 0, "", err
	}
	if v.Mask != nil {
		e.Data = v.Mask(e.Data)
	}
	seq, err := v.Log.Append(ctx, e, x)
	if err != nil {
		return 0, "", fmt.Errorf("record %s: %w", e.Type, err)
	}
	return seq, e.ID, nil
}

// Store is the storage of a session: the log, and the blobs that it names.
type Store interface {
	events.Log
	events.Blobs
}

// OpenSession opens a session. It first records its settings, the known models and its tools.
func OpenSession(ctx context.Context, log Store, p site.Place, mask func([]byte) []byte, label string,
	scripted bool) (SessionWriter, error) {
	taken, err := foldersOnRecord(ctx, log, p.Name)
	if err != nil {
		return SessionWriter{}, err
	}
	return openSessionBeside(ctx, log, p, mask, label, scripted, taken)
}

// OpenSession begins a session; see the function OpenSession. With read models it does not read the openings of all
// sessions.
func (e *Engine) OpenSession(ctx context.Context, log Store, label string) (SessionWriter, error) {
	if e.Live == nil {
		return OpenSession(ctx, log, e.Place, e.Mask, label, e.Script != nil)
	}
	taken := map[string]bool{}
	for _, s := range e.Live.Sessions() {
		taken[s.Folder] = true
	}
	return openSessionBeside(ctx, log, e.Place, e.Mask, label, e.Script != nil, taken)
}

// openSessionBeside is OpenSession, given the log folders that are taken.
func openSessionBeside(
	ctx context.Context, log Store, p site.Place, mask func([]byte) []byte, label string, scripted bool,
	taken map[string]bool,
) (SessionWriter, error) {
	now := time.Now()
	v := SessionWriter{Log: log, Project: p.Name, Session: NewID(), Person: p.Person, Mask: mask}
	if err := p.CheckIsolation(ctx); err != nil {
		return v, err
	}
	folder := freeFolder(taken, site.FolderName(now, label))
	by, err := RecordBasis(ctx, log)
	if err != nil {
		return v, err
	}
	if _, _, err := v.Publish(ctx, events.SessionOpened{
		Label: label, Folder: folder, Workspace: p.Root(), Basis: by, Settings: p.Settings(scripted),
	}); err != nil {
		return v, err
	}
	if r := events.RetrievalSettings(p.Config.Retrieval); r != events.DefaultRetrieval() {
		if _, _, err := v.Publish(ctx, r.Changes()); err != nil {
			return v, err
		}
	}
	if _, _, err := v.Publish(ctx, p.Config.ModelsOffered(scripted)); err != nil {
		return v, err
	}
	offered, err := p.OfferedTools()
	if err != nil {
		return v, err
	}
	_, _, err = v.Publish(ctx, offered)
	return v, err
}

// freeFolder returns a name for a session's log folder that no earlier session of the project has: sessions with the
// same second and label are numbered.
func freeFolder(taken map[string]bool, name string) string {
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s_%d", name, n)
	}
	return free
}

// foldersOnRecord returns the log folders of the project's sessions.
func foldersOnRecord(ctx context.Context, log events.Log, project string) (map[string]bool, error) {
	registry := events.Catalogue()
	taken := map[string]bool{}
	for e, err := range log.Read(ctx, events.Filter{Project: project, Type: events.NameOf[events.SessionOpened]()}, 1,
		0) {
		if err != nil {
			return nil, fmt.Errorf("look for earlier sessions: %w", err)
		}
		registry.Decode(&e)
		if opened, ok := e.Payload.(events.SessionOpened); ok {
			taken[opened.Folder] = true
		}
	}
	return taken, nil
}
