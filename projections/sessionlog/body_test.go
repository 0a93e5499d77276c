package sessionlog_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections/sessionlog"
)

func TestABodyOverTheLimitHasAFileOfItsOwn(t *testing.T) {
	t.Parallel()
	for size, outside := range map[int]bool{sessionlog.MaxBody: false, sessionlog.MaxBody + 1: true} {
		s := tell(t)
		s.by("ada", opened())
		text := strings.Repeat("x", size)
		s.shell("c1", "cat", events.ToolSettled{Outcome: events.ToolDone, Text: text, Interpreter: "bash"})
		require.Equal(t, !outside, strings.Contains(s.files["toolcalls.log"], text))
		require.Equal(t, !outside, strings.Contains(s.files["comms.log"], text))
		require.Equal(t, !outside, strings.Contains(s.files["clicalls.log"], text))
		if !outside {
			continue
		}
		require.Equal(t, text, s.files["outputs/0001_result.txt"])
		file := fmt.Sprintf(`{"name":"outputs/0001_result.txt","size":%d,"sha256":%q}`, size, events.Digest([]byte(text)))
		require.Contains(t, s.files["comms.log"], `"text":"","text_file":`+file)
		require.Contains(t, s.files["clicalls.log"], `"stdout":"","output_file":`+file)
		require.Contains(t, s.files["toolcalls.log"], "A result of 16385 bytes: "+
			"[outputs/0001_result.txt](outputs/0001_result.txt)\n")
	}
}

func TestEveryKindOfLongBodyIsNamedAndKeptOnce(t *testing.T) {
	t.Parallel()
	s := tell(t)
	s.by("ada", opened())
	long := func(what string) string { return what + strings.Repeat("-", sessionlog.MaxBody) }
	raw := func(what string) json.RawMessage { return json.RawMessage(`{"a":"` + long(what) + `"}`) }
	manifest := []events.Part{{Role: "system", Text: long("prompt")}, {Role: "tool", SHA256: "cd", From: "E2",
		Size: 99_999}}
	for range 2 { // the same prompt twice has one file
		s.by(events.ActorContributor, events.ModelRequested{StreamID: "Tier 3", Ticket: "T-1", Attempt: 1, Tier: 3,
			Manifest: manifest, SHA256: "cd"})
	}
	s.by(events.ActorModels, events.ModelReplied{Request: "E2", Text: long("reply"), Calls: []events.ToolCall{
		{ID: "c1", Name: "edit_file", Args: raw("args")}}, Finish: "stop"})
	s.by(events.ActorContributor, events.ToolRequested{Call: "c1", Tool: "edit_file", Args: raw("args"), Ticket: "T-1"})
	s.by(events.ActorApproval, events.ToolDenied{Call: "c1", Tool: "edit_file", Ticket: "T-1", Reason: long("reason"),
		By: "ada"})
	s.shell("c2", long("script"), events.ToolSettled{Outcome: events.ToolFailed, Text: "STDOUT:\n", Stderr: long("stderr"),
		Data: raw("data"), Interpreter: "bash"})
	s.by(events.ActorGateway, events.HookCalled{Method: "POST", Path: "/api/ask", Status: 200, Body: raw("payload")})
	names := slices.Sorted(maps.Keys(s.files))
	require.Equal(t, []string{"apihooks.log", "clicalls.log", "comms.log", "outputs/0001_prompt.txt",
		"outputs/0002_reply.txt", "outputs/0003_args.txt",
		"outputs/0004_result.txt", "outputs/0005_stderr.txt", "outputs/0006_data.txt", "outputs/0007_payload.txt",
		"scripts/generated/20260102_030409_0001.sh", "toolcalls.log"}, names)
	for _, file := range sessionlog.Files() {
		require.Less(t, len(s.files[file]), sessionlog.MaxBody, "%s names bodies", file)
	}
	require.JSONEq(t, string(raw("args")), s.files["outputs/0003_args.txt"])
	require.Contains(t, s.files["clicalls.log"],
		`"stdin":"","stdin_file":{"name":"scripts/generated/20260102_030409_0001.sh"`)
	require.Contains(t, s.files["apihooks.log"], " - Payload: file=outputs/0007_payload.txt size=")
}

