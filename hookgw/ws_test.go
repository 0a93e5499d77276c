package hookgw_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/request"
)

// message is one message of a WebSocket.
type message struct {
	Channel string
	Seq     uint64
	Payload json.RawMessage
}

// dialing is a client's end of a WebSocket.
type dialing struct {
	t    *testing.T
	conn *websocket.Conn
}

// dial opens a WebSocket that must be accepted, and reads its hello.
func (f *fixture) dial(t *testing.T, path string) *dialing {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), f.gw.URL()+path, &websocket.DialOptions{
		HTTPClient: f.client, HTTPHeader: http.Header{"Authorization": {"Bearer " + f.token(access.RightRead)}},
	})
	require.NoError(t, err)
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	d := &dialing{t, conn}
	require.Equal(t, "hello", d.next().Channel)
	return d
}

func (d *dialing) next() message {
	d.t.Helper()
	// so that a message that does not come is a failure and no hang
	ctx, cancel := context.WithTimeout(d.t.Context(), eventstest.Patience)
	defer cancel()
	kind, raw, err := d.conn.Read(ctx)
	require.NoError(d.t, err)
	require.Equal(d.t, websocket.MessageText, kind)
	var m message
	require.NoError(d.t, json.Unmarshal(raw, &m), string(raw))
	return m
}

// of is the next message of a channel; others are passed over.
func (d *dialing) of(channel string) message {
	d.t.Helper()
	for {
		if m := d.next(); m.Channel == channel {
			return m
		}
	}
}

func (d *dialing) say(text string) {
	d.t.Helper()
	require.NoError(d.t, d.conn.Write(d.t.Context(), websocket.MessageText, []byte(text)))
}

func TestAWebSocketSaysWhatThereIsAndUnderstandsTheUsualSpellings(t *testing.T) {
	t.Parallel()
	f := open(t)
	conn, _, err := websocket.Dial(t.Context(), f.gw.URL()+"/ws", &websocket.DialOptions{HTTPHeader: http.Header{
		"Authorization": {"Bearer " + f.token(access.RightHuman)}}})
	require.NoError(t, err)
	defer conn.CloseNow()
	d := &dialing{t, conn}
	var hello struct {
		Session  string
		Position uint64
		Channels []struct{ Name, Doc string }
	}
	require.NoError(t, json.Unmarshal(d.next().Payload, &hello))
	require.Equal(t, session, hello.Session)
	require.EqualValues(t, 1, hello.Position)
	require.Len(t, hello.Channels, 10)
	for text, want := range map[string]string{
		`{"action":"subscribe","channels":["log"]}`: `["log"]`,
		`{"type":"subscribe","channel":"log"}`:      `["log"]`,
		`{"op":"subscribe","channel":"log"}`:        `["log"]`,
		`{"Action":"unsubscribe","channels":["x"]}`: "",
		`{"action":"sing","channels":["log"]}`:      "",
		`{"action":"subscribe"}`:                    "",
		`{"action":"subscribe","channels":["LOG"]}`: "",
		`[]`: "",
		`{"channels":[[[[[[[[[[]]]]]]]]]],"a":"b"}`:                                                         "",
		`{"action":"subscribe","channels":[` + strings.TrimSuffix(strings.Repeat(`"log",`, 65), ",") + `]}`: "",
	} {
		d.say(text)
		m := d.next()
		if want == "" {
			require.Equal(t, "error", m.Channel, text)
			require.Contains(t, string(m.Payload), `"hint"`)
			continue
		}
		require.Equal(t, "subscribed", m.Channel, text)
		require.JSONEq(t, `{"channels":`+want+`}`, string(m.Payload))
		d.say(`{"action":"unsubscribe","channels":["log"]}`)
		require.JSONEq(t, `{"channels":[]}`, string(d.of("subscribed").Payload))
	}
	d.say(`{"action":"ping"}`)
	require.Equal(t, "pong", d.of("pong").Channel)
}

