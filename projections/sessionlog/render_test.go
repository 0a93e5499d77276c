package sessionlog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections/sessiongen"
	"manualslop/projections/sessionlog"
)

func TestEveryFileExistsOnceTheSessionIsOpen(t *testing.T) {
	t.Parallel()
	s := tell(t)
	s.by("ada", events.GoalSubmitted{Goal: "too early"})
	require.Empty(t, s.files)
	s.by("ada", opened())
	require.Equal(t, map[string]string{
		"comms.log": "", "apihooks.log": "", "clicalls.log": "",
		"toolcalls.log": "# Tool calls of session 20260102_030405_demo\n\n",
	}, s.files)
	s.by("ada", events.SessionOpened{Folder: "another"})
	require.Equal(t, "20260102_030405_demo", s.renderer.Folder(), "a session is opened once")
}

func TestCommsHasALineForEachExchangeWithAModel(t *testing.T) {
	t.Parallel()
	s := tell(t)
	s.by("ada", opened())
	request := s.by(events.ActorContributor, events.ModelRequested{StreamID: "Tier 3 (Worker): T-1", Ticket: "T-1",
		Attempt: 1, Round: 1, Tier: 3, Provider: "script",
		Model: "m", Manifest: []events.Part{{Role: "system", Text: "You <are>"}}, SHA256: "cd"})
	s.by(events.ActorModels, events.ModelFailed{Request: request, Kind: events.ModelNetwork, Message: "gone"})
	s.by(events.ActorModels, events.ModelReplied{Request: request, Text: "too late", Finish: "stop"})
	request = s.by(events.ActorContributor, events.ModelRequested{StreamID: "Tier 3 (Worker): T-1", Ticket: "T-1",
		Attempt: 2, Round: 1, Tier: 3, Provider: "script", Model: "m", SHA256: "cd"})
	s.by(events.ActorModels, events.ModelReplied{Request: request, Text: "ok", Finish: "stop",
		Usage: events.Usage{Input: 3, Output: 1}, DurationMS: 5})
	lines := strings.Split(strings.TrimSuffix(s.files["comms.log"], "\n"), "\n")
	require.Len(t, lines, 4)
	head := `"provider":"script","model":"m","source_tier":"Tier 3","stream_id":"Tier 3 (Worker): T-1","ticket":"T-1"`
	require.Equal(t, `{"ts":"2026-01-02T03:04:02.250Z","timestamp":"2026-01-02T03:04:02.250Z","id":"E2","direction":"OUT","kind":"request","type":"request",`+head+
		`,"payload":{"attempt":1,"round":1,"params":{},"manifest":[{"role":"system","text":"You <are>"}],"sha256":"cd"}}`,
		lines[0])
	require.Equal(t, `{"ts":"2026-01-02T03:04:03.250Z","timestamp":"2026-01-02T03:04:03.250Z","id":"E3","direction":"IN","kind":"error","type":"error",`+head+
		`,"payload":{"request":"E2","kind":"network","message":"gone"}}`, lines[1])
	require.Equal(t, `{"ts":"2026-01-02T03:04:06.250Z","timestamp":"2026-01-02T03:04:06.250Z","id":"E6","direction":"IN","kind":"response","type":"response",`+head+
		`,"payload":{"request":"E5","text":"ok","finish":"stop","usage":{"input":3,"output":1},"duration_ms":5}}`, lines[3])
}

