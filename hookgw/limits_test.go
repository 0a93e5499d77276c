package hookgw_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
)

func limited(set func(*request.Limits)) func(*core.Config) {
	return func(c *core.Config) { set(&c.Limits) }
}

// sessionOf is a body of POST /api/session of exactly size bytes.
func sessionOf(size int) string {
	head, tail := `{"session":{"entries":["`, `"]}}`
	return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
}

func TestABodyOverItsLimitIsRefused(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.SessionBody, l.Body = 2000, 1000 }))
	require.Equal(t, http.StatusOK, f.post("/api/session", access.RightHuman, sessionOf(2000)).status)
	require.Equal(t, http.StatusRequestEntityTooLarge, f.post("/api/session", access.RightHuman, sessionOf(2001)).status)

	unannounced := f.request(http.MethodPost, "/api/session", access.RightHuman, sessionOf(2001))
	unannounced.ContentLength = -1
	require.Equal(t, http.StatusRequestEntityTooLarge, f.send(unannounced).status)

	small := func(size int) string { return fmt.Sprintf(`{"request_id":"","x":"%s"}`, strings.Repeat("x", size-24)) }
	require.Len(t, small(1000), 1000)
	require.Equal(t, http.StatusBadRequest, f.post("/api/ask", access.RightAsk, small(1000)).status)
	require.Equal(t, http.StatusRequestEntityTooLarge, f.post("/api/ask", access.RightAsk, small(1001)).status)
	require.Len(t, recorded[events.DiscussionChanged](f), 1)
}

func TestTheDefaultLimitsOfBodiesAreTheDesignedOnes(t *testing.T) {
	t.Parallel()
	f := open(t)
	announce := func(path string, size int) int {
		return f.raw(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\n\r\n",
			path, strings.TrimPrefix(f.gw.URL(), "http://"), f.token(access.RightHuman), size))
	}
	for path, limit := range map[string]int{"/api/ask": 1 << 20, "/api/ask/respond": 1 << 20, "/api/session": 10 << 20} {
		require.Equal(t, http.StatusBadRequest, f.post(path, access.RightHuman, strings.Repeat(" ", limit)).status, path)
		require.Equal(t, http.StatusRequestEntityTooLarge, announce(path, limit+1), path)
	}
}

func TestAPathThatTakesNoBodyRefusesOne(t *testing.T) {
	t.Parallel()
	f := open(t)
	req := f.request(http.MethodGet, "/api/session", access.RightRead, "{}")
	require.Equal(t, http.StatusRequestEntityTooLarge, f.send(req).status)
	req = f.request(http.MethodGet, "/api/session", access.RightRead, "{}")
	req.Header.Set("Content-Type", "text/plain")
	require.Equal(t, http.StatusUnsupportedMediaType, f.send(req).status)
}

func TestABodyNestedOverTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	f := open(t)
	nested := func(depth int) string { // the whole body, "session", the entries, and lists in them
		return `{"session":{"entries":` + strings.Repeat("[", depth-2) + strings.Repeat("]", depth-2) + `}}`
	}
	require.Equal(t, http.StatusOK, f.post("/api/session", access.RightHuman, nested(64)).status)
	require.Equal(t, http.StatusBadRequest, f.post("/api/session", access.RightHuman, nested(65)).status)
	quoted := `{"session":{"entries":["` + strings.Repeat(`[{\"`, 100) + `"]}}`
	require.Equal(t, http.StatusOK, f.post("/api/session", access.RightHuman, quoted).status,
		"brackets in a text do not nest")
}

func TestWhatIsNotOneJSONObjectIsRefused(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, body := range []string{"{", "[]", "null", "1", `"x"`, "{} {}", "{}x", `{"a":1,}`, "{\"a\":\"\xff\"}",
		"{\"a\":\"\n\"}"} {
		for _, path := range []string{"/api/session", "/api/ask", "/api/ask/respond"} {
			a := f.post(path, access.RightHuman, body)
			require.Equal(t, http.StatusBadRequest, a.status, "%s %q", path, body)
			require.NotEmpty(t, a.object(t)["error"])
		}
	}
}

func TestAHeadOverItsLimitIsRefused(t *testing.T) {
	t.Parallel()
	f := open(t)
	req := f.request(http.MethodGet, "/status", access.RightNone, "")
	req.Header.Set("X-Large", strings.Repeat("x", 32<<10))
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, f.send(req).status)
}

