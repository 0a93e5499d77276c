package sessionlog_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections/live"
	"manualslop/projections/sessiongen"
	"manualslop/projections/sessionlog"
)

// written is a stage whose only session is on the log and in the files.
func written(t *testing.T) (*stage, map[string]string) {
	t.Helper()
	s := newStage(t)
	for _, e := range sessiongen.GenerateSession(1, 200) {
		s.add(e)
	}
	late := tell(t)
	late.session = sessiongen.SessionID(1)
	s.add(late.event(events.ActorGateway, events.HookCalled{Method: "POST", Path: "/api/ask", Status: 409}))
	require.NoError(t, s.writer().Rebuild(patient(t), sessiongen.SessionID(1)))
	want := s.rendered(sessiongen.SessionID(1))
	require.Equal(t, want, s.files())
	require.Greater(t, len(want), len(sessionlog.Files()), "there are scripts")
	return s, want
}

func TestDamagedFilesComeBackIdentical(t *testing.T) {
	t.Parallel()
	damage := map[string]func(t *testing.T, name string){
		"deleted":       func(t *testing.T, name string) { require.NoError(t, os.Remove(name)) },
		"emptied":       func(t *testing.T, name string) { require.NoError(t, os.Truncate(name, 0)) },
		"cut in a line": func(t *testing.T, name string) { change(t, name, func(b []byte) []byte { return b[:len(b)*2/3] }) },
		"grown": func(t *testing.T, name string) {
			change(t, name, func(b []byte) []byte { return append(b, "garbage"...) })
		},
		"changed at its start": func(t *testing.T, name string) {
			change(t, name, func(b []byte) []byte { return append([]byte("x"), b...) })
		},
		"changed at its end": func(t *testing.T, name string) {
			change(t, name, func(b []byte) []byte { return append(b[:max(0, len(b)-1)], 'x') })
		},
		"replaced by garbage": func(t *testing.T, name string) {
			change(t, name, func([]byte) []byte { return []byte(strings.Repeat("\x00", 200_000)) })
		},
		"left with half a repair": func(t *testing.T, name string) {
			change(t, name+".rebuild", func([]byte) []byte { return []byte("half") })
			require.NoError(t, os.Truncate(name, 0))
		},
	}
	for name, f := range damage {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, want := written(t)
			for _, file := range slices.Sorted(maps.Keys(want)) {
				f(t, filepath.Join(s.dir, filepath.FromSlash(file)))
				require.NotEqual(t, want, s.files(), "%s of %s", name, file)
				require.NoError(t, s.writer().Rebuild(patient(t), sessiongen.SessionID(1)))
				require.Equal(t, want, s.files(), "%s of %s", name, file)
			}
		})
	}
	t.Run("whole folder deleted", func(t *testing.T) {
		t.Parallel()
		s, want := written(t)
		require.NoError(t, os.RemoveAll(filepath.Join(s.dir, "logs")))
		require.NoError(t, s.writer().Rebuild(patient(t), sessiongen.SessionID(1)))
		require.Equal(t, want, s.files())
	})
}

func change(t *testing.T, name string, f func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	require.NoError(t, os.WriteFile(name, f(b), 0o600))
}

func TestAGoodFileIsOnlyRead(t *testing.T) {
	t.Parallel()
	s, want := written(t)
	before := map[string]os.FileInfo{}
	for file := range want {
		info, err := os.Stat(filepath.Join(s.dir, file))
		require.NoError(t, err)
		before[file] = info
	}
	require.NoError(t, s.writer().Rebuild(patient(t), sessiongen.SessionID(1)))
	for file, old := range before {
		info, err := os.Stat(filepath.Join(s.dir, file))
		require.NoError(t, err)
		require.True(t, os.SameFile(old, info), file)
		require.Equal(t, old.ModTime(), info.ModTime(), file)
	}
}

func TestEventsAppendAsTheyComeWhateverIsKilledInBetween(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	w := s.writer()
	for i, e := range sessiongen.GenerateSession(2, 150) {
		e = s.add(e)
		switch i {
		case 40: // a new process begins in the middle, which must compare first
			w = s.writer()
		case 70: // a line that was half written when the process died
			change(t, filepath.Join(s.dir, sessionlog.Base, folderOf(t, s), sessionlog.Comms),
				func(b []byte) []byte { return append(b, `{"ts":"20`...) })
			w = s.writer()
		case 90: // somebody deletes a file under a running writer
			require.NoError(t, os.Remove(filepath.Join(s.dir, sessionlog.Base, folderOf(t, s), sessionlog.Comms)))
		case 110: // or all of them
			require.NoError(t, os.RemoveAll(filepath.Join(s.dir, "logs")))
		}
		require.NoError(t, w.Take(patient(t), &e))
		if i%30 == 0 {
			require.NoError(t, w.Take(patient(t), &e), "an event taken twice is written once")
		}
	}
	require.Equal(t, s.rendered(sessiongen.SessionID(2)), s.files())
}

