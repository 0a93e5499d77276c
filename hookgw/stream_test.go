package hookgw_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
)

func TestAFeedReplaysThenShowsOneSnapshotThenIsLive(t *testing.T) {
	t.Parallel()
	f := open(t)
	second := f.push(1)
	r, _ := f.feed("/api/stream")
	require.Equal(t, "SessionOpened", r.must().typ(t))
	replayed := r.must()
	require.Equal(t, second.Seq, replayed.id)
	require.Empty(t, replayed.event, "a fact reaches onmessage")
	var e events.Event
	require.NoError(t, json.Unmarshal([]byte(replayed.data), &e))
	require.Equal(t, second.ID, e.ID, "the data is the event as any observer reads it")

	snapshot := r.must()
	require.Equal(t, "snapshot", snapshot.event)
	require.Equal(t, second.Seq, snapshot.id)
	var body map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(snapshot.data), &body))
	for _, key := range []string{"session", "seq", "mma_status", "diagnostics", "asks"} {
		require.Contains(t, body, key)
	}
	require.JSONEq(t, strconv.FormatUint(second.Seq, 10), string(body["seq"]))

	live := f.push(2)
	require.Equal(t, live.Seq, r.must().id)
}

func TestAFeedGoesOnBehindTheLastEventThatTheClientHas(t *testing.T) {
	t.Parallel()
	f := open(t)
	first := f.push(1)
	second := f.push(2)
	for name, r := range map[string]func() *reader{
		"header": func() *reader { r, _ := f.feed("/api/stream", strconv.FormatUint(first.Seq, 10)); return r },
		"since":  func() *reader { r, _ := f.feed("/api/stream?since=" + strconv.FormatUint(first.Seq, 10)); return r },
		"header before since": func() *reader {
			r, _ := f.feed("/api/stream?since=0", strconv.FormatUint(first.Seq, 10))
			return r
		},
	} {
		got := r()
		require.Equal(t, second.Seq, got.must().id, name)
		require.Equal(t, "snapshot", got.must().event, name)
	}
	r, _ := f.feed("/api/stream", strconv.FormatUint(second.Seq, 10))
	require.Equal(t, "snapshot", r.must().event, "nothing to replay")
	third := f.push(3)
	require.Equal(t, third.Seq, r.must().id)
}

func TestAPositionThatTheLogDoesNotHaveIsRefused(t *testing.T) {
	t.Parallel()
	f := open(t)
	last := f.push(1)
	for _, bad := range []string{"x", "-1", strconv.FormatUint(last.Seq+1000, 10), "99999999999999999999"} {
		req := f.request(http.MethodGet, "/api/stream", access.RightRead, "")
		req.Header.Set("Last-Event-ID", bad)
		require.Equal(t, http.StatusBadRequest, f.send(req).status, bad)
	}
}

func TestAFilterSelectsAndThePositionMovesOverTheRest(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Limits.Heartbeat = 5 * time.Millisecond })
	f.push(1)
	f.raise("a1", events.GateTool)
	f.raise("a2", events.GateStep)
	unseen := f.push(2)
	for _, filter := range []string{"approval.>", "*.AskRaised.*", "slop.ev.p1.*.approval.>",
		"approval.AskRaised.tool&filter=*.*.step"} {
		r, end := f.feed("/api/stream?filter=" + filter)
		require.Equal(t, "AskRaised", r.telling().typ(t), filter)
		require.Equal(t, "AskRaised", r.telling().typ(t), filter)
		require.Equal(t, "snapshot", r.telling().event, filter)
		beat := r.must()
		require.Equal(t, "heartbeat", beat.comment, filter)
		require.Equal(t, unseen.Seq, beat.id, "who comes back need not read again what the filter left out")
		end()
	}
	for _, bad := range []string{"approval..x", "a.>.b", "a%20b", "appr%2A.>", "slop.ev.p1.%22.>"} {
		require.Equal(t, http.StatusBadRequest, f.get("/api/stream?filter="+bad, access.RightRead).status, bad)
	}
	many := "/api/stream?filter=a.>"
	for range 16 {
		many += "&filter=a.>"
	}
	require.Equal(t, http.StatusBadRequest, f.get(many, access.RightRead).status)
}