func TestAClientWithoutATokenCannotHoldAConnectionByNotSendingItsBody(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) {
		l.HeaderTimeout, l.BodyTimeout = 100*time.Millisecond,
			100*time.Millisecond
	}))
	host := strings.TrimPrefix(f.gw.URL(), "http://")
	for name, head := range map[string]string{
		"half a head": "POST /api/ask HTTP/1.1\r\nHost: " + host + "\r\n",
		"half a body": "POST /api/ask HTTP/1.1\r\nHost: " + host +
			"\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
	} {
		conn, err := net.Dial("tcp", host)
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, head)
		require.NoError(t, err)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(eventstest.Patience)))
		_, err = io.Copy(io.Discard, conn)
		require.NoError(t, err, "%s: the gateway hangs up", name)
	}
}

func TestAnAskMayWaitLongerThanARequestMayTakeToArrive(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) {
		l.HeaderTimeout, l.BodyTimeout = 400*time.Millisecond,
			400*time.Millisecond
	}),
		func(c *core.Config) { c.AskTimeout = 500 * time.Millisecond; c.Limits.AskGrace = time.Millisecond })
	require.Equal(t, http.StatusGatewayTimeout, f.post("/api/ask", access.RightAsk, `{"request_id":"r1"}`).status)
}

func TestAConnectionOverTheLimitIsToldSo(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.Conns = 2 }))
	host := strings.TrimPrefix(f.gw.URL(), "http://")
	dial := func() (net.Conn, int) {
		conn, err := net.Dial("tcp", host)
		require.NoError(t, err)
		_, err = io.WriteString(conn, "GET /status HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
		require.NoError(t, err)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		return conn, resp.StatusCode
	}
	first, status := dial()
	require.Equal(t, http.StatusOK, status)
	second, status := dial()
	require.Equal(t, http.StatusOK, status)
	third, status := dial()
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.NoError(t, third.Close())
	require.NoError(t, first.Close())
	require.Eventually(t, func() bool { c, status := dial(); c.Close(); return status == http.StatusOK },
		eventstest.Patience, time.Millisecond)
	require.NoError(t, second.Close())
}

func TestFeedsOverTheLimitOfAClientAreRefused(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.FeedsPerClient, l.Feeds = 2, 3 }))
	_, endOne := f.feed("/api/stream?client=a")
	f.feed("/api/stream?client=a")
	require.Equal(t, http.StatusTooManyRequests, f.get("/api/stream?client=a", access.RightRead).status,
		"the client's third")
	f.feed("/api/stream?client=b")
	require.Equal(t, http.StatusTooManyRequests, f.get("/api/stream?client=b", access.RightRead).status,
		"the fourth of all")
	endOne()
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		resp, err := f.client.Do(f.request(http.MethodGet, "/api/stream?client=b", access.RightRead, "").WithContext(ctx))
		require.NoError(t, err)
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	}, eventstest.Patience, time.Millisecond, "a feed that ended gives its place back")
}

func TestAsksOverTheLimitAreTurnedAwayAndThePersonStillAnswers(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.Waiting = 2 }))
	f.approve()
	first := f.background(f.request(http.MethodPost, "/api/ask", access.RightAsk, `{"request_id":"r1"}`))
	second := f.background(f.request(http.MethodPost, "/api/ask", access.RightAsk, `{"request_id":"r2"}`))
	f.awaitAsk("r1")
	f.awaitAsk("r2")
	third := f.post("/api/ask", access.RightAsk, `{"request_id":"r3"}`)
	require.Equal(t, http.StatusServiceUnavailable, third.status)
	require.NotEmpty(t, third.header.Get("Retry-After"))
	require.Equal(t, http.StatusOK, f.post("/api/ask/respond", access.RightHuman,
		`{"request_id":"r1","response":true}`).status)
	require.Equal(t, http.StatusOK, f.post("/api/ask/respond", access.RightHuman,
		`{"request_id":"r2","response":true}`).status)
	require.Equal(t, http.StatusOK, (<-first).status)
	require.Equal(t, http.StatusOK, (<-second).status)
	require.Len(t, recorded[events.AskPosted](f), 2)
}

func TestAProgramThatPostsAndLeavesKeepsItsPlaces(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.Waiting = 1 }))
	f.approve()
	ctx, leave := context.WithCancel(t.Context())
	gone := f.background(f.request(http.MethodPost, "/api/ask", access.RightAsk, `{"request_id":"r1"}`).WithContext(ctx))
	f.awaitAsk("r1")
	leave()
	<-gone
	require.Equal(t, http.StatusServiceUnavailable, f.post("/api/ask", access.RightAsk, `{"request_id":"r2"}`).status)
	require.Equal(t, http.StatusOK, f.post("/api/ask/respond", access.RightHuman,
		`{"request_id":"r1","response":true}`).status)
	require.Eventually(t, func() bool {
		return f.post("/api/ask", access.RightAsk, `{"request_id":"r1"}`).status == http.StatusOK
	}, eventstest.Patience, time.Millisecond)
}