func folderOf(t *testing.T, s *stage) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, sessionlog.Base))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	return entries[0].Name()
}

func TestFolderNamesAreHarmlessAndBelongToOneSession(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 129)
	for _, name := range []string{"", ".", "..", "../evil", "a/b", `a\b`, "/abs", ".hidden", "a b", "a\x00b", "ä", long} {
		s := newStage(t)
		e := tell(t).event("ada", events.SessionOpened{Folder: name})
		e = s.add(e)
		require.ErrorIs(t, s.writer().Take(patient(t), &e), sessionlog.ErrFolder, name)
		require.Empty(t, s.files())
	}
	s := newStage(t)
	w := s.writer()
	for session, want := range []error{nil, sessionlog.ErrFolder} {
		by := tell(t)
		by.session = []string{"S1", "S2"}[session]
		by.n = session
		e := s.add(by.event("ada", events.SessionOpened{Folder: long[1:]}))
		require.ErrorIs(t, w.Take(patient(t), &e), want)
	}
}

func TestNothingIsWrittenThroughALinkOutOfTheProject(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(s.dir, "logs")))
	e := s.add(tell(t).event("ada", opened()))
	require.Error(t, s.writer().Take(patient(t), &e))
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestAProjectFolderMustExist(t *testing.T) {
	t.Parallel()
	_, err := sessionlog.New(newStage(t).log, nil, events.Catalogue(), project, filepath.Join(t.TempDir(), "none"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestRunRepairsAtItsStartAndThenFollows(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, e := range sessiongen.GenerateSession(1, 80) { // closed, its files missing
		s.add(e)
	}
	made := sessiongen.GenerateSession(2, 80)
	for _, e := range made[:50] { // open
		s.add(e)
	}
	l, err := live.Open(patient(t), s.log, project, live.Options{Backlog: 8})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(patient(t))
	ended := make(chan error, 1)
	go func() { ended <- s.writer().Run(ctx, l) }()
	for _, e := range made[50:] {
		s.add(e)
	}
	for _, e := range sessiongen.GenerateSession(3, 80) {
		s.add(e)
	}
	want := map[string]string{}
	for seed := range uint64(3) {
		maps.Copy(want, s.rendered(sessiongen.SessionID(seed+1)))
	}
	s.until(want)
	cancel()
	require.NoError(t, <-ended)
	require.NoError(t, l.Close())
}

func TestRebuildThatWasCutShortIsTakenUpAtTheNextStart(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, e := range sessiongen.GenerateSession(1, 80) {
		s.add(e)
	}
	want := s.rendered(sessiongen.SessionID(1))
	require.NoError(t, s.writer().Rebuild(patient(t), sessiongen.SessionID(1)))
	require.Equal(t, want, s.files())
	folder := filepath.Join(s.dir, filepath.Dir(slices.Min(slices.Collect(maps.Keys(want)))))
	require.NoError(t, os.Truncate(filepath.Join(folder, "comms.log"), 100))
	require.NoError(t, os.Remove(filepath.Join(folder, ".complete")))

	l, err := live.Open(patient(t), s.log, project, live.Options{})
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- s.writer().Run(patient(t), l) }()
	s.until(want)
	require.NoError(t, l.Close())
	require.ErrorIs(t, <-ended, events.ErrClosed)
}

func TestASessionWhoseFilesCannotBeWrittenHoldsUpNobody(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	bad := tell(t)
	bad.session = "BAD"
	s.add(bad.event("ada", events.SessionOpened{Folder: "../evil"}))
	l, err := live.Open(patient(t), s.log, project, live.Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(patient(t))
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.writer().Run(ctx, l) }()
	s.add(bad.event("ada", events.GoalSubmitted{Goal: "more"}))
	good := tell(t)
	good.n = 100
	s.add(good.event("ada", opened()))
	s.until(s.rendered("S1"))
	require.NoError(t, l.Close())
	require.ErrorIs(t, <-ended, events.ErrClosed)
}

func TestAnEventThatComesAfterTheEndAndAKillIsWrittenAtTheNextStart(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	by := tell(t)
	s.add(by.event("ada", opened()))
	s.add(by.event("ada", events.SessionClosed{Reason: "done"}))
	require.NoError(t, s.writer().Rebuild(patient(t), "S1"))
	require.Equal(t, s.rendered("S1"), s.files())
	// on the log, and nobody lives to write it
	s.add(by.event(events.ActorGateway, events.HookCalled{Method: "POST", Path: "/late", Status: 409}))

	l, err := live.Open(patient(t), s.log, project, live.Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(patient(t))
	ended := make(chan error, 1)
	go func() { ended <- s.writer().Run(ctx, l) }()
	next := tell(t)
	next.session, next.n = "S2", 100
	other := opened()
	other.Folder = "20260102_030406_next"
	s.add(next.event("ada", other))
	want := s.rendered("S1")
	maps.Copy(want, s.rendered("S2"))
	s.until(want)
	cancel()
	require.NoError(t, <-ended)
	require.NoError(t, l.Close())
}
