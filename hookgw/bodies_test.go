package hookgw_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
)

// sized is an ask of exactly so many bytes.
func sized(id string, size int) string {
	head, tail := `{"request_id":"`+id+`","x":"`, `"}`
	return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
}

// unfinished sends all but the last of size bytes of an ask and waits.
func (f *fixture) unfinished(size int) net.Conn {
	f.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.gw.URL(), "http://"))
	require.NoError(f.t, err)
	f.t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /api/ask HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: %d\r\n\r\n%s",
		strings.TrimPrefix(f.gw.URL(), "http://"), f.token(access.RightAsk), size, strings.Repeat("x", size-1))
	require.NoError(f.t, err)
	return conn
}

func TestBodiesThatNeverEndTakeOnlyTheirShareOfMemory(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.Bodies, l.AskGrace = 1000, time.Millisecond }),
		func(c *core.Config) { c.AskTimeout = time.Millisecond })
	slow := f.unfinished(901)
	f.eventually(func() bool {
		return f.post("/api/ask", access.RightAsk, sized("full", 101)).status == http.StatusServiceUnavailable
	})
	a := f.post("/api/ask", access.RightAsk, sized("over", 101))
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Equal(t, "1", a.header.Get("Retry-After"))
	requireProblem(t, a, "the gateway is overloaded")
	require.Equal(t, http.StatusGatewayTimeout, f.post("/api/ask", access.RightAsk, sized("fits", 100)).status,
		"what is left is free, and free again")
	require.Equal(t, http.StatusGatewayTimeout, f.post("/api/ask", access.RightAsk, sized("fits-2", 100)).status)
	f.says("/api/session", sessionOf(1000), http.StatusOK)
	f.says("/api/session", sessionOf(1001), http.StatusServiceUnavailable)
	require.NoError(t, slow.Close())
	f.eventually(func() bool {
		return f.post("/api/ask", access.RightAsk, sized("after", 1000)).status == http.StatusGatewayTimeout
	})
}

func TestQuestionsThatWaitHaveALimitInBytesForEachRight(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.Asked = 1000 }))
	f.approve()
	first := f.background(f.request(http.MethodPost, "/api/ask", access.RightAsk, sized("a", 900)))
	f.awaitAsk("a")
	requireProblem(t, f.post("/api/ask", access.RightAsk, sized("b", 101)), "the gateway is overloaded")
	second := f.background(f.request(http.MethodPost, "/api/ask", access.RightAsk, sized("c", 100)))
	f.awaitAsk("c")
	of := f.background(f.request(http.MethodPost, "/api/ask", access.RightHuman, sized("d", 1000)))
	f.awaitAsk("d")
	for _, id := range []string{"a", "c", "d"} {
		require.Equal(t, http.StatusOK, f.respond(id, "true").status)
	}
	for _, waited := range []<-chan answer{first, second, of} {
		require.Equal(t, http.StatusOK, (<-waited).status)
	}
	again := make(chan answer, 1)
	go func() {
		for t.Context().Err() == nil { // an answer may come a moment before there is room
			if a := <-f.background(f.request(http.MethodPost, "/api/ask", access.RightAsk,
				sized("e", 1000))); a.status == http.StatusOK {
				again <- a
				return
			}
		}
	}()
	f.awaitAsk("e")
	require.Equal(t, http.StatusOK, f.respond("e", "true").status)
	require.Equal(t, http.StatusOK, (<-again).status, "what was answered takes no room")
}

// oneBlob is a store in which every digest is these bytes.
type oneBlob struct {
	brokenBlobs
	body []byte
}

// Get is the bytes.
func (b oneBlob) Get(context.Context, string) ([]byte, error) { return b.body, nil }

func TestBlobsThatNobodyTakesHaveALimitInBytes(t *testing.T) {
	t.Parallel()
	const size = 16 << 20 // more than the buffers of a connection take
	f := open(t, limited(func(l *request.Limits) { l.Bodies = size }),
		func(c *core.Config) { c.Blobs = oneBlob{body: make([]byte, size)} })
	path := "/api/blobs/" + strings.Repeat("0", 64)
	slow, err := f.client.Do(f.request(http.MethodGet, path, access.RightRead, ""))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, slow.StatusCode)
	require.Equal(t, http.StatusServiceUnavailable, f.get(path, access.RightRead).status)
	require.NoError(t, slow.Body.Close())
	f.eventually(func() bool { return f.get(path, access.RightRead).status == http.StatusOK })
}

func TestTheLastFeedsAreThePersons(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.Feeds = 8 }))
	feed := func(right access.Right) int {
		resp, err := f.client.Do(f.request(http.MethodGet, "/api/stream", right, ""))
		require.NoError(t, err)
		t.Cleanup(func() { _ = resp.Body.Close() })
		return resp.StatusCode
	}
	for range 7 {
		require.Equal(t, http.StatusOK, feed(access.RightRead))
	}
	require.Equal(t, http.StatusTooManyRequests, feed(access.RightRead))
	require.Equal(t, http.StatusOK, feed(access.RightHuman))
	require.Equal(t, http.StatusTooManyRequests, feed(access.RightHuman))
}

func TestSnapshotsThatNobodyTakesHaveALimitInBytes(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.Bodies = 15 << 20 }))
	f.says("/api/session", sessionOf(9<<20), http.StatusOK) // more than the buffers of a connection take
	feed := func() *http.Response {
		resp, err := f.client.Do(f.request(http.MethodGet, "/api/stream?since="+strconv.FormatUint(f.last(), 10),
			access.RightRead, ""))
		require.NoError(t, err)
		return resp
	}
	slow := feed()
	require.Equal(t, http.StatusOK, slow.StatusCode)
	refused := feed()
	require.NoError(t, refused.Body.Close())
	require.Equal(t, http.StatusServiceUnavailable, refused.StatusCode)
	require.NoError(t, slow.Body.Close())
	f.eventually(func() bool {
		next := feed()
		_ = next.Body.Close()
		return next.StatusCode == http.StatusOK
	})
}
