package hookgw_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

// ask posts a question in the background.
func (f *fixture) ask(body string) <-chan answer {
	f.t.Helper()
	return f.background(f.request(http.MethodPost, "/api/ask", access.RightAsk, body))
}

func (f *fixture) respond(id, response string) answer {
	f.t.Helper()
	quoted, err := json.Marshal(id)
	require.NoError(f.t, err)
	return f.post("/api/ask/respond", access.RightHuman, `{"request_id":`+string(quoted)+`,"response":`+response+`}`)
}

func TestAnAskWaitsForItsAnswerAndPassesItOnVerbatim(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	for i, response := range []string{
		`{"approved":true,"note":"<b>&"}`, `true`, `false`, `null`, `"text"`, `[1,2.50,1e400]`, `{"approved":false}`,
		`12345678901234567890`, `{"a":{"b":[]}}`,
	} {
		id := fmt.Sprintf("r%d", i)
		waiting := f.ask(`{"request_id":"` + id + `","tool":"run_powershell"}`)
		f.awaitAsk(id)
		a := f.respond(id, response)
		if strings.Contains(response, "1e400") {
			require.Equal(t, http.StatusBadRequest, a.status, "a number that no double holds has no canonical form")
			response = "true"
			a = f.respond(id, response)
		}
		require.Equal(t, http.StatusOK, a.status, string(a.body))
		require.JSONEq(t, `{"status":"ok"}`, string(a.body))
		got := <-waiting
		require.Equal(t, http.StatusOK, got.status)
		var body struct {
			Status   string          `json:"status"`
			Response json.RawMessage `json:"response"`
		}
		require.NoError(t, json.Unmarshal(got.body, &body))
		require.Equal(t, "ok", body.Status)
		require.JSONEq(t, response, string(body.Response))
	}
}

func TestTheAskOnRecordSaysWhoAskedWhatAndHowLong(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.AskTimeout = 7 * time.Second })
	f.approve()
	body := `{"request_id":"r1",  "tool":"x"}`
	byAgent := f.ask(body)
	f.awaitAsk("r1")
	byPerson := f.background(f.request(http.MethodPost, "/api/ask", access.RightHuman, `{"request_id":"r2"}`))
	f.awaitAsk("r2")
	posted := f.expect("AskPosted", func(e events.Event) bool { return e.Corr == "r1" })
	require.Equal(t, "agent-hooks", posted.Actor)
	digest, err := events.CanonicalDigest(json.RawMessage(body))
	require.NoError(t, err)
	require.Equal(t, events.AskPosted{RequestID: "r1", Data: json.RawMessage(`{"request_id":"r1","tool":"x"}`),
		BodySHA256: digest, TimeoutMS: 7000}, posted.Payload)
	require.Equal(t, events.ActorGateway, f.expect("AskPosted", func(e events.Event) bool { return e.Corr == "r2" }).Actor)
	f.respond("r1", "true")
	f.respond("r2", "true")
	<-byAgent
	<-byPerson
	require.Equal(t, person, f.expect("AskAnswered", func(e events.Event) bool { return e.Corr == "r1" }).Actor)
}

func TestAnAskWithoutAnIdGetsOneAndIsDiscoveredInTheQueue(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	waiting := f.ask(`{"tool":"x"}`)
	raised := f.expect("AskRaised", func(events.Event) bool { return true })
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, raised.Corr)
	queue := f.get("/api/events", access.RightHuman).object(t)["events"].([]any)
	require.Len(t, queue, 1)
	entry := queue[0].(map[string]any)
	require.Equal(t, "ask_received", entry["type"])
	require.Equal(t, raised.Corr, entry["payload"].(map[string]any)["request_id"])
	require.Equal(t, http.StatusOK, f.respond(raised.Corr, `{"approved":true}`).status)
	require.Equal(t, http.StatusOK, (<-waiting).status)
}

func TestAPlainYesOrNoOfAnotherClientIsAResponseToo(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	for id, c := range map[string]struct {
		answered events.AskAnswered
		want     string
	}{
		"yes": {events.AskAnswered{Ask: "yes", Decision: events.Yes}, `{"approved":true}`},
		"no":  {events.AskAnswered{Ask: "no", Decision: events.No, Reason: "later"}, `{"approved":false,"reason":"later"}`},
	} {
		waiting := f.ask(`{"request_id":"` + id + `"}`)
		f.awaitAsk(id)
		f.put(person, c.answered)
		got := <-waiting
		require.Equal(t, http.StatusOK, got.status)
		require.JSONEq(t, `{"status":"ok","response":`+c.want+`}`, string(got.body))
	}
}

