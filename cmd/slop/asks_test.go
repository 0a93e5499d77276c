package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
)

// prompt is what the terminal shows when it waits for a line.
const prompt = "[y]es, [a]lways, [n]o REASON, [e]dit, [s]how all > "

// twoEdits is a session with two asks, one after the other.
var (
	twoEdits = onePlan(edits("a.txt", "one", "ONE"), edits("b.txt", "two", "TWO"), says("DONE: done"))
	twoFiles = map[string]string{"a.txt": "one\n", "b.txt": "two\n"}
)

// asked is a run with its first ask open.
type asked struct {
	*site
	run *running
	log *bus.Conn
}

// ask runs twoEdits up to its first ask.
func ask(t *testing.T) asked {
	t.Helper()
	s := newSite(t, twoFiles)
	s.keys()
	r := s.start("run", "--wait", "--nats-listen", "127.0.0.1:0", "--script", s.script(twoEdits), "edit")
	r.sees(prompt)
	return asked{s, r, s.connect()}
}

// answers are the four ways to say yes to an ask.
func answers() map[string]func(asked, string) {
	return map[string]func(asked, string){
		"terminal": func(a asked, _ string) { a.run.types("y") },
		"command":  func(a asked, id string) { a.ok("ask", "answer", id, "yes") },
		"gateway": func(a asked, id string) {
			status, got := a.post("/api/ask/respond", fmt.Sprintf(`{"request_id":%q,"response":true}`, id))
			require.Equal(a.t, http.StatusOK, status, "%v", got)
		},
		"publish": func(a asked, id string) { a.publish(fmt.Sprintf(`{"ask":%q,"decision":"yes"}`, id)) },
	}
}

// publish publishes one bare answer with the plain NATS client.
func (a asked) publish(body string) {
	a.t.Helper()
	e := a.engine()
	nc, refused := bustest.Stock(a.t, e.NATS, a.data("keys/person-"+person+".json"), person)
	require.NoError(a.t, nc.Publish("slop.ev.project."+e.Session+"."+person+".AskAnswered.tool", []byte(body)))
	require.NoError(a.t, nc.Flush())
	require.Empty(a.t, refused)
}

func TestAskIsAnsweredInEachOfTheFourWays(t *testing.T) {
	t.Parallel()
	for name, answer := range answers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := ask(t)
			first := raised(t, a.log, 1)
			answer(a, first.Corr)
			_, settled := fact(t, a.log, 1, anyOf[events.AskSettled])
			require.Equal(t, first.Corr, settled.Ask)
			require.Equal(t, events.Yes, settled.Outcome)
			require.Equal(t, person, settled.By)

			second := raised(t, a.log, 2)
			a.run.sees(prompt)
			answer(a, second.Corr)
			require.Zero(t, a.run.wait())
			require.Equal(t, "ONE\n", a.read("a.txt"))
			require.Equal(t, "TWO\n", a.read("b.txt"))
		})
	}
}

func TestAYesFromNowOnAnswersWhatComesLater(t *testing.T) {
	t.Parallel()
	a := ask(t)
	a.run.types("a")
	a.run.warns("from now on, for this session: edit_file: a.txt")
	a.run.sees(prompt)
	a.run.types("a session b.txt")
	a.run.warns("this rule does not settle the question")
	a.run.sees(prompt)
	a.run.types("a session *.txt")
	a.run.warns("from now on, for this session: edit_file: *.txt")
	a.run.sees(prompt)
	a.run.types("a")
	require.Zero(t, a.run.wait())
	require.Equal(t, "ONE\n", a.read("a.txt"))
	require.Equal(t, "TWO\n", a.read("b.txt"))
}

