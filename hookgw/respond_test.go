package hookgw_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

func TestAtAGateEverythingButAPlainYesIsANo(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	args := json.RawMessage(`{"path":"b.go"}`)
	for name, c := range map[string]struct {
		response string
		want     events.AskAnswered
		unclear  bool
	}{
		"true":     {`true`, events.AskAnswered{Decision: events.Yes}, false},
		"false":    {` false `, events.AskAnswered{Decision: events.No}, false},
		"approved": {`{"approved":true}`, events.AskAnswered{Decision: events.Yes}, false},
		"not approved": {`{"approved":false,"reason":"not this file"}`, events.AskAnswered{Decision: events.No,
			Reason: "not this file"}, false},
		"edited": {`{"approved":true,"args":{"path":"b.go"},"reason":"better"}`,
			events.AskAnswered{Decision: events.Yes, Args: args, Reason: "better"}, false},
		"null args":           {`{"approved":true,"args":null}`, events.AskAnswered{Decision: events.Yes}, false},
		"args without a yes":  {`{"approved":false,"args":{"path":"b.go"}}`, events.AskAnswered{Decision: events.No}, false},
		"null":                {`null`, events.AskAnswered{Decision: events.No}, true},
		"one":                 {`1`, events.AskAnswered{Decision: events.No}, true},
		"text":                {`"true"`, events.AskAnswered{Decision: events.No}, true},
		"yes":                 {`"yes"`, events.AskAnswered{Decision: events.No}, true},
		"list":                {`[true]`, events.AskAnswered{Decision: events.No}, true},
		"empty":               {`{}`, events.AskAnswered{Decision: events.No}, true},
		"text in approved":    {`{"approved":"true"}`, events.AskAnswered{Decision: events.No}, true},
		"one in approved":     {`{"approved":1}`, events.AskAnswered{Decision: events.No}, true},
		"null in approved":    {`{"approved":null}`, events.AskAnswered{Decision: events.No}, true},
		"another spelling":    {`{"Approved":true}`, events.AskAnswered{Decision: events.No}, true},
		"args only":           {`{"args":{"path":"b.go"}}`, events.AskAnswered{Decision: events.No}, true},
		"a mistyped edit":     {`{"approved":true,"argz":{"path":"b.go"}}`, events.AskAnswered{Decision: events.No}, true},
		"a mistyped rule":     {`{"approved":true,"rule":{"pattern":"*"}}`, events.AskAnswered{Decision: events.No}, true},
		"a reason of no text": {`{"approved":true,"reason":1}`, events.AskAnswered{Decision: events.No}, true},
	} {
		f.raise(name, events.GateTool)
		a := f.respond(name, c.response)
		require.Equal(t, http.StatusOK, a.status, "%s: %s", name, a.body)
		got := f.expect("AskAnswered", func(e events.Event) bool { return e.Corr == name })
		require.Equal(t, person, got.Actor)
		c.want.Ask = name
		if c.unclear {
			c.want.Reason = "the response was neither a yes nor a no"
			require.Equal(t, "no", a.object(t)["decision"], "%s: the client learns what its answer meant", name)
		} else {
			require.JSONEq(t, `{"status":"ok"}`, string(a.body), name)
		}
		require.Equal(t, c.want, got.Payload, name)
	}
}

func TestAPlainNoOfAProgramsAskIsRecordedAsANo(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	for id, want := range map[string]string{`false`: events.No, `{"approved":false,"reason":"x"}`: events.No,
		`true`: events.Yes, `{"approved":false,"more":1}`: events.Yes, `"text"`: events.Yes} {
		waiting := f.ask(`{"request_id":` + quote(t, id) + `}`)
		f.awaitAsk(id)
		require.Equal(t, http.StatusOK, f.respond(id, id).status)
		<-waiting
		got, ok := f.expect("AskSettled", func(e events.Event) bool { return e.Corr == id }).Payload.(events.AskSettled)
		require.True(t, ok)
		require.Equal(t, want, got.Outcome, id)
		require.JSONEq(t, id, string(got.Response))
	}
}

func quote(t *testing.T, s string) string {
	t.Helper()
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	return string(raw)
}

func TestAnUnknownAskIsNotFound(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	require.Equal(t, http.StatusNotFound, f.respond("nobody", "true").status)
	require.Empty(t, recorded[events.AskAnswered](f))
}

func TestASecondAnswerIsToldWhoWasFirstAndWhen(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	f.raise("g1", events.GateTool)
	first := f.put("bob", events.AskAnswered{Ask: "g1", Decision: events.No})
	f.expect("AskSettled", func(e events.Event) bool { return e.Corr == "g1" })
	requireSettledBy(t, f.respond("g1", "true"), "bob", first.Time)
}

func TestOfManyAnswersAtOnceOneCountsAndTheOthersAreToldSo(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	f.raise("g1", events.GateTool)
	const people = 20
	var all sync.WaitGroup
	got := make(chan answer, people)
	for range people {
		all.Go(func() { got <- f.respond("g1", "true") })
	}
	all.Wait()
	counts := map[int]int{}
	for range people {
		a := <-got
		counts[a.status]++
		if a.status == http.StatusConflict {
			require.Equal(t, person, a.object(t)["settled_by"])
		}
	}
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: people - 1}, counts)
	require.Len(t, recorded[events.AskSettled](f), 1)
}

func TestAnAnswerThatApprovalDoesNotTakeLeavesTheAskOpen(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	f.raise("g1", events.GateTool)
	a := f.respond("g1", `{"approved":true,"args":{"bad":true}}`)
	require.Equal(t, http.StatusUnprocessableEntity, a.status)
	require.Contains(t, a.object(t)["error"], "the edited arguments do not fit")
	require.Equal(t, http.StatusOK, f.respond("g1", `true`).status)
}

