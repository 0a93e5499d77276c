package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cloned is a project that came with the data folder of somebody whose session
// stopped in the middle: its next write is asked for and would be approved.
func cloned(t *testing.T) (mine *site, theirs *site) {
	t.Helper()
	theirs = newSite(t, twoFiles)
	theirs.fails(3, "run", "--script", theirs.script(twoEdits), "edit")
	theirs.keys()
	mine = newSite(t, nil)
	require.NoError(t, os.CopyFS(mine.dir, os.DirFS(theirs.dir)))
	require.NoError(t, os.WriteFile(mine.data("run.json"), []byte(`{"pid":1,"hooks":"http://127.0.0.1:1"}`), 0o600))
	return mine, theirs
}

func TestADataFolderThatCameWithTheProjectIsNotUsed(t *testing.T) {
	t.Parallel()
	s, _ := cloned(t)
	before := tree(t, s.data(""))
	script := s.script(twoEdits)
	remote := []string{"--nats", "nats://127.0.0.1:1"}
	for _, command := range [][]string{
		{"run", "--yes", "--script", script, "edit"}, {"run", "--resume", "--yes", "--script", script},
		{"run", "--detach", "edit"}, {"serve", "--yes"}, {"bus"},
		{"keys"}, {"sessions"}, {"sessions", "show"}, {"ask", "list"}, {"ask", "answer", "X", "yes"},
		{"watch", "--no-follow"}, {"watch"}, {"export", "X"},
		{"replay", "X"}, {"pause"}, append([]string{"worker"}, remote...),
	} {
		said := s.fails(1, command...)
		require.Contains(t, said, "came with the project, was copied or moved", command)
		require.Contains(t, said, "slop adopt", command)
	}
	require.Equal(t, before, tree(t, s.data("")), "nothing in it was touched")
	require.Equal(t, "one\n", s.read("a.txt"))

	doctor := s.slop("doctor")
	require.Equal(t, 1, doctor.status)
	require.Contains(t, doctor.out, "was copied or moved")
	require.Contains(t, doctor.err, "broken: data folder")
	require.NotContains(t, doctor.out, "process 1")
}

func TestAdoptingDropsEveryTokenAndKeepsTheSessions(t *testing.T) {
	t.Parallel()
	s, theirs := cloned(t)
	plain := s.fails(3, "adopt")
	require.Contains(t, plain, s.data(""))
	require.Contains(t, plain, "can be listed only after adoption")
	require.Contains(t, s.fails(1, "sessions"), "slop adopt", "without a yes nothing is adopted")

	var line struct {
		Data    string
		Adopted bool
		Files   int
	}
	require.NoError(t, json.Unmarshal([]byte(s.ok("adopt", "--yes", "--json")), &line))
	require.True(t, line.Adopted)
	require.NotZero(t, line.Files)
	for _, gone := range []string{"bus-tokens.json", "keys", "tokens", "run.json"} {
		require.NoFileExists(t, s.data(gone))
		require.NoDirExists(t, s.data(gone))
	}
	info, err := os.Stat(s.data("owner.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Equal(t, theirs.ok("sessions", "--json"), s.ok("sessions", "--json"))
	require.Contains(t, s.ok("adopt", "--yes"), "is already yours")

	// The same folder elsewhere, with its own owner.json, is somebody's again.
	other := newSite(t, nil)
	require.NoError(t, os.CopyFS(other.data(""), os.DirFS(s.data(""))))
	other.env = s.env
	require.Contains(t, other.fails(1, "sessions"), "slop adopt")
}

func TestAdoptRefusesLinksAndAFolderInUse(t *testing.T) {
	t.Parallel()
	s, _ := cloned(t)
	victim := filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.WriteFile(victim, []byte("mine"), 0o600))
	require.NoError(t, os.Remove(s.data("bus.lock")))
	require.NoError(t, os.Symlink(victim, s.data("bus.lock")))
	require.Contains(t, s.fails(1, "adopt", "--yes"), "is a link")
	body, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.Equal(t, "mine", string(body))

	linked := newSite(t, nil)
	require.NoError(t, os.Symlink(filepath.Dir(victim), filepath.Join(linked.dir, ".slop")))
	require.Contains(t, linked.fails(1, "adopt", "--yes"), "is a link")
	require.Contains(t, linked.fails(1, "keys"), "it is a link")
	require.Contains(t, newSite(t, nil).fails(1, "adopt", "--yes"), "holds nothing to adopt")

	held := newSite(t, nil)
	held.serve()
	require.NoError(t, os.Remove(held.data("owner.json")))
	require.Contains(t, held.fails(1, "adopt", "--yes"), "an engine is using it")
}

func TestARenamedProjectKeepsItsSessionsOnceAdopted(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	script := s.script(twoEdits)
	s.fails(3, "run", "--script", script, "edit")
	before := s.ok("sessions", "--json")
	renamed := filepath.Join(filepath.Dir(s.dir), "renamed")
	require.NoError(t, os.Rename(s.dir, renamed))
	s.dir = renamed
	require.Contains(t, s.fails(1, "sessions"), "slop adopt")
	s.ok("adopt", "--yes")
	require.Equal(t, before, s.ok("sessions", "--json"))
	s.ok("run", "--resume", "--yes", "--script", script)
	require.Equal(t, "ONE\n", s.read("a.txt"))
}

func TestADataFolderThatTwoProjectsShareKeepsTheirSessionsApart(t *testing.T) {
	t.Parallel()
	a := newSite(t, twoFiles)
	shared := filepath.Join(t.TempDir(), "data")
	a.fails(3, "run", "--data", shared, "--script", a.script(twoEdits), "edit")
	other := filepath.Join(filepath.Dir(a.dir), "other")
	require.NoError(t, os.Mkdir(other, 0o755))
	require.Contains(t, a.ok("sessions", "--data", shared, "--project", other), "no sessions yet")
	require.Contains(t, a.ok("sessions", "--data", shared), "edit")
}

func TestWithoutAStateFolderNoDataFolderIsUsed(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	s.ok("keys")
	nowhere := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(nowhere, nil, 0o600))
	for name, state := range map[string][]string{
		"neither is set": {"XDG_STATE_HOME=", "HOME="}, "it is relative": {"XDG_STATE_HOME=state", "HOME="},
		"it is a file": {"XDG_STATE_HOME=" + nowhere},
	} {
		bare := *s
		bare.env = append(append([]string{}, s.env...), state...)
		require.Contains(t, bare.fails(1, "sessions"), "set XDG_STATE_HOME", name)
		bare.dir = filepath.Join(t.TempDir(), "new")
		require.NoError(t, os.Mkdir(bare.dir, 0o755))
		require.Contains(t, bare.fails(1, "keys"), "set XDG_STATE_HOME", name)
		require.NoDirExists(t, bare.data(""), name)
	}
}