func TestChannelsShowFactsEntriesTextAndStates(t *testing.T) {
	t.Parallel()
	say, listening, spoken := speaking()
	f := open(t, spoken)
	before := f.push(1)
	d := f.dial(t, "/ws?channels=log,events,streams,asks,mma_status,diagnostics,session,performance,telemetry")
	require.Equal(t, session, <-listening)
	first := map[string]bool{}
	for len(first) < 7 {
		first[d.next().Channel] = true
	}
	for _, channel := range []string{"subscribed", "asks", "mma_status", "diagnostics", "session", "performance",
		"telemetry"} {
		require.True(t, first[channel], channel)
	}

	pushed := f.push(2)
	came := map[string]message{}
	for came["log"].Channel == "" || came["events"].Channel == "" { // in either order
		m := d.next()
		came[m.Channel] = m
	}
	fact, entry := came["log"], came["events"]
	require.Equal(t, pushed.Seq, fact.Seq)
	var e events.Event
	require.NoError(t, json.Unmarshal(fact.Payload, &e))
	require.Equal(t, pushed.ID, e.ID)
	require.Contains(t, string(entry.Payload), `"type":"tick"`)
	require.Contains(t, string(entry.Payload), `"payload":2`)
	say <- delta(`{"stream_id":"Tier 1","delta":"Hel"}`)
	require.JSONEq(t, `{"stream_id":"Tier 1","delta":"Hel"}`, string(d.of("streams").Payload))
	f.raise("a1", events.GateTool)
	require.Contains(t, string(d.of("asks").Payload), `"a1"`)
	require.Empty(t, recorded[events.EventsDrained](f), "it only looks")

	again := f.dial(t, "/ws?channels=log&filter=gateway.>&since="+strconv.FormatUint(before.Seq-1, 10))
	require.Equal(t, before.Seq, again.of("log").Seq, "replayed")
	require.Equal(t, pushed.Seq, again.of("log").Seq)
	last := f.push(3)
	require.Equal(t, last.Seq, again.of("log").Seq, "the filter leaves the question out")
}

func TestAStateIsSentOnlyWhenItChanged(t *testing.T) {
	t.Parallel()
	f := open(t)
	d := f.dial(t, "/ws?channels=asks,log")
	require.Equal(t, "[]", string(d.of("asks").Payload))
	for i := range 5 {
		require.Equal(t, f.push(i).Seq, d.next().Seq, "the log, and no state")
	}
	f.raise("a1", events.GateTool)
	got := map[string]string{}
	for range 2 { // in either order: a state is not bound to the fact behind it
		m := d.next()
		got[m.Channel] = string(m.Payload)
	}
	require.Contains(t, got["log"], `"a1"`)
	require.Contains(t, got["asks"], `"a1"`)
}

func TestAWebSocketIsGuardedAsEveryRoute(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.FeedsPerClient, l.Feeds = 1, 2 }))
	shake := func(right access.Right, change func(*http.Request)) int {
		req := f.request(http.MethodGet, "/ws", right, "")
		for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket",
			"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="} {
			req.Header.Set(name, value)
		}
		change(req)
		resp, err := f.client.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		return resp.StatusCode
	}
	nothing := func(*http.Request) {}
	require.Equal(t, http.StatusUnauthorized, shake(access.RightNone, nothing))
	require.Equal(t, http.StatusForbidden, shake(access.RightAsk, nothing))
	for name, change := range map[string]func(*http.Request){
		"a token in the address": func(r *http.Request) {
			r.Header.Del("Authorization")
			r.URL.RawQuery = "token=" + f.token(access.RightHuman)
		},
		"a foreign page":         func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"a page of another port": func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"a page without a name":  func(r *http.Request) { r.Header.Set("Origin", "null") },
		"a cross-site request":   func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"a rebound name":         func(r *http.Request) { r.Host = "evil.example" },
		"no upgrade":             func(r *http.Request) { r.Header.Del("Upgrade") },
		"another version":        func(r *http.Request) { r.Header.Set("Sec-WebSocket-Version", "8") },
		"no key":                 func(r *http.Request) { r.Header.Del("Sec-WebSocket-Key") },
		"a key of wrong length":  func(r *http.Request) { r.Header.Set("Sec-WebSocket-Key", "AAAA") },
		"another session":        func(r *http.Request) { r.URL.RawQuery = "session=nowhere" },
		"a bad filter":           func(r *http.Request) { r.URL.RawQuery = "filter=a..b" },
		"a bad position":         func(r *http.Request) { r.URL.RawQuery = "since=99999" },
	} {
		require.GreaterOrEqual(t, shake(access.RightRead, change), 400, name)
	}
	require.Equal(t, http.StatusUpgradeRequired, f.get("/ws", access.RightRead).status)
	d := f.dial(t, "/ws")
	require.Equal(t, http.StatusTooManyRequests, shake(access.RightRead, nothing), "it counts as a feed")
	require.NoError(t, d.conn.Close(websocket.StatusNormalClosure, ""))
	f.eventually(func() bool { return shake(access.RightRead, nothing) == http.StatusSwitchingProtocols })
}