func TestAnAnswerThatNobodySettlesYetIsRecordedAndSaysSo(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Limits.SettleWait = 10 * time.Millisecond })
	f.raise("g1", events.GateTool)
	a := f.respond("g1", "true")
	require.Equal(t, http.StatusAccepted, a.status)
	require.Equal(t, "recorded", a.object(t)["status"])
	require.Len(t, recorded[events.AskAnswered](f), 1)
}

func TestAMalformedAnswerAnswersNothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	f.raise("g1", events.GateTool)
	for _, body := range []string{`{}`, `{"response":true}`, `{"request_id":"g1"}`, `{"request_id":"g1","Response":true}`,
		`{"request_id":["g1"],"response":true}`} {
		require.Equal(t, http.StatusBadRequest, f.post("/api/ask/respond", access.RightHuman, body).status, body)
	}
	require.Empty(t, recorded[events.AskAnswered](f))
	require.Len(t, f.get("/api/asks", access.RightRead).object(t)["asks"], 1)
}

func TestAnAgentCannotAnswerItself(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	waiting := f.ask(`{"request_id":"r1"}`)
	f.awaitAsk("r1")
	for _, right := range []access.Right{access.RightAsk, access.RightRead, access.RightNone} {
		status := f.post("/api/ask/respond", right, `{"request_id":"r1","response":true}`).status
		require.Contains(t, []int{http.StatusForbidden, http.StatusUnauthorized}, status)
	}
	require.Empty(t, recorded[events.AskAnswered](f))
	f.respond("r1", "false")
	<-waiting
}

func TestTheInboxShowsWhatIsOpenAndOnDemandWhatWasSettled(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	f.raise("g1", events.GateTool)
	f.raise("g2", events.GateSpawn)
	require.Equal(t, http.StatusOK, f.respond("g1", "true").status)
	ids := func(query string) []string {
		out := []string{}
		for _, a := range f.get("/api/asks"+query, access.RightRead).object(t)["asks"].([]any) {
			out = append(out, a.(map[string]any)["request_id"].(string)+" "+a.(map[string]any)["state"].(string))
		}
		return out
	}
	require.Equal(t, []string{"g2 pending"}, ids(""), "an answer that was accepted is seen at once")
	require.Equal(t, []string{"g2 pending"}, ids("?state=pending"))
	require.Equal(t, []string{"g1 settled"}, ids("?state=settled"))
	require.Equal(t, []string{"g1 settled", "g2 pending"}, ids("?state=all"))
	require.Equal(t, http.StatusBadRequest, f.get("/api/asks?state=x", access.RightRead).status)
	entry := f.get("/api/asks", access.RightRead).object(t)["asks"].([]any)[0].(map[string]any)
	require.Equal(t, "spawn", entry["gate"])
	require.Equal(t, map[string]any{"path": "a.go"}, entry["args"], "the whole payload")
}

// TestARuleWithoutPatternsIsProposedAndNotRecorded answers with a rule that nobody was shown, then with the proposal.
func TestARuleWithoutPatternsIsProposedAndNotRecorded(t *testing.T) {
	t.Parallel()
	f := open(t, withRules)
	f.approve()
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: "edit_file shop/a.go",
		Tool: "edit_file", Effect: "writes", Args: json.RawMessage(`{"path":"shop/a.go"}`)})
	for _, rule := range []string{`{}`, `{"scope":"session"}`, `{"patterns":[]}`, `{"patterns":null}`} {
		a := f.post("/api/ask/respond", access.RightHuman,
			`{"request_id":"a1","response":{"approved":true,"rule":`+rule+`}}`)
		require.Equal(t, http.StatusUnprocessableEntity, a.status, rule)
		require.Contains(t, a.object(t)["error"], `proposed: {"patterns":["shop/**"]`, rule)
	}
	require.Empty(t, recorded[events.AskAnswered](f))
	require.Empty(t, recorded[events.RuleAdded](f))
	a := f.post("/api/ask/respond", access.RightHuman,
		`{"request_id":"a1","response":{"approved":true,"rule":{"patterns":["shop/**"]}}}`)
	require.Equal(t, http.StatusOK, a.status, "%s", a.body)
	require.JSONEq(t, `{"status":"ok","rule":{"tool":"edit_file","action":"allow","args":["shop/**"],"scope":"session",`+
		`"source":"yes to a1"}}`, string(a.body))
	require.Len(t, recorded[events.RuleAdded](f), 1)
}

func TestARuleWithNoPatternsCoversEveryCallOfAToolWithoutFiles(t *testing.T) {
	t.Parallel()
	f := open(t, withRules)
	f.approve()
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: "fetch_url",
		Tool: "fetch_url", Effect: "network", Args: json.RawMessage(`{"url":"https://example.com/"}`)})
	for _, rule := range []string{`{}`, `{"patterns":["x"]}`} {
		require.Equal(t, http.StatusUnprocessableEntity, f.post("/api/ask/respond", access.RightHuman,
			`{"request_id":"a1","response":{"approved":true,"rule":`+rule+`}}`).status, rule)
	}
	require.Equal(t, http.StatusOK, f.post("/api/ask/respond", access.RightHuman,
		`{"request_id":"a1","response":{"approved":true,"rule":{"patterns":[]}}}`).status)
	require.Len(t, recorded[events.RuleAdded](f), 1)
	require.Empty(t, recorded[events.RuleAdded](f)[0].Rule.Args)
}