func TestAnExpiredAskIsGatewayTimeoutAndLaterAConflict(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	waiting := f.ask(`{"request_id":"r1"}`)
	f.awaitAsk("r1")
	fired := f.put(events.ActorTimers, events.TimerFired{Ask: "r1", Due: time.Now()})
	require.Equal(t, http.StatusGatewayTimeout, (<-waiting).status)
	again := f.post("/api/ask", access.RightAsk, `{"request_id":"r1"}`)
	requireSettledBy(t, again, events.ActorTimers, fired.Time)
	late := f.respond("r1", "true")
	requireSettledBy(t, late, events.ActorTimers, fired.Time)
	require.Empty(t, recorded[events.AskAnswered](f), "it came too late to be put on record")
}

func requireSettledBy(t *testing.T, a answer, by string, at time.Time) {
	t.Helper()
	require.Equal(t, http.StatusConflict, a.status, string(a.body))
	body := a.object(t)
	require.Equal(t, by, body["settled_by"])
	got, err := time.Parse(time.RFC3339Nano, body["settled_at"].(string))
	require.NoError(t, err)
	require.WithinDuration(t, at, got, 0)
	require.NotEmpty(t, body["error"])
	require.NotEmpty(t, body["hint"])
}

func TestAnAskThatNobodyRaisesOrSettlesEndsAtItsDeadline(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.AskTimeout, c.Limits.AskGrace = 30*time.Millisecond, 10*time.Millisecond })
	require.Equal(t, http.StatusGatewayTimeout, f.post("/api/ask", access.RightAsk, `{"request_id":"r1"}`).status,
		"nobody raised it")
	f.approve()
	require.Equal(t, http.StatusGatewayTimeout, f.post("/api/ask", access.RightAsk, `{"request_id":"r2"}`).status,
		"nobody settled it")
}

func TestTheSameBodyJoinsTheAskAndIsToldItsAnswer(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	first := f.ask(`{"request_id":"r1","x":1}`)
	f.awaitAsk("r1")
	second := f.background(f.request(http.MethodPost, "/api/ask", access.RightHuman, `{ "x":1.0, "request_id":"r1" }`))
	require.Equal(t, http.StatusConflict, f.post("/api/ask", access.RightAsk, `{"request_id":"r1","x":2}`).status)
	require.Equal(t, http.StatusOK, f.respond("r1", `"fine"`).status)
	for _, waiting := range []<-chan answer{first, second} {
		require.JSONEq(t, `{"status":"ok","response":"fine"}`, string((<-waiting).body))
	}
	require.JSONEq(t, `{"status":"ok","response":"fine"}`,
		string(f.post("/api/ask", access.RightAsk, `{"request_id":"r1","x":1}`).body), "settled, and told again")
	require.Equal(t, http.StatusConflict, f.post("/api/ask", access.RightAsk, `{"request_id":"r1","x":2}`).status)
	require.Len(t, recorded[events.AskPosted](f), 1)
}

func TestWhoJoinsAnAskHasItsDeadline(t *testing.T) {
	t.Parallel()
	clock := &settableClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	f := open(t, func(c *core.Config) {
		c.Clock, c.AskTimeout, c.Limits.AskGrace = clock.Now, time.Hour, 10*time.Millisecond
	})
	f.approve()
	first := f.ask(`{"request_id":"r1"}`)
	f.awaitRaised("r1")
	clock.advance(time.Hour)
	require.Equal(t, http.StatusGatewayTimeout, f.post("/api/ask", access.RightAsk, `{"request_id":"r1"}`).status,
		"its hour was over")
	require.Equal(t, http.StatusOK, f.respond("r1", `"late, and nothing had settled it"`).status)
	require.Equal(t, http.StatusOK, (<-first).status)
}

func TestOfTwoBodiesPostedUnderOneIdTheFirstOnTheLogCounts(t *testing.T) {
	t.Parallel()
	f := open(t)
	first := f.ask(`{"request_id":"r1","x":1}`)
	f.expect("AskPosted", func(e events.Event) bool { return e.Corr == "r1" })
	second := f.ask(`{"request_id":"r1","x":2}`)
	f.expect("AskPosted", func(e events.Event) bool { return e.Seq > 2 && e.Corr == "r1" })
	f.approve()
	require.Equal(t, http.StatusConflict, (<-second).status)
	require.Equal(t, http.StatusOK, f.respond("r1", "true").status)
	require.Equal(t, http.StatusOK, (<-first).status)
}

func TestAnIdOfAGateCannotBePostedTo(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	f.raise("g1", events.GateTool)
	require.Equal(t, http.StatusConflict, f.post("/api/ask", access.RightAsk, `{"request_id":"g1"}`).status)
	require.Empty(t, recorded[events.AskPosted](f))
}

