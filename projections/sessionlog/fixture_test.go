package sessionlog_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/projections/sessiongen"
	"manualslop/projections/sessionlog"
)

const project = sessiongen.Project

func patient(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), eventstest.Patience)
	t.Cleanup(cancel)
	return ctx
}

// at is the time of the n-th event, a quarter of a second past.
func at(n int) time.Time {
	return time.Date(2026, 1, 2, 3, 4, n, 250_000_000, time.UTC)
}

// story is events of one session, rendered as they come.
type story struct {
	t        testing.TB
	n        int
	session  string
	renderer *sessionlog.Renderer
	files    map[string]string
}

func tell(t testing.TB) *story {
	t.Helper()
	return &story{t: t, session: "S1", renderer: sessionlog.NewRenderer(), files: map[string]string{}}
}

func (s *story) event(actor string, p events.Payload) events.Event {
	s.t.Helper()
	s.n++
	e, err := events.New(events.Origin{ID: fmt.Sprintf("E%d", s.n), Time: at(s.n), Project: project, Session: s.session,
		Actor: actor}, p)
	require.NoError(s.t, err)
	e.Payload, e.Seq = nil, uint64(s.n)
	return e
}

// by renders a fact and returns its id.
func (s *story) by(actor string, p events.Payload) string {
	s.t.Helper()
	e := s.event(actor, p)
	events.Catalogue().Decode(&e)
	for _, piece := range s.renderer.Lines(&e) {
		s.files[piece.File] += string(piece.Bytes)
	}
	return e.ID
}

func opened() events.SessionOpened {
	return events.SessionOpened{Label: "demo", Folder: "20260102_030405_demo"}
}

// shell plays one script from wish to outcome.
func (s *story) shell(call, script string, out events.ToolSettled) {
	s.t.Helper()
	args, err := json.Marshal(map[string]string{"script": script})
	require.NoError(s.t, err)
	s.by(events.ActorContributor, events.ToolRequested{Call: call, Tool: "run_powershell", Args: args, Ticket: "T-1",
		Attempt: 1, Round: 2})
	s.by(events.ActorApproval, events.ToolApproved{Call: call, Tool: "run_powershell", Args: args, ArgsSHA256: "d",
		Ticket: "T-1", Generation: 1, By: "ada"})
	out.Call, out.Tool, out.ArgsSHA256, out.Generation = call, "run_powershell", "d", 1
	s.by("worker-1", out)
}

// stage is a log and a project folder.
type stage struct {
	t   testing.TB
	log *eventstest.Memory
	dir string
}

func newStage(t testing.TB) *stage {
	t.Helper()
	return &stage{t: t, log: eventstest.NewMemory(), dir: t.TempDir()}
}

func (s *stage) add(e events.Event) events.Event {
	s.t.Helper()
	e.Payload = nil
	seq, err := s.log.Append(patient(s.t), e, nil)
	require.NoError(s.t, err)
	e.Seq = seq
	events.Catalogue().Decode(&e)
	return e
}

func (s *stage) writer() *sessionlog.Writer {
	s.t.Helper()
	w, err := sessionlog.New(s.log, s.log, events.Catalogue(), project, s.dir, nil)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { require.NoError(s.t, w.Close()) })
	return w
}

// sign names bytes so that a difference stays readable.
func sign(b []byte) string { return fmt.Sprintf("%d bytes, %s", len(b), events.Digest(b)) }

// files are signs of everything below the project folder, but for the mark of
// a whole folder.
func (s *stage) files() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // removed since it was listed
			return nil
		}
		if err != nil || entry.IsDir() || entry.Name() == ".complete" {
			return err
		}
		raw, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // replaced or removed since it was listed
			return nil
		}
		rel, _ := filepath.Rel(s.dir, path)
		out[filepath.ToSlash(rel)] = sign(raw)
		return err
	})
	require.NoError(s.t, err)
	return out
}

// until waits for the files to be these; see files.
func (s *stage) until(want map[string]string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return maps.Equal(want, s.files()) }, eventstest.Patience, 5*time.Millisecond)
}

// rendered are signs of what the files of a session should be.
func (s *stage) rendered(session string) map[string]string {
	s.t.Helper()
	r, whole := sessionlog.NewRenderer(), map[string][]byte{}
	for _, e := range eventstest.All(s.t, s.log, events.Filter{Project: project, Session: session}) {
		for _, piece := range r.Lines(&e) {
			name := sessionlog.Base + "/" + r.Folder() + "/" + piece.File
			if piece.Blob != nil {
				var err error
				whole[name], err = s.log.Get(patient(s.t), piece.Blob.SHA256)
				require.NoError(s.t, err)
				continue
			}
			whole[name] = append(whole[name], piece.Bytes...)
		}
	}
	out := map[string]string{}
	for name, b := range whole {
		out[name] = sign(b)
	}
	return out
}
