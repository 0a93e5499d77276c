package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/replay"
)

// TestTwoProgramsWorkOnEachOthersSessions builds a second program from this
// working tree, newer in a prompt, a decider and an event. Each of the two then
// replays and goes on with what the other recorded, or refuses it by name.
func TestTwoProgramsWorkOnEachOthersSessions(t *testing.T) {
	t.Parallel()
	watched(t)
	folder := t.TempDir()
	list := overlay(t, folder)
	newer, tests := filepath.Join(folder, "slop-newer"), filepath.Join(folder, "replay.test")
	build(t, list, newer, "build", "./cmd/slop")
	build(t, list, tests, "test", "-c", "./replay")
	for name, test := range map[string]func(t *testing.T, newer, tests string){
		"the newer one verifies every history":                  newerVerifiesHistories,
		"the older one refuses the newer one's by name":         olderRefusesHistories,
		"the newer one ends what the older one began":           newerEndsOlder,
		"the older one stalls where the newer one went on":      olderStallsBehindNewer,
		"an upgraded session takes the new decisions":           upgraded,
		"an upgrade at resuming takes the new decisions":        upgradedAtResume,
		"the older one stalls on the newer one's session alone": olderStalls,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newer, tests)
		})
	}
}

// newerVerifiesHistories replays the histories of this program and of every release.
func newerVerifiesHistories(t *testing.T, _, tests string) {
	runReplayTests(t, tests, filepath.Join("..", "..", "replay"),
		"^(TestEveryHistoryOfEveryReleaseIsReplayed|TestRecordedHistoriesStillVerify)$")
}

// olderRefusesHistories has the newer program record every history anew.
func olderRefusesHistories(t *testing.T, _, tests string) {
	folder := t.TempDir()
	runReplayTests(t, tests, folder, "^TestRecordedHistoriesStillVerify$", "-update")
	files, err := filepath.Glob(filepath.Join(folder, "testdata", "histories", "unreleased", "good", "*.jsonl"))
	require.NoError(t, err)
	require.Greater(t, len(files), 15)
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := replay.Import(t.Context(), bytes.NewReader(b))
		require.NoError(t, err, name)
		_, err = replay.Verify(file.Events, replay.Deciders()...)
		var d *replay.Divergence
		require.ErrorAs(t, err, &d, name)
		require.Equal(t, replay.CodeNewer, d.Code, name)
		require.Contains(t, d.Detail, "needs slop with contributor decisions 4", name)
		require.Contains(t, d.Detail, "this program knows up to 3", name)
	}
}

func runReplayTests(t *testing.T, tests, folder, which string, more ...string) {
	t.Helper()
	cmd := exec.Command(tests, append([]string{"-test.run", which}, more...)...)
	cmd.Dir = folder
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.NotContains(t, string(said), "no tests to run")
}

// askedScript is a session that waits for a person in the middle of its ticket.
const askedScript = `{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"title\":\"One\",\"description\":\"Do it\"}]"}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-001\",\"description\":\"Edit a.txt\",\"target_file\":\"a.txt\",\"depends_on\":[]}]"}}
{"tier":3,"reply":{"text":"I read.","tool_calls":[{"name":"read_file","args":{"path":"a.txt"}}]}}
{"tier":3,"reply":{"text":"I edit.","tool_calls":[{"name":"edit_file","args":{"path":"a.txt","old_string":"one","new_string":"ONE"}}]}}
{"tier":3,"reply":{"text":"DONE: done"}}
`

// begunBy is a site on which a program was killed in the middle of a session,
// and the arguments with which another one goes on.
func begunBy(t *testing.T, program string) (s *site, resume []string) {
	t.Helper()
	s = newSite(t, map[string]string{"a.txt": "one\n"})
	script := s.script(askedScript)
	r := s.under(program).start("run", "--wait", "--script", script, "edit it")
	r.sees("edit_file a.txt")
	r.kill()
	return s, []string{"run", "--resume", "--yes", "--script", script}
}

// recorded is the newest session as a program exports it, and the file.
func recorded(t *testing.T, s *site, session string) ([]events.Event, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "session.jsonl")
	s.ok("export", session, "-o", file)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	back, err := replay.Import(t.Context(), bytes.NewReader(b))
	require.NoError(t, err)
	return back.Events, file
}

// saidOf are, of every request of tier 3, the digest of its prompt's beginning
// and its note.
func saidOf(past []events.Event) (prompts, notes []string) {
	whole := events.Prompts[events.Part]{}
	for _, e := range past {
		p, ok := e.Payload.(events.ModelRequested)
		if !ok || p.Tier != 3 {
			continue
		}
		if parts, err := whole.Take(e.ID, &p, events.Same); err == nil {
			prompts, notes = append(prompts, parts[0].SHA256), append(notes, p.Note)
		}
	}
	return prompts, notes
}

