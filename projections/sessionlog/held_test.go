package sessionlog_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections/sessionlog"
)

// hook is an event that every session may have any number of.
func hook() events.HookCalled { return events.HookCalled{Method: "POST", Path: "/x", Status: 200} }

func TestOpensAreBoundedByFilesAndNotByEvents(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	w, by := s.writer(), tell(t)
	e := s.add(by.event("ada", opened()))
	require.NoError(t, w.Take(patient(t), &e))
	before := w.Opened()
	for range 500 {
		e := s.add(by.event(events.ActorGateway, hook()))
		require.NoError(t, w.Take(patient(t), &e))
	}
	require.LessOrEqual(t, w.Opened()-before, 2, "the folder and one file")
	for range 500 {
		e := s.add(by.event(events.ActorContributor, events.ModelRequested{StreamID: "Tier 3", Attempt: 1, Tier: 3,
			SHA256: "cd"}))
		require.NoError(t, w.Take(patient(t), &e))
	}
	require.LessOrEqual(t, w.Opened()-before, 3)
	require.Equal(t, s.rendered("S1"), s.files())
}

func TestAFolderThatIsMovedUnderAWriterComesBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	w, by := s.writer(), tell(t)
	for i := range 4 {
		e := by.event(events.ActorGateway, hook())
		if i == 0 {
			e = by.event("ada", opened())
		}
		e = s.add(e)
		if i == 3 {
			require.NoError(t, os.Rename(filepath.Join(s.dir, "logs"), filepath.Join(t.TempDir(), "moved")))
		}
		require.NoError(t, w.Take(patient(t), &e))
	}
	require.Equal(t, s.rendered("S1"), s.files())
}

func TestFewSessionsStayRenderedAndFewerHoldFiles(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	w, n, want := s.writer(), 0, map[string]string{}
	take := func(session int, actor string, p events.Payload) {
		by := tell(t)
		by.session, by.n = fmt.Sprintf("S%03d", session), n
		n++
		e := s.add(by.event(actor, p))
		require.NoError(t, w.Take(patient(t), &e))
	}
	sessions := sessionlog.MaxOpen + 20
	for i := range sessions {
		take(i, "ada", events.SessionOpened{Folder: fmt.Sprintf("folder_%d", i)})
	}
	for range 3 {
		for i := range sessions {
			take(i, events.ActorGateway, hook())
		}
	}
	rendered, held := w.Kept()
	require.Equal(t, sessions, rendered, "all of them are active: none is rendered again and again")
	require.Equal(t, sessionlog.MaxHeld, held)
	for range sessionlog.ActiveEvents {
		take(0, events.ActorGateway, hook())
	}
	rendered, held = w.Kept()
	require.Equal(t, sessionlog.MaxOpen, rendered)
	require.LessOrEqual(t, held, sessionlog.MaxHeld)
	for i := range sessions {
		take(i, events.ActorGateway, hook())
		maps.Copy(want, s.rendered(fmt.Sprintf("S%03d", i)))
	}
	require.Equal(t, want, s.files())
}