func TestAScriptIsKeptAndItsRunRecorded(t *testing.T) {
	t.Parallel()
	s := tell(t)
	s.by("ada", opened())
	exit := 1
	script := "echo \"hi\"\n# <tag> `x`"
	s.shell("c1", script, events.ToolSettled{Outcome: events.ToolFailed, Text: "STDOUT:\nhi\n```\nSTDERR:\nboom\nEXIT " +
		"CODE: 1", Exit: &exit, Stderr: "boom", Interpreter: "bash", DurationMS: 1500})
	s.by("worker-2", events.ToolSettled{Call: "c1", Tool: "run_powershell", Outcome: events.ToolDone, Text: "twice",
		ArgsSHA256: "d", Generation: 1})
	s.shell("c2", "dir", events.ToolSettled{Outcome: events.ToolDone, Text: "STDOUT:\n\nSTDERR:\n\nEXIT CODE: 0",
		Interpreter: "C:/Program Files/pwsh.exe"})
	require.Equal(t, script, s.files["scripts/generated/20260102_030404_0001.sh"])
	require.Equal(t, "dir", s.files["scripts/generated/20260102_030408_0002.ps1"])
	cli := strings.Split(s.files["clicalls.log"], "\n")
	require.JSONEq(t, `{"ts":"2026-01-02T03:04:04.250Z","timestamp":"2026-01-02T03:04:04.250Z","id":"E4","call":"c1","command":"bash","stdin":"echo \"hi\"\n# <tag> `+"`x`"+`","stdout":"hi\n`+"```"+`",
		"stderr":"boom","exit_code":1,"outcome":"failed","latency":1.5}`, cli[0])
	require.Contains(t, cli[1], `"stdout":""`)
	record := s.files["toolcalls.log"]
	require.Contains(t, record, strings.Join([]string{
		"## Call 1: `run_powershell`", "",
		"- time: 2026-01-02T03:04:04.250Z", "- call: c1", "- tier: Tier 3", "- ticket: T-1, attempt 1, round 2",
		"- approved by: ada",
		"- outcome: failed, exit code 1, 1500 ms",
		"- script: [scripts/generated/20260102_030404_0001.sh](scripts/generated/20260102_030404_0001.sh)", "",
		"### Result", "", "````", "STDOUT:", "hi", "```", "STDERR:", "boom", "EXIT CODE: 1", "````", "", "---", "",
	}, "\n"))
	require.NotContains(t, record, "twice")
}

func TestARunIsLoggedWithItsRawOutputs(t *testing.T) {
	t.Parallel()
	s := tell(t)
	s.by("ada", opened())
	ran := func(call, text, data string) string {
		t.Helper()
		before := len(s.files["clicalls.log"])
		s.shell(call, "make", events.ToolSettled{Outcome: events.ToolFailed, Text: text, Data: json.RawMessage(data),
			Stderr: "oh", Interpreter: "bash"})
		return s.files["clicalls.log"][before:]
	}
	const answer = "INTERPRETER: bash (PowerShell is not installed)\nSTDOUT:\nhi\nSTDERR:\noh\nEXIT CODE: 1"
	require.Contains(t, ran("c1", answer, `{"interpreter":"bash","stdout":"hi\n\n","stderr":"oh\n"}`),
		`"stdin":"make","stdout":"hi\n\n","stderr":"oh\n"`)
	require.Contains(t, ran("c2", answer, ``), `"stdin":"make","stdout":"hi","stderr":"oh"`)
	require.Contains(t, ran("c3", answer, `{"stdout":"h","stderr":"o","artifacts":[`+
		`{"name":"stdout","sha256":"ab","size":70000},{"name":"stderr","sha256":"cd","size":9}]}`),
		`"stdin":"make","stdout":"","output_file":{"name":"outputs/0001_stdout.txt","size":70000,"sha256":"ab"},`+
			`"stderr":"","stderr_file":{"name":"outputs/0002_stderr.txt","size":9,"sha256":"cd"}`)
}

func TestTheAnalysisOfAFailedScriptFollowsItsRecord(t *testing.T) {
	t.Parallel()
	s := tell(t)
	s.by("ada", opened())
	fails := func(call string) {
		s.shell(call, "make", events.ToolSettled{Outcome: events.ToolFailed, Text: "STDOUT:\n", Interpreter: "bash"})
	}
	fails("c1")
	fails("c2")
	s.by(events.ActorQA, events.HintSkipped{Call: "c2", Reason: "the model failed"})
	s.by(events.ActorQA, events.HintGiven{Call: "c1", Hint: "missing `import`\nin a.go"})
	record := s.files["toolcalls.log"]
	require.True(t, strings.HasSuffix(record, "\n## Call 1: QA analysis\n\n- time: 2026-01-02T03:04:09.250Z\n- call: c1\n"+
		"- tier: Tier 4\n\n```\nQA ANALYSIS:\nmissing `import`\nin a.go\n```\n\n---\n\n"), record)
	s.by(events.ActorQA, events.HintGiven{Call: "c1", Hint: "twice"})
	s.by(events.ActorQA, events.HintGiven{Call: "c2", Hint: "after it was skipped"})
	require.Equal(t, record, s.files["toolcalls.log"])
}