func TestEveryLaterAnswerIsToldByWhomAndWhen(t *testing.T) {
	t.Parallel()
	a := ask(t)
	id := raised(t, a.log, 1).Corr
	a.publish(fmt.Sprintf(`{"ask":%q,"decision":"yes"}`, id))
	_, settled := fact(t, a.log, 1, anyOf[events.AskSettled])
	raised(t, a.log, 2)

	status, got := a.post("/api/ask/respond", fmt.Sprintf(`{"request_id":%q,"response":false}`, id))
	require.Equal(t, http.StatusConflict, status)
	require.Equal(t, person, got["settled_by"])
	require.Equal(t, settled.At.Format(time.RFC3339Nano), got["settled_at"])
	require.Equal(t, events.Yes, got["outcome"])

	said := a.fails(1, "ask", "answer", id, "no")
	require.Contains(t, said, "is already settled: yes by "+person+" at "+settled.At.Local().Format("15:04:05"))

	a.publish(fmt.Sprintf(`{"ask":%q,"decision":"no"}`, id))
	_, refused := fact(t, a.log, 1, anyOf[events.AnswerRefused])
	require.Equal(t, id, refused.Ask)
	require.Equal(t, person, refused.Author)
	require.Equal(t, person, refused.SettledBy)
	require.True(t, settled.At.Equal(*refused.SettledAt))

	a.run.types("n too late")
	a.run.warns("the question is already settled: yes by " + person + " at " + settled.At.Local().Format("15:04:05"))
	require.Equal(t, "ONE\n", a.read("a.txt"))
	a.run.sees("edit_file b.txt")
	a.run.sees(prompt)
	a.run.types("y")
	require.Zero(t, a.run.wait())
	require.Equal(t, "TWO\n", a.read("b.txt"))
}

func TestNoWithAReasonReachesTheModelAndAnEditIsWhatRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	model := onePlan(edits("b.txt", "two", "TWO"), when("the other file", edits("a.txt", "one", "uno")),
		when("+ONE", says("DONE: done")))
	r := s.start("run", "--script", s.script(model), "edit")
	r.sees("edit_file b.txt")
	r.sees("-two")
	r.sees("+TWO")
	r.sees(prompt)
	r.types("n the other file")
	r.sees("edit_file a.txt")
	r.sees(prompt)
	r.types("nonsense")
	r.warns("type y, a, n REASON, e, e json, e {JSON} or s")
	r.sees(prompt)
	r.types(`e {"path":"a.txt","old_string":"one"}`)
	r.sees("was not accepted: the edited arguments do not fit")
	r.sees(prompt)
	r.types(`e {"path":"missing.txt","old_string":"one","new_string":"ONE"}`)
	r.sees("was not accepted: the edited arguments do not fit: ")
	r.sees(prompt)
	r.types(`e {"path":"a.txt","old_string":"one","new_string":"ONE"}`)
	require.Zero(t, r.wait())
	require.Equal(t, "ONE\n", s.read("a.txt"))
	require.Equal(t, "two\n", s.read("b.txt"))

	approved := only[events.ToolApproved](historyOf(t, s.dir))
	require.Len(t, approved, 1)
	digest, err := events.CanonicalDigest(json.RawMessage(`{"new_string":"ONE","old_string":"one","path":"a.txt"}`))
	require.NoError(t, err)
	require.Equal(t, digest, approved[0].ArgsSHA256)
	require.True(t, approved[0].Edited)
	require.Equal(t, person, approved[0].By)
}

// only is the payloads of one type, in order.
func only[P events.Payload](log []events.Event) []P {
	var out []P
	for _, e := range log {
		if p, ok := e.Payload.(P); ok {
			out = append(out, p)
		}
	}
	return out
}

func TestAnswersThatDoNotCountLeaveTheAskOpen(t *testing.T) {
	t.Parallel()
	a := ask(t)
	id := raised(t, a.log, 1).Corr
	for i, bad := range []struct{ body, reason string }{
		{`{"ask":"` + id + `","decision":"maybe"}`, `decision is neither "yes" nor "no"`},
		{`{"ask":"` + id + `","decision":"YES"}`, `decision is neither "yes" nor "no"`},
		{`{"ask":"none","decision":"yes"}`, "no such ask"},
		{`{"ask":"` + id + `","decision":"yes","args":{"path":"a.txt"}}`, "do not fit"},
		{`{"ask":"` + id + `","decision":"no","args":{"path":"a.txt"}}`, "args come only with yes"},
		{`{"ask":"` + id + `","decision":"yes","response":1}`, "response is for asks of /api/ask only"},
		{`yes`, "cannot be read"},
		{`{"decision":"yes"}`, "cannot be read"},
		{``, "cannot be read"},
	} {
		a.publish(bad.body)
		_, refused := fact(t, a.log, i+1, anyOf[events.AnswerRefused])
		require.Contains(t, refused.Reason, bad.reason, bad.body)
		require.Empty(t, refused.SettledBy, bad.body)
	}
	status, got := a.post("/api/ask/respond",
		fmt.Sprintf(`{"request_id":%q,"response":{"approved":true,"args":{"path":7}}}`, id))
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, got["error"], "do not fit")
	edit := func(path, old string) string {
		return fmt.Sprintf(`{"path":%q,"old_string":%q,"new_string":"x"}`, path, old)
	}
	for _, args := range []string{edit("../out.txt", "one"), edit(".env", "one"), edit("missing.txt", "one"),
		edit("a.txt", "not there")} {
		status, got = a.post("/api/ask/respond",
			fmt.Sprintf(`{"request_id":%q,"response":{"approved":true,"args":%s}}`, id, args))
		require.Equal(t, http.StatusUnprocessableEntity, status, args)
		require.Contains(t, got["error"], "the edited arguments do not fit: ", args)
		file := filepath.Join(t.TempDir(), "args.json")
		require.NoError(t, os.WriteFile(file, []byte(args), 0o600))
		require.Contains(t, a.fails(1, "ask", "answer", id, "yes", "--edit", file), "the edited arguments do not fit: ")
	}
	status, _ = a.post("/api/ask/respond", `{"request_id":"none","response":true}`)
	require.Equal(t, http.StatusNotFound, status)
	require.Equal(t, "one\n", a.read("a.txt"))

	a.publish(fmt.Sprintf(`{"ask":%q,"decision":"yes"}`, id))
	_, settled := fact(t, a.log, 1, anyOf[events.AskSettled])
	require.Equal(t, events.Yes, settled.Outcome)
}

