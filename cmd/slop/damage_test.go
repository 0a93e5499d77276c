package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events/eventstest"
)

// streamFolder is where the store of a site keeps a stream.
func (s *site) streamFolder(stream string) string {
	return s.data(filepath.Join("bus", "jetstream", "$G", "streams", stream))
}

func TestStartKilledWhileItMakesADataFolderCanBeRepeated(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(1, 1))
	for range 16 {
		s := newSite(t, nil)
		r := s.start("keys")
		// it may have ended
		time.AfterFunc(time.Duration(chance.IntN(200))*time.Millisecond, func() { _ = r.cmd.Process.Kill() })
		<-r.ended
		s.ok("keys")
		require.Contains(t, s.ok("doctor", "--json"), `"check":"store","health":"ok","detail":"0 events`)
	}
}

func TestDamagedSnapshotsAndIndexStopNoCommand(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	s.ok("run", "--yes", "--script", s.script(twoEdits), "edit")
	ids, _ := s.listed()
	require.Len(t, ids, 1)
	session := ids[0]
	want := s.ok("replay", session)
	for name, harm := range map[string]func(){
		"snapshots removed": func() { require.NoError(t, os.RemoveAll(s.streamFolder("KV_SLOP_SNAPSHOTS"))) },
		"snapshots without a description": func() {
			require.NoError(t, os.Truncate(filepath.Join(s.streamFolder("KV_SLOP_SNAPSHOTS"), "meta.inf"), 0))
		},
	} {
		harm()
		got := s.slop("replay", session)
		require.Zero(t, got.status, name)
		require.Equal(t, want, got.out, name)
		require.Contains(t, got.err, "the snapshots were damaged or removed and are being rebuilt", name)
		s.ok("export", session)
	}
}

// oneScript is a session whose only ticket runs one script that does not end soon.
const oneScript = `
{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"description\":\"d\"}]"}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-1\",\"description\":\"d\"}]"}}
{"tier":3,"reply":{"tool_calls":[{"name":"run_powershell","args":{"script":"echo run >> runs.log; sleep 30"}}]}}
{"tier":4,"reply":{"text":"hint"}}
{"tier":3,"reply":{"text":"DONE: finished"}}
`

func TestScriptWhoseClaimWasLostIsNotRunTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	script := s.script(oneScript)
	r := s.start("run", "--yes", "--script", script, "go")
	require.Eventually(t, func() bool {
		ran, err := os.ReadFile(filepath.Join(s.dir, "runs.log"))
		return err == nil && len(ran) > 0
	}, eventstest.Patience, time.Millisecond)
	require.Eventually(t, func() bool { // within the bound of the guard
		ends, err := os.ReadFile(s.data("bus/ends.json"))
		return err == nil && strings.Contains(string(ends), `"claims":{"seq":1,`)
	}, eventstest.Patience, time.Millisecond)
	r.kill()
	require.NoError(t, os.RemoveAll(filepath.Join(s.streamFolder("KV_SLOP_CLAIMS"), "msgs")))
	require.Contains(t, s.fails(1, "run", "--resume", "--yes", "--script", script), "slop doctor --repair")
	require.Contains(t, s.ok("doctor", "--repair"), "1 approved calls may have started")
	require.Contains(t, s.fails(3, "run", "--resume", "--yes", "--script", script), "interrupted")
	require.Equal(t, "run\n", s.read("runs.log"))
}