// withBlob is a stage with an outcome whose text is a blob, which is stored or not.
func withBlob(t *testing.T, stored bool) (s *stage, text, name string) {
	t.Helper()
	s, text = newStage(t), strings.Repeat("whole ", 20_000)
	ref := events.BlobRef{SHA256: events.Digest([]byte(text)), Size: int64(len(text))}
	if stored {
		_, err := s.log.Put(patient(t), []byte(text), "text/plain")
		require.NoError(t, err)
	}
	by := tell(t)
	s.add(by.event("ada", opened()))
	s.add(by.event(events.ActorContributor, events.ToolRequested{Call: "c", Tool: "read_file", Args: json.RawMessage(`{}`),
		Ticket: "T-1"}))
	s.add(by.event(events.ActorApproval, events.ToolApproved{Call: "c", Tool: "read_file", Args: json.RawMessage(`{}`),
		ArgsSHA256: "d", Generation: 1, By: "rule"}))
	s.add(by.event("worker-1", events.ToolSettled{Call: "c", Tool: "read_file", Outcome: events.ToolDone, Text: "head",
		TextBlob: &ref, ArgsSHA256: "d", Generation: 1}))
	s.add(by.event("ada", events.SessionClosed{Reason: "done"}))
	return s, text, filepath.Join(s.dir, sessionlog.Base, opened().Folder, "outputs/0001_result.txt")
}

func TestABlobStandsWholeInItsFileAndComesBack(t *testing.T) {
	t.Parallel()
	s, text, name := withBlob(t, true)
	for range 2 {
		require.NoError(t, s.writer().Rebuild(patient(t), "S1"))
		have, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, text, string(have))
		require.Equal(t, s.rendered("S1"), s.files())
		require.NoError(t, os.WriteFile(name, []byte("damaged"), 0o600))
	}
}

func TestAMissingBlobIsNamedAndFetchedLater(t *testing.T) {
	t.Parallel()
	s, text, name := withBlob(t, false)
	mark := filepath.Join(filepath.Dir(filepath.Dir(name)), ".complete")
	require.NoError(t, s.writer().Rebuild(patient(t), "S1"))
	have, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("head\n[the rest is missing: blob %s of %d bytes is not in the store]\n",
		events.Digest([]byte(text)), len(text)), string(have))
	require.NoFileExists(t, mark, "the next start tries again")
	_, err = s.log.Put(patient(t), []byte(text), "text/plain")
	require.NoError(t, err)
	require.NoError(t, s.writer().Rebuild(patient(t), "S1"))
	require.Equal(t, s.rendered("S1"), s.files())
	require.FileExists(t, mark)
}

func TestAResultsDataDoesNotRepeatItsText(t *testing.T) {
	t.Parallel()
	text := "a <b>\n\"c\""
	quoted := `"a <b>\n\"c\""`
	for data, want := range map[string]string{
		`{"path":"a","text":` + quoted + `}`:                   `{"path":"a"}`,
		`{"path":"a","text":` + quoted + `,"size":7}`:          `{"path":"a","size":7}`,
		`{"path":"a","text":"another"}`:                        `{"path":"a","text":"another"}`,
		`{"said":",\"text\":\"a \u003cb\u003e\\n\\\"c\\\"\""}`: `{"said":",\"text\":\"a \u003cb\u003e\\n\\\"c\\\"\""}`,
	} {
		s := tell(t)
		s.by("ada", opened())
		s.shell("c1", "x", events.ToolSettled{Outcome: events.ToolDone, Text: text, Data: json.RawMessage(data),
			Interpreter: "bash"})
		require.Contains(t, s.files["comms.log"], `"text":`+quoted+`,"data":`+want+`,"duration_ms"`)
	}
}