func TestAQuestionOrAnswerThatApprovalCouldNotCopyIsRefused(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.AskBytes = 1000 }))
	f.approve()
	stored := func(e events.Payload) int {
		ev, err := events.New(events.Origin{Project: project, Session: session, Actor: "a"}, e)
		require.NoError(t, err)
		return len(ev.Data)
	}
	body := func(size int) string {
		text := func(n int) string { return `{"request_id":"r1","x":"` + strings.Repeat("x", n) + `"}` }
		empty := stored(events.AskPosted{RequestID: "r1", Data: []byte(text(0)), BodySHA256: strings.Repeat("0", 64),
			TimeoutMS: 60000})
		return text(size - empty)
	}
	require.Equal(t, http.StatusRequestEntityTooLarge, f.post("/api/ask", access.RightAsk, body(1001)).status)
	require.Empty(t, recorded[events.AskPosted](f))
	waiting := f.background(f.request(http.MethodPost, "/api/ask", access.RightAsk, body(1000)))
	f.awaitAsk("r1")

	respond := func(size int) answer {
		text := func(n int) string { return `"` + strings.Repeat("<", n) + `"` }
		empty := stored(events.AskAnswered{Ask: "r1", Decision: events.Yes, Response: []byte(text(0))})
		return f.post("/api/ask/respond", access.RightHuman, `{"request_id":"r1","response":`+text((size-empty)/6)+`}`)
	}
	require.Equal(t, http.StatusRequestEntityTooLarge, respond(1006).status,
		"measured as it is stored, where < takes six bytes")
	require.Equal(t, http.StatusOK, respond(1000).status)
	require.Equal(t, http.StatusOK, (<-waiting).status)
}

func TestASessionOverOneEventOfTheLogIsStoredInParts(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.says("/api/session", sessionOf(events.MaxEventBytes+1), http.StatusOK)
	require.Empty(t, recorded[events.DiscussionChanged](f))
	require.NotEmpty(t, recorded[events.SessionPartUploaded](f))
}

func TestABatchOfTheQueueIsBounded(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.Batch = 3 }))
	for i := range 4 {
		f.push(i)
	}
	first := f.get("/api/events", access.RightHuman).object(t)
	require.Len(t, first["events"], 3)
	require.Equal(t, true, first["more"])
	second := f.get("/api/events", access.RightHuman).object(t)
	require.Len(t, second["events"], 1)
	require.NotContains(t, second, "more")
}

func TestABatchOfTheQueueIsBoundedInBytesToo(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.BatchBytes = 1 }))
	f.push(0)
	f.push(1)
	for range 2 {
		require.Len(t, f.get("/api/events", access.RightHuman).object(t)["events"], 1, "one at least, or nothing would move")
	}
	require.Empty(t, f.get("/api/events", access.RightHuman).object(t)["events"])
}

func TestAFloodOfRefusedRequestsDoesNotFillTheLog(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := &settableClock{now: now}
	f := open(t, limited(func(l *request.Limits) { l.Refusals, l.RefusalBurst = 2, 5 }),
		func(c *core.Config) { c.Clock = clock.Now })
	for range 100 {
		require.Equal(t, http.StatusUnauthorized, f.get("/api/session", access.RightNone).status)
	}
	f.stop()
	require.Len(t, recorded[events.HookCalled](f), 5)
}

func TestWhatWasLeftOutOfTheRecordIsCounted(t *testing.T) {
	t.Parallel()
	clock := &settableClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	f := open(t, limited(func(l *request.Limits) { l.Refusals, l.RefusalBurst = 1, 1 }),
		func(c *core.Config) { c.Clock = clock.Now })
	// on which a request begins when the one before is on record
	f.client = &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer f.client.CloseIdleConnections()
	for range 4 {
		f.get("/api/session", access.RightNone)
	}
	f.get("/status", access.RightNone)
	clock.advance(time.Second)
	f.get("/api/session", access.RightNone)
	f.stop()
	got := recorded[events.HookCalled](f)
	require.Len(t, got, 2)
	require.Contains(t, got[1].Reason, "3 more before it")
}
