package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
)

// demoSite is the project of a demo that has run to its end, its session, and
// the folder of that session's logs.
func demoSite(t *testing.T) (s *site, session, logs string) {
	t.Helper()
	s = newSite(t, nil)
	s.dir = runAlone(t)
	s.env = append(s.env, stateVar(s.dir))
	var first struct{ Session, Folder string }
	require.NoError(t, json.Unmarshal([]byte(s.ok("sessions", "--json")), &first))
	return s, first.Session, filepath.Join(s.dir, "logs", "sessions", first.Folder)
}

// tree is the contents of every file below a folder, by path.
func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // not yet
		}
		if err != nil || e.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, folder)] = string(body)
		return err
	})
	require.NoError(t, err)
	return out
}

// models is every read model of a session, as an engine serves it.
func (s *site) models(session string) map[string]string {
	s.t.Helper()
	r := s.start("serve", "--json")
	r.sees("\n")
	out := map[string]string{}
	for _, path := range []string{"/api/gui/mma_status?", "/api/gui/diagnostics?", "/api/session?",
		"/api/asks?state=all&"} {
		out[path] = string(s.get(path + "session=" + session))
	}
	// An engine that starts puts the rules of now on the record of open sessions.
	var list struct{ Sessions []json.RawMessage }
	require.NoError(s.t, json.Unmarshal(s.get("/api/sessions"), &list))
	out["/api/sessions"] = string(list.Sessions[0])
	require.Contains(s.t, out["/api/sessions"], session)
	require.NoError(s.t, r.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(s.t, r.wait())
	return out
}

func TestDeletedLogsAndSnapshotsComeBackTheSame(t *testing.T) {
	t.Parallel()
	s, session, folder := demoSite(t)
	models, digests := s.models(session), s.ok("replay", session, "--verify")
	logs := tree(t, folder)
	require.Contains(t, logs["/toolcalls.log"], "run_powershell")
	require.Contains(t, models["/api/gui/mma_status?"], "T-005")

	require.NoError(t, os.RemoveAll(filepath.Join(s.dir, "logs")))
	server, err := bus.Open(t.Context(), bus.Config{Dir: filepath.Join(s.dir, ".slop")})
	require.NoError(t, err)
	require.NotZero(t, bustest.ForgetSnapshots(t, server))
	require.NoError(t, server.Close())

	require.Equal(t, models, s.models(session))
	require.Equal(t, digests, s.ok("replay", session, "--verify"))
	r := s.start("serve", "--json")
	r.sees("\n")
	require.Eventually(t, func() bool { return maps.Equal(logs, tree(t, folder)) }, patience, 10*time.Millisecond)
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, r.wait())
	require.Equal(t, logs, tree(t, folder), "the end of the engine adds nothing")
}
