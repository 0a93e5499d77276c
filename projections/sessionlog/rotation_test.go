package sessionlog_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/projections/live"
	"manualslop/projections/sessiongen"
	"manualslop/projections/sessionlog"
)

func TestALogThatIsRotatedComesBackWithTheNextEventOfItsSession(t *testing.T) {
	t.Parallel()
	rotations := map[string]func(t *testing.T, name string){
		"renamed":   func(t *testing.T, name string) { require.NoError(t, os.Rename(name, t.TempDir()+"/old")) },
		"truncated": func(t *testing.T, name string) { require.NoError(t, os.Truncate(name, 3)) },
		"linked": func(t *testing.T, name string) {
			require.NoError(t, os.Rename(name, name+".1"))
			require.NoError(t, os.Symlink(filepath.Base(name)+".1", name))
		},
	}
	for how, rotate := range rotations {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			w, by := s.writer(), tell(t)
			take := func(actor string, p events.Payload) {
				e := s.add(by.event(actor, p))
				require.NoError(t, w.Take(patient(t), &e))
			}
			take("ada", opened())
			take(events.ActorContributor, events.ModelRequested{StreamID: "Tier 3", Attempt: 1, Tier: 3, SHA256: "cd"})
			name := filepath.Join(s.dir, sessionlog.Base, opened().Folder, sessionlog.Comms)
			rotate(t, name)
			take(events.ActorGateway, events.HookCalled{Method: "POST", Path: "/x", Status: 200}) // of another file
			have := s.files()
			delete(have, sessionlog.Base+"/"+opened().Folder+"/"+sessionlog.Comms+".1")
			require.Equal(t, s.rendered("S1"), have)
			info, err := os.Lstat(name)
			require.NoError(t, err)
			require.True(t, info.Mode().IsRegular())
		})
	}
}

func TestAFileThatIsDeletedWhileItsSessionEndsComesBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	w := s.writer()
	made := sessiongen.GenerateSession(2, 150)
	for i, e := range made {
		e = s.add(e)
		if i == len(made)-1 {
			scripts, err := filepath.Glob(filepath.Join(s.dir, sessionlog.Base, folderOf(t, s), sessionlog.Scripts, "*"))
			require.NoError(t, err)
			require.NoError(t, os.Remove(scripts[0]))
			require.NoError(t, os.Remove(filepath.Join(s.dir, sessionlog.Base, folderOf(t, s), sessionlog.CLICalls)))
		}
		require.NoError(t, w.Take(patient(t), &e))
	}
	require.Equal(t, s.rendered(sessiongen.SessionID(2)), s.files())
}

func TestAFolderThatIsALinkIsRefusedAndWhatItLeadsToStays(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	source := filepath.Join(s.dir, "src")
	require.NoError(t, os.MkdirAll(source, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(source, sessionlog.APIHooks), []byte("mine"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(s.dir, sessionlog.Base), 0o700))
	require.NoError(t, os.Symlink("../../src", filepath.Join(s.dir, sessionlog.Base, opened().Folder)))
	e := s.add(tell(t).event("ada", opened()))
	require.ErrorIs(t, s.writer().Take(patient(t), &e), sessionlog.ErrFolder)
	have, err := os.ReadFile(filepath.Join(source, sessionlog.APIHooks))
	require.NoError(t, err)
	require.Equal(t, "mine", string(have))
}

func TestALogThatIsALinkDoesNotChangeWhatItLeadsTo(t *testing.T) {
	t.Parallel()
	s, want := written(t)
	precious := filepath.Join(s.dir, "main.go")
	require.NoError(t, os.WriteFile(precious, []byte("package main"), 0o600))
	name := filepath.Join(s.dir, sessionlog.Base, folderOf(t, s), sessionlog.APIHooks)
	require.NoError(t, os.Remove(name))
	require.NoError(t, os.Symlink("../../../main.go", name))
	require.NoError(t, s.writer().Rebuild(patient(t), sessiongen.SessionID(1)))
	have, err := os.ReadFile(precious)
	require.NoError(t, err)
	require.Equal(t, "package main", string(have))
	require.NoError(t, os.Remove(precious))
	require.Equal(t, want, s.files())
}

func TestASessionWhoseFolderIsInTheWayIsWrittenWhenItCloses(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	by := tell(t)
	in := filepath.Join(s.dir, sessionlog.Base, opened().Folder)
	require.NoError(t, os.MkdirAll(filepath.Dir(in), 0o700))
	require.NoError(t, os.WriteFile(in, nil, 0o600))
	s.add(by.event("ada", opened()))
	l, err := live.Open(patient(t), s.log, project, live.Options{})
	require.NoError(t, err)
	var reported lockedBuffer
	w, err := sessionlog.New(s.log, s.log, events.Catalogue(), project, s.dir,
		slog.New(slog.NewTextHandler(&reported, nil)))
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- w.Run(patient(t), l) }()
	require.Eventually(t, func() bool { return strings.Contains(reported.String(), "cannot write a session log") },
		eventstest.Patience,
		time.Millisecond)
	require.NoError(t, os.Remove(in))
	s.add(by.event("ada", events.SessionClosed{Reason: "done"}))
	s.until(s.rendered("S1"))
	require.NoError(t, l.Close())
	require.ErrorIs(t, <-ended, events.ErrClosed)
	require.NoError(t, w.Close())
}

// lockedBuffer is a buffer that several goroutines may use.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

// Write appends.
func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String is what was written.
func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