func TestOtherCallsAreRecordedWithTheirArguments(t *testing.T) {
	t.Parallel()
	s := tell(t)
	s.by("ada", opened())
	s.by(events.ActorContributor, events.ToolRequested{Call: "c1", Tool: "edit_file",
		Args: json.RawMessage(`{"path":"a.go"}`), Ticket: "T-1"})
	s.by(events.ActorApproval, events.ToolDenied{Call: "c1", Tool: "edit_file", Ticket: "T-1", Reason: "not\x1b[2J this",
		By: "ada"})
	s.by(events.ActorContributor, events.ToolRequested{Call: "c2", Tool: "x`\ny", Args: json.RawMessage(`{"path":"b.go"}`),
		Ticket: "T-1"})
	s.by(events.ActorApproval, events.ToolApproved{Call: "c2", Tool: "x`\ny", Args: json.RawMessage(`{"path":"c.go"}`),
		ArgsSHA256: "d", Generation: 1, By: "rule", Rule: "config.toml:3", Edited: true})
	s.by("worker-1", events.ToolParked{Call: "c2", Deliveries: 20, Reason: "delivered 20 times"})
	s.by(events.ActorApproval, events.InterruptResolved{Call: "c2", Resolution: events.InterruptFail, By: "ada",
		Reason: "unsure"})
	record := s.files["toolcalls.log"]
	require.Contains(t, record, "- outcome: denied by ada\n\n### Arguments\n\n```json\n{\"path\":\"a.go\"}\n```\n\n### "+
		"Result\n\n```\nnot\uFFFD[2J this\n```\n")
	require.Contains(t, record, "## Call 2: `x' y`\n")
	require.Contains(t, record, "- approved by: rule (config.toml:3), arguments edited\n- outcome: given up after 20 "+
		"deliveries\n\n### Arguments\n\n```json\n{\"path\":\"c.go\"}\n")
	require.Contains(t, record, "## Call 3: ")
	require.Contains(t, s.files["comms.log"],
		`"kind":"tool_result","type":"tool_result","source_tier":"Tier 3","ticket":"T-1","payload":{"call":"c1","tool":"edit_file","outcome":"denied"`)
	require.Empty(t, s.files["clicalls.log"])
}

func TestARequestToTheGatewayStaysOnItsLine(t *testing.T) {
	t.Parallel()
	s := tell(t)
	s.by("ada", opened())
	s.by(events.ActorGateway, events.HookCalled{Method: "POST", Path: "/api/ask", Body: json.RawMessage(`{"a": "b"}`),
		Status: 200, Client: "c1"})
	s.by(events.ActorGateway, events.HookCalled{Method: "GET", Path: "/x\n[forged] POST /y", Status: 403,
		Reason: "no\ntoken"})
	require.Equal(t, "[2026-01-02T03:04:02.250Z] POST /api/ask 200 client=c1 - Payload: {\"a\":\"b\"}\n"+
		"[2026-01-02T03:04:03.250Z] GET /x [forged] POST /y 403 reason=\"no\\ntoken\"\n", s.files["apihooks.log"])
}

func TestJSONLogsAreOneValidObjectALine(t *testing.T) {
	t.Parallel()
	r := sessionlog.NewRenderer()
	registry := events.Catalogue()
	files := map[string]string{}
	for _, e := range sessiongen.GenerateSession(3, 400) {
		e.Payload = nil
		registry.Decode(&e)
		for _, piece := range r.Lines(&e) {
			files[piece.File] += string(piece.Bytes)
		}
	}
	for _, name := range []string{sessionlog.Comms, sessionlog.CLICalls} {
		lines := strings.Split(strings.TrimSuffix(files[name], "\n"), "\n")
		require.Greater(t, len(lines), 5)
		for _, line := range lines {
			var v map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &v))
			require.Contains(t, v, "ts")
		}
	}
}
