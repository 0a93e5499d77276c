package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"

	"manualslop/events"
	"manualslop/tools"
)

// newID makes a fresh identifier.
func newID() string { return ulid.MustNew(ulid.Now(), rand.Reader).String() }

// voice writes events of one person in one session.
type voice struct {
	log     events.Log
	project string
	session string
	person  string
	mask    func([]byte) []byte
}

// say puts a person's word on record and returns its sequence and id.
func (v voice) say(ctx context.Context, p events.Payload) (uint64, string, error) {
	e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: v.project, Session: v.session, Actor: v.person}, p)
	if err != nil {
		return 0, "", err
	}
	if v.mask != nil {
		e.Data = v.mask(e.Data)
	}
	seq, err := v.log.Append(ctx, e, nil)
	if err != nil {
		return 0, "", fmt.Errorf("record %s: %w", e.Type, err)
	}
	return seq, e.ID, nil
}

// store is where a session is opened: the log, and the blobs that it names.
type store interface {
	events.Log
	events.Blobs
}

// openSession begins a session: its settings, what is known of models, and its tools are the
// first things on record.
func openSession(ctx context.Context, log store, p place, mask func([]byte) []byte, label string, scripted bool) (voice, error) {
	taken, err := foldersOnRecord(ctx, log, p.name)
	if err != nil {
		return voice{}, err
	}
	return openSessionBeside(ctx, log, p, mask, label, scripted, taken)
}

// openSession begins a session; see openSession. Beside read models it does not
// read the openings of all sessions.
func (e *engine) openSession(ctx context.Context, log store, label string) (voice, error) {
	if e.live == nil {
		return openSession(ctx, log, e.place, e.mask, label, e.script != nil)
	}
	taken := map[string]bool{}
	for _, s := range e.live.Sessions() {
		taken[s.Folder] = true
	}
	return openSessionBeside(ctx, log, e.place, e.mask, label, e.script != nil, taken)
}

// openSessionBeside is openSession where these log folders are taken.
func openSessionBeside(
	ctx context.Context, log store, p place, mask func([]byte) []byte, label string, scripted bool, taken map[string]bool,
) (voice, error) {
	now := time.Now()
	v := voice{log: log, project: p.name, session: newID(), person: p.person, mask: mask}
	if err := p.checkIsolation(ctx); err != nil {
		return v, err
	}
	folder := freeFolder(taken, folderName(now, label))
	by, err := recordBasis(ctx, log)
	if err != nil {
		return v, err
	}
	if _, _, err := v.say(ctx, events.SessionOpened{
		Label: label, Folder: folder, Workspace: p.project, Basis: by, Settings: p.settings(scripted),
	}); err != nil {
		return v, err
	}
	if _, _, err := v.say(ctx, p.config.models()); err != nil {
		return v, err
	}
	_, _, err = v.say(ctx, offers(tools.Builtin()))
	return v, err
}

// freeFolder is a name for a session's log folder that no earlier session of
// the project has: sessions of one second and label are numbered.
func freeFolder(taken map[string]bool, name string) string {
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s_%d", name, n)
	}
	return free
}

// foldersOnRecord are the log folders of the project's sessions.
func foldersOnRecord(ctx context.Context, log events.Log, project string) (map[string]bool, error) {
	registry := events.Catalogue()
	taken := map[string]bool{}
	for e, err := range log.Read(ctx, events.Filter{Project: project, Type: events.SessionOpened{}.EventType().Name}, 1, 0) {
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