func TestAFeedShowsItsSessionOnly(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.push(1)
	other, err := events.New(events.Origin{ID: "X", Time: time.Now(), Project: project, Session: "s0", Actor: "gateway"},
		events.EventPushed{Kind: "x"})
	require.NoError(t, err)
	seq, err := f.log.Append(t.Context(), other, nil)
	require.NoError(t, err)
	require.NoError(t, f.models.WaitFor(t.Context(), seq))
	f.push(2)
	r, _ := f.feed("/api/stream?session=" + session)
	require.Equal(t, "SessionOpened", r.must().typ(t))
	for range 2 {
		var e events.Event
		require.NoError(t, json.Unmarshal([]byte(r.must().data), &e))
		require.Equal(t, session, e.Session)
	}
	require.Equal(t, "snapshot", r.must().event)
	require.Equal(t, http.StatusNotFound, f.get("/api/stream?session=nowhere", access.RightRead).status)
}

func TestAQuietFeedBeats(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Limits.Heartbeat = time.Millisecond })
	r, _ := f.feed("/api/stream")
	require.Equal(t, "SessionOpened", r.telling().typ(t))
	require.Equal(t, "snapshot", r.telling().event)
	for range 3 {
		require.Equal(t, "heartbeat", r.must().comment)
	}
}

func TestASlowReaderIsDisconnectedWithItsPositionAndLosesNothing(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) {
		c.Models = openModels(t, c.Log, 20)
	})
	large := json.RawMessage(`"` + strings.Repeat("x", 64<<10) + `"`)
	slow, _ := f.feed("/api/stream")
	const pushed = 170
	for range pushed {
		f.put(events.ActorGateway, events.EventPushed{Kind: "tick", Payload: large})
	}
	got := slow.rest()
	last := got[len(got)-1]
	require.Equal(t, "disconnected", last.event)
	var body struct {
		Position uint64 `json:"position"`
		Reason   string `json:"reason"`
	}
	require.NoError(t, json.Unmarshal([]byte(last.data), &body))
	require.Equal(t, got[len(got)-2].id, body.Position, "the position is that of the last event that was shown")
	require.Equal(t, body.Position, last.id)
	require.Contains(t, body.Reason, "slow")

	seq := uint64(0)
	for _, fr := range got[:len(got)-1] {
		if fr.event == "" && fr.comment == "" {
			seq++
			require.Equal(t, seq, fr.id, "no gap")
		}
	}
	again, end := f.feed("/api/stream", strconv.FormatUint(last.id, 10))
	defer end()
	for seq < pushed+1 {
		if fr := again.telling(); fr.event == "" {
			seq++
			require.Equal(t, seq, fr.id, "no gap")
		}
	}
}

func TestReaderThatStalledLearnsItsPosition(t *testing.T) {
	t.Parallel()
	const limit = 50 * time.Millisecond
	f := open(t, func(c *core.Config) {
		c.Limits.WriteTimeout, c.Limits.FeedGrace, c.Limits.FeedBytes = limit, eventstest.Patience, 64<<20
	})
	r, _ := f.feed("/api/stream")
	large := json.RawMessage(`"` + strings.Repeat("x", 64<<10) + `"`)
	const pushed = 150 // more than the buffers of a connection hold, less than the feed keeps
	for range pushed {
		f.put(events.ActorGateway, events.EventPushed{Kind: "tick", Payload: large})
	}
	<-time.After(2 * limit) // the client reads nothing for longer than the limit
	got := r.rest()
	last := got[len(got)-1]
	require.Equal(t, "disconnected", last.event)
	require.Equal(t, got[len(got)-2].id, last.id, "the position is that of the last event that was shown")
	require.Less(t, last.id, uint64(pushed+1), "the feed did not go on")
	require.Contains(t, last.data, "the reader was too slow")
}