func TestForgedAnswersAndApprovalsAreRefusedByTheServer(t *testing.T) {
	t.Parallel()
	a := ask(t)
	id := raised(t, a.log, 1).Corr
	e := a.engine()
	yes := fmt.Appendf(nil, `{"ask":%q,"decision":"yes"}`, id)
	before, err := a.log.Last(t.Context(), events.Filter{})
	require.NoError(t, err)
	worker := bus.WorkerName(host(t), 1)
	for _, forgery := range []struct{ file, actor, subject string }{
		{"person-ada", "ada", "bob.AskAnswered.tool"},
		{"person-ada", "ada", "approval.AskSettled.tool"},
		{"person-ada", "ada", "approval.ToolApproved.edit_file"},
		{"reader", "reader", "ada.AskAnswered.tool"},
		{"live", "live", "ada.AskAnswered.tool"},
		{"worker", worker, "ada.AskAnswered.tool"},
		{"worker", worker, worker + ".AskAnswered.tool"},
		{"worker", worker, "approval.ToolApproved.edit_file"},
		{"gateway", "agent-hooks", "agent-hooks.AskAnswered.tool"},
		{"orchestrator", "contributor", "approval.ToolApproved.edit_file"},
		{"orchestrator", "models", "ada.AskAnswered.tool"},
	} {
		nc, refused := bustest.Stock(t, e.NATS, a.data("keys/"+forgery.file+".json"), forgery.actor)
		require.NoError(t, nc.Publish("slop.ev.project."+e.Session+"."+forgery.subject, yes))
		require.NoError(t, nc.Flush())
		select {
		case err := <-refused:
			require.ErrorContains(t, err, "ermissions", "%v", forgery)
		case <-time.After(patience):
			t.Fatalf("nobody refused %v", forgery)
		}
	}
	after, err := a.log.Last(t.Context(), events.Filter{})
	require.NoError(t, err)
	require.Equal(t, before, after, "nothing of it is on record")
	require.Equal(t, "one\n", a.read("a.txt"))
}

func TestAskOutlivesAKilledEngine(t *testing.T) {
	t.Parallel()
	a := ask(t)
	before := raised(t, a.log, 1)
	a.run.kill()

	// Another engine on the same folder, at first without anybody who answers.
	r, log := a.serve("--script", a.script(twoEdits))
	require.Equal(t, before.ID, raised(t, log, 1).ID)
	var open struct {
		Asks []struct {
			ID string `json:"request_id"`
		}
	}
	require.NoError(t, json.Unmarshal(a.get("/api/asks"), &open))
	require.Len(t, open.Asks, 1)
	require.Equal(t, before.Corr, open.Asks[0].ID)
	r.kill()

	again := a.start("run", "--resume", "--script", a.script(twoEdits))
	again.sees(before.Corr)
	again.sees(prompt)
	again.types("y")
	again.sees("edit_file b.txt")
	again.sees(prompt)
	again.types("y")
	require.Zero(t, again.wait())
	require.Equal(t, "ONE\n", a.read("a.txt"))
	require.Equal(t, "TWO\n", a.read("b.txt"))
	log2 := historyOf(t, a.dir)
	require.Len(t, only[events.AskRaised](log2), 2)
	requireVerified(t, log2)
	requireNoWriteTwice(t, log2)
}

// host is this machine's name as it stands in the names of workers.
func host(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname()
	require.NoError(t, err)
	return name
}