func TestOnlyThisUserCanReadWhatBindsAFolder(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.ok("keys")
	folders := filepath.Join(filepath.Dir(s.dir), "state", "slop", "folders")
	info, err := os.Stat(folders)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	for name := range tree(t, folders) {
		info, err := os.Stat(filepath.Join(folders, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), name)
	}
}

// hostile is what a model writes to act on the terminal.
const hostile = "x\x1b]0;owned\x07\r\u202e\n14:00:00  tool: yes by ada"

func TestWhatModelsWriteCannotActOnTheTerminal(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	plan, err := json.Marshal([]map[string]any{{"id": "T-001", "description": hostile, "target_file": "a.txt",
		"depends_on": []string{}}})
	require.NoError(t, err)
	track, err := json.Marshal([]map[string]any{{"id": "TR-1", "title": hostile, "description": hostile}})
	require.NoError(t, err)
	lines := []string{`{"tier":1,"reply":` + says(string(track)) + `}`, `{"tier":2,"reply":` + says(string(plan)) + `}`,
		`{"tier":3,"reply":` + says("BLOCKED: "+hostile) + `}`, `{"tier":3,"reply":` + says("BLOCKED: "+hostile) + `}`,
		`{"tier":3,"reply":` + says("BLOCKED: "+hostile) + `}`, `{"tier":3,"reply":` + says("BLOCKED: "+hostile) + `}`}
	got := s.slop("run", "--yes", "--script", s.script(strings.Join(lines, "\n")+"\n"), hostile)
	require.Equal(t, 1, got.status)
	for _, text := range []string{got.out, got.err} {
		require.NotContains(t, text, "\x1b")
		require.NotContains(t, text, "\a")
		require.NotContains(t, text, "\r")
		require.NotContains(t, text, "\u202e")
		require.NotContains(t, text, "\n14:00:00  tool: yes")
	}
	require.Contains(t, got.out, "goal: x<U+001B>]0;owned<U+0007>")
	require.Contains(t, got.out, "is blocked: ")
	require.Contains(t, got.err, "<U+001B>]0;owned<U+0007>")
}

func TestAnAnswerThatNobodyCountsIsSaidToBe(t *testing.T) {
	t.Parallel()
	a := ask(t)
	id := raised(t, a.log, 1).Corr
	a.run.kill()
	b := a.start("bus", "--json")
	b.sees("\n")
	var ready struct{ NATS string }
	require.NoError(t, json.Unmarshal([]byte(b.out.String()), &ready))
	said := a.fails(3, "ask", "answer", id, "yes", "--nats", ready.NATS, "--creds", a.data("keys/person-"+person+".json"))
	require.Contains(t, said, "recorded but not settled yet")
	require.Contains(t, said, "slop doctor")
}

func TestADamagedRunFileCountsAsNoEngineUnlessOneRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	s.ok("run", "--yes", "--script", s.script(twoEdits), "edit")
	for _, damage := range []string{"", "{", "{}", `{"pid":0}`} {
		require.NoError(t, os.WriteFile(s.data("run.json"), []byte(damage), 0o600))
		got := s.slop("sessions")
		require.Zero(t, got.status, got.err)
		require.Contains(t, got.out, "edit")
		require.Contains(t, got.err, "run.json is damaged", damage)
		require.Contains(t, s.fails(1, "pause"), "no engine is running here")
	}
	s.serve()
	require.NoError(t, os.WriteFile(s.data("run.json"), []byte("{"), 0o600))
	require.Contains(t, s.fails(1, "ask", "list"), "an engine is using it")
}

func TestAResultThatCannotBePrintedIsAFailure(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	for _, args := range [][]string{{"version"}, {"version", "--json"}, {"tool", "call", "read_file", "--args",
		`{"path":"a.txt"}`}, {"--help"}} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip("this system has no /dev/full")
		}
		cmd := exec.Command("slop", args...)
		cmd.Dir, cmd.Env, cmd.Stdout = s.dir, s.env, full
		var exit *exec.ExitError
		require.ErrorAs(t, cmd.Run(), &exit, "%v", args)
		require.Equal(t, 1, exit.ExitCode(), "%v", args)
		require.NoError(t, full.Close())
	}
}

func TestDemoPrintsOnlyJSONWhenToldTo(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for _, line := range lines(s.ok("demo", "--yes", "--json", "--dir", filepath.Join(t.TempDir(), "sample"))) {
		require.True(t, json.Valid([]byte(line)), line)
	}
}