func TestAReaderThatStopsReadingGivesItsPlaceBack(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) {
		c.Limits.WriteTimeout, c.Limits.FeedGrace, c.Limits.Feeds = 20*time.Millisecond, time.Millisecond, 1
	})
	f.feed("/api/stream")
	large := json.RawMessage(`"` + strings.Repeat("x", 64<<10) + `"`)
	for range 150 { // more than the buffers of a connection hold
		f.put(events.ActorGateway, events.EventPushed{Kind: "tick", Payload: large})
	}
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		resp, err := f.client.Do(f.request(http.MethodGet, "/api/stream?since=150", access.RightRead, "").WithContext(ctx))
		if err != nil { // so short a time cuts off a busy machine's answers, too
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	}, eventstest.Patience, time.Millisecond)
}

func TestAFeedIsToldItsPositionWhenTheGatewayStops(t *testing.T) {
	t.Parallel()
	f := open(t)
	last := f.push(1)
	r, _ := f.feed("/api/stream")
	for range 3 {
		r.must()
	}
	go f.stop()
	end := r.rest()
	require.Len(t, end, 1)
	require.Equal(t, "disconnected", end[0].event)
	require.Equal(t, last.Seq, end[0].id)
}

func TestWithoutASessionThereIsNoFeed(t *testing.T) {
	t.Parallel()
	f := openEmpty(t)
	a := f.get("/api/stream", access.RightRead)
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Equal(t, "1", a.header.Get("Retry-After"), "another try may find one")
}

func TestWhatIsNoLongerKeptForFeedsIsReadFromTheLog(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.FeedBytes = 1 }))
	f.feed("/api/stream") // so that there is something to be kept
	const pushed = 20
	for i := range pushed {
		f.push(i)
	}
	r, _ := f.feed("/api/stream")
	for seq := range uint64(pushed + 1) {
		require.Equal(t, seq+1, r.must().id)
	}
	require.Equal(t, "snapshot", r.must().event)
	require.Equal(t, f.push(pushed).Seq, r.must().id)
}

func TestAReaderFurtherBehindThanWhatIsKeptIsCutOff(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) {
		l.FeedBytes, l.FeedWindow, l.Heartbeat = 1, time.Hour,
			30*time.Millisecond
	}))
	r, _ := f.feed("/api/stream")
	require.Equal(t, "SessionOpened", r.telling().typ(t))
	require.Equal(t, "snapshot", r.telling().event)
	for i := range 200 { // it wakes for its heartbeat only
		f.push(i)
	}
	got := r.rest()
	last := got[len(got)-1]
	require.Equal(t, "disconnected", last.event)
	require.Contains(t, last.data, "slow")
	require.Less(t, last.id, uint64(200))
	for _, fr := range got {
		require.LessOrEqual(t, fr.id, last.id, "the position is that of what it was shown")
	}
}

func TestEveryReaderOfASessionSeesEveryEventInOrder(t *testing.T) {
	t.Parallel()
	f := open(t)
	readers := make([]*reader, 8)
	for i := range readers {
		readers[i], _ = f.feed("/api/stream?filter=gateway.>&filter=operator.>")
		require.Equal(t, "SessionOpened", readers[i].must().typ(t))
		require.Equal(t, "snapshot", readers[i].must().event)
	}
	const pushed = 200
	var reading sync.WaitGroup
	seen := make([][]uint64, len(readers))
	for i, r := range readers {
		reading.Go(func() {
			for range pushed {
				fr, err := r.next()
				if err != nil {
					return
				}
				seen[i] = append(seen[i], fr.id)
			}
		})
	}
	for i := range pushed {
		f.push(i)
	}
	reading.Wait()
	for _, got := range seen {
		require.Len(t, got, pushed)
		for n, id := range got {
			require.EqualValues(t, n+2, id)
		}
	}
}
