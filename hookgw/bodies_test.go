package hookgw_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/hookgw"
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
	_, err = fmt.Fprintf(conn, "POST /api/ask HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		strings.TrimPrefix(f.gw.URL(), "http://"), f.token(hookgw.RightAsk), size, strings.Repeat("x", size-1))
	require.NoError(f.t, err)
	return conn
}

func TestBodiesThatNeverEndTakeOnlyTheirShareOfMemory(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *hookgw.Limits) { l.Bodies, l.BodyTimeout = 1000, time.Minute }), func(c *hookgw.Config) { c.AskTimeout = time.Millisecond })
	slow := f.unfinished(901)
	f.eventually(func() bool {
		return f.post("/api/ask", hookgw.RightAsk, sized("full", 101)).status == http.StatusServiceUnavailable
	})
	a := f.post("/api/ask", hookgw.RightAsk, sized("over", 101))
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Equal(t, "1", a.header.Get("Retry-After"))
	requireProblem(t, a, "too much is being sent")
	require.Equal(t, http.StatusGatewayTimeout, f.post("/api/ask", hookgw.RightAsk, sized("fits", 100)).status, "what is left is free, and free again")
	require.Equal(t, http.StatusGatewayTimeout, f.post("/api/ask", hookgw.RightAsk, sized("fits-2", 100)).status)
	f.says("/api/session", sessionOf(1000), http.StatusOK)
	f.says("/api/session", sessionOf(1001), http.StatusServiceUnavailable)
	require.NoError(t, slow.Close())
	f.eventually(func() bool {
		return f.post("/api/ask", hookgw.RightAsk, sized("after", 1000)).status == http.StatusGatewayTimeout
	})
}