func TestUnusableRequestIdsAreRefused(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.AskTimeout, c.Limits.AskGrace = time.Millisecond, time.Millisecond })
	for _, id := range []string{`""`, `1`, `null`, `{}`, `"a\nb"`, `"\u0000"`, `"\u202e"`, `"` + strings.Repeat("x", 129) +
		`"`} {
		require.Equal(t, http.StatusBadRequest, f.post("/api/ask", access.RightAsk, `{"request_id":`+id+`}`).status, id)
		require.Equal(t, http.StatusBadRequest, f.post("/api/ask/respond", access.RightHuman, `{"request_id":`+id+
			`,"response":true}`).status, id)
	}
	require.Equal(t, http.StatusGatewayTimeout, f.post("/api/ask", access.RightAsk, `{"request_id":"`+strings.Repeat("x",
		128)+`"}`).status)
	require.Equal(t, http.StatusBadRequest, f.post("/api/ask", access.RightAsk,
		`{"request_id":"a","request_id":"b"}`).status, "which one?")
	require.Equal(t, http.StatusBadRequest, f.post("/api/ask/respond", access.RightHuman,
		`{"request_id":"a","response":{"approved":false,"approved":true}}`).status)
	require.Empty(t, recorded[events.AskAnswered](f))
}

func TestWithoutASessionNothingIsAskedOrAnswered(t *testing.T) {
	t.Parallel()
	f := openEmpty(t)
	require.Equal(t, http.StatusServiceUnavailable, f.post("/api/ask", access.RightAsk, `{}`).status)
	require.Equal(t, http.StatusServiceUnavailable, f.post("/api/ask/respond", access.RightHuman,
		`{"request_id":"x","response":true}`).status)
	require.Equal(t, http.StatusServiceUnavailable, f.post("/api/session", access.RightHuman,
		`{"session":{"entries":[]}}`).status)
}

func TestInAClosedSessionNothingIsAskedAndItCanStillBeLookedAt(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.put(person, events.SessionClosed{Reason: "done"})
	require.Equal(t, http.StatusConflict, f.post("/api/ask", access.RightAsk, `{"request_id":"r1"}`).status,
		"it would wait for nothing")
	require.Empty(t, recorded[events.AskPosted](f))
	require.Equal(t, http.StatusOK, f.get("/api/session", access.RightRead).status)
	r, _ := f.feed("/api/stream")
	require.Equal(t, "SessionOpened", r.must().typ(t))
}

func TestWhoOnlyJoinedMayLeave(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Limits.Waiting = 2 })
	f.approve()
	first := f.ask(`{"request_id":"r1"}`)
	f.awaitAsk("r1")
	ctx, leave := context.WithCancel(t.Context())
	joined := f.background(f.request(http.MethodPost, "/api/ask", access.RightAsk, `{"request_id":"r1"}`).WithContext(ctx))
	leave()
	<-joined
	var third answer
	require.Eventually(t, func() bool { // the place becomes free
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		var err error
		third, err = f.trySend(f.request(http.MethodPost, "/api/ask", access.RightAsk, `{"request_id":"r1"}`).WithContext(
			ctx))
		return err != nil || third.status != http.StatusServiceUnavailable
	}, eventstest.Patience, time.Millisecond)
	require.Equal(t, http.StatusOK, f.respond("r1", "true").status)
	require.Equal(t, http.StatusOK, (<-first).status)
}

func TestThousandsOfAsksWaitAndEachGetsItsOwnAnswer(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	const asks = 2000
	var waiting sync.WaitGroup
	wrong := make(chan string, asks)
	for i := range asks {
		waiting.Go(func() {
			a, err := f.trySend(f.request(http.MethodPost, "/api/ask", access.RightAsk, fmt.Sprintf(`{"request_id":"r%d"}`, i)))
			if err != nil || a.status != http.StatusOK || string(a.body) != fmt.Sprintf(`{"status": "ok", "response": {"n":%d}}`,
				i) {
				wrong <- fmt.Sprint(i, err, a.status, string(a.body))
			}
		})
	}
	for i := range asks {
		f.awaitRaised(fmt.Sprintf("r%d", i))
	}
	for i := asks - 1; i >= 0; i-- {
		require.Equal(t, http.StatusOK, f.respond(fmt.Sprintf("r%d", i), fmt.Sprintf(`{"n":%d}`, i)).status)
	}
	waiting.Wait()
	close(wrong)
	for w := range wrong {
		t.Fatal(w)
	}
}