// eventually waits until something holds.
func (f *fixture) eventually(holds func() bool) {
	f.t.Helper()
	require.Eventually(f.t, holds, eventstest.Patience, time.Millisecond)
}

func TestAMessageOverItsLimitEndsTheWebSocket(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.SocketBytes = 100 }))
	text := func(size int) string { return `{"action":"ping","x":"` + strings.Repeat("x", size-24) + `"}` }
	d := f.dial(t, "/ws")
	require.Len(t, text(100), 100)
	d.say(text(100))
	require.Equal(t, "pong", d.next().Channel)
	d.say(text(101))
	_, _, err := d.conn.Read(t.Context())
	require.Equal(t, websocket.StatusMessageTooBig, websocket.CloseStatus(err))
}

func TestAWebSocketIsToldItsPositionWhenTheGatewayStops(t *testing.T) {
	t.Parallel()
	f := open(t)
	d := f.dial(t, "/ws?channels=log")
	last := f.push(1)
	require.Equal(t, last.Seq, d.of("log").Seq)
	go f.stop()
	var end struct {
		Position uint64
		Reason   string
	}
	require.NoError(t, json.Unmarshal(d.of("disconnected").Payload, &end))
	require.Equal(t, last.Seq, end.Position)
	require.Contains(t, end.Reason, "stopping")
	_, _, err := d.conn.Read(t.Context())
	require.Equal(t, websocket.StatusTryAgainLater, websocket.CloseStatus(err))
}

func TestWebSocketThatStalledLearnsItsPosition(t *testing.T) {
	t.Parallel()
	const limit = 50 * time.Millisecond
	f := open(t, limited(func(l *request.Limits) {
		l.WriteTimeout, l.FeedGrace, l.FeedBytes = limit, eventstest.Patience, 64<<20
		l.Heartbeat = time.Second // while a message is being sent
	}))
	d := f.dial(t, "/ws?channels=log")
	large := json.RawMessage(`"` + strings.Repeat("x", 64<<10) + `"`)
	const pushed = 150                         // more than the buffers of a connection hold, less than the feed keeps
	for wait := 6 * time.Second; ; wait *= 2 { // longer than the library waits with a ping
		var newest uint64
		for range pushed {
			newest = f.put(events.ActorGateway, events.EventPushed{Kind: "tick", Payload: large}).Seq
		}
		<-time.After(wait) // the client reads nothing
		for shown := uint64(0); shown < newest; {
			m := d.next()
			if m.Channel == "log" {
				shown = m.Seq
			}
			if m.Channel != "disconnected" {
				continue
			}
			var end struct {
				Position uint64
				Reason   string
			}
			require.NoError(t, json.Unmarshal(m.Payload, &end))
			require.Equal(t, shown, end.Position)
			require.Equal(t, "the reader was too slow", end.Reason)
			return
		}
	} // on a busy machine the feed had not come to what the client did not read
}

func TestAClientThatNeitherReadsNorAnswersIsCutOff(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) {
		l.Heartbeat, l.WriteTimeout, l.FeedGrace, l.Feeds = 5*time.Millisecond, 20*time.Millisecond, time.Millisecond, 1
	}))
	f.dial(t, "/ws") // it never reads again, so it answers no ping
	f.eventually(func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		resp, err := f.client.Do(f.request(http.MethodGet, "/api/stream", access.RightRead, "").WithContext(ctx))
		if err != nil { // so short a time cuts off a busy machine's answers, too
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}