func newerEndsOlder(t *testing.T, newer, _ string) {
	s, resume := begunBy(t, "")
	require.Contains(t, s.under(newer).ok(resume...), "T-001 is completed")
	require.Equal(t, "ONE\n", s.read("a.txt"))
	past, file := recorded(t, s.under(newer), "")
	prompts, notes := saidOf(past)
	require.Len(t, prompts, 3)
	require.Len(t, slices.Compact(prompts), 1, "the old text in every prompt")
	require.Equal(t, []string{""}, slices.Compact(notes), "the old decision in every request")
	s.under(newer).ok("replay", file, "--verify")
	told := s.slop("replay", file, "--verify") // the newer one wrote the newer event into it
	require.Equal(t, 4, told.status)
	require.Contains(t, told.out, "needs slop that reads version 2 of RefreshRequested")
	require.Contains(t, told.out, "this program knows up to 1")
}

// olderStallsBehindNewer goes on where the newer one wrote a newer event into a
// session with the old decisions, and did not end it.
func olderStallsBehindNewer(t *testing.T, newer, _ string) {
	s, resume := begunBy(t, "")
	two := strings.Replace(askedScript, `{"tier":3,"reply":{"text":"DONE: done"}}`,
		`{"tier":3,"reply":{"text":"I ask.","tool_calls":[{"name":"run_powershell","args":{"script":"true"}}]}}`+"\n"+
			`{"tier":3,"reply":{"text":"DONE: done"}}`, 1)
	script := s.script(two)
	r := s.under(newer).start("run", "--resume", "--wait", "--script", script)
	r.sees("edit_file a.txt")
	r.types("y")
	r.sees("run_powershell")
	r.kill()
	told := s.fails(1, resume...)
	require.Contains(t, told, "needs slop that reads version 2 of RefreshRequested")
	require.NotContains(t, told, "differs")
	require.Contains(t, s.under(newer).ok(resume...), "T-001 is completed")
	past, file := recorded(t, s.under(newer), "")
	_, notes := saidOf(past)
	require.Equal(t, []string{""}, slices.Compact(notes))
	s.under(newer).ok("replay", file, "--verify")
}

func upgraded(t *testing.T, newer, _ string) {
	s, resume := begunBy(t, "")
	require.Contains(t, s.ok("sessions", "upgrade"), "already uses these prompts and decisions")
	require.Contains(t, s.under(newer).ok("sessions", "upgrade"), "now uses")
	require.Contains(t, s.under(newer).ok("sessions", "upgrade"), "already")
	require.Contains(t, s.fails(1, "sessions", "upgrade"), "needs slop with contributor decisions 4")
	endsUpgraded(t, s.under(newer), resume)
}

func upgradedAtResume(t *testing.T, newer, _ string) {
	s, resume := begunBy(t, "")
	require.Contains(t, s.under(newer).fails(3, "run", "--resume", "--script", resume[len(resume)-1]),
		"with --resume --upgrade")
	endsUpgraded(t, s.under(newer), append(resume, "--upgrade"))
}

// endsUpgraded checks that a session goes on with the new text and decision from
// the next request on, and that every part of it verifies.
func endsUpgraded(t *testing.T, s *site, resume []string) {
	t.Helper()
	s.ok(resume...)
	past, file := recorded(t, s, "")
	prompts, notes := saidOf(past)
	require.Len(t, prompts, 3)
	require.Equal(t, prompts[0], prompts[1])
	require.NotEqual(t, prompts[1], prompts[2])
	require.Equal(t, []string{"", "", "decided anew"}, notes)
	s.ok("replay", file, "--verify")
}

func olderStalls(t *testing.T, newer, _ string) {
	s, resume := begunBy(t, newer)
	ids, _ := s.listed()
	first := ids[0]
	told := s.fails(1, resume...)
	require.Contains(t, told, "session "+first+" is stalled")
	require.Contains(t, told, "needs slop with contributor decisions 4")
	require.Contains(t, told, "this program knows up to 3")
	require.Equal(t, "one\n", s.read("a.txt"))
	require.Contains(t, s.ok("sessions"), "stalled")

	s.script(strings.Replace(askedScript, "a.txt", "b.txt", -1))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "b.txt"), []byte("one\n"), 0o600))
	require.Contains(t, s.ok("run", "--yes", "--script", resume[len(resume)-1], "edit another"), "T-001 is completed")
	require.Equal(t, "ONE\n", s.read("b.txt"))

	s.script(askedScript)
	require.Contains(t, s.under(newer).ok(resume...), "T-001 is completed")
	require.Equal(t, "ONE\n", s.read("a.txt"))
	past, file := recorded(t, s.under(newer), first)
	require.True(t, slices.ContainsFunc(past, func(e events.Event) bool { return e.Type == "SessionResumed" }))
	s.under(newer).ok("replay", file, "--verify")
	require.NotContains(t, s.ok("sessions"), "stalled")
}
