package hookgw_test

import (
	"bufio"
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
	"manualslop/hookgw/request"
)

// connection is one that a test speaks on by hand.
type connection struct {
	t    *testing.T
	host string
	net.Conn
	r *bufio.Reader
}

func (f *fixture) connection(t *testing.T) *connection {
	t.Helper()
	host := strings.TrimPrefix(f.gw.URL(), "http://")
	conn, err := dialNarrow(t.Context(), "tcp", host)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(eventstest.Patience)))
	return &connection{t, host, conn, bufio.NewReader(conn)}
}

// asks sends a request, its head given line by line but for Host.
func (c *connection) asks(lines ...string) {
	c.t.Helper()
	head := lines[0] + "\r\nHost: " + c.host + "\r\n"
	for _, line := range lines[1:] {
		head += line + "\r\n"
	}
	_, err := io.WriteString(c, head+"\r\n")
	require.NoError(c.t, err)
}

// hears is the status of the next answer.
func (c *connection) hears() int {
	c.t.Helper()
	resp, err := http.ReadResponse(c.r, nil)
	require.NoError(c.t, err)
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(c.t, err)
	return resp.StatusCode
}

func TestAHeadIsTakenUpToItsLimitAndNotOneByteMore(t *testing.T) {
	t.Parallel()
	const limit = 8 << 10
	f := open(t, limited(func(l *request.Limits) { l.HeaderBytes = limit }))
	for size, want := range map[int]int{limit: http.StatusOK, limit + 1: http.StatusRequestHeaderFieldsTooLarge} {
		c := f.connection(t)
		empty := len("GET /status HTTP/1.1\r\nHost: " + c.host + "\r\nX-Large: \r\n\r\n")
		c.asks("GET /status HTTP/1.1", "X-Large: "+strings.Repeat("x", size-empty))
		require.Equal(t, want, c.hears(), "%d bytes", size)
	}
}

func TestAConnectionThatAsksNothingIsClosed(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.IdleTimeout = 30 * time.Millisecond }))
	c := f.connection(t)
	c.asks("GET /status HTTP/1.1")
	require.Equal(t, http.StatusOK, c.hears())
	_, err := c.r.ReadByte()
	require.ErrorIs(t, err, io.EOF)
}

func TestAClientThatDoesNotTakeItsAnswersIsCutOff(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.WriteTimeout, l.Conns = 50*time.Millisecond, 1 }))
	f.put(person, events.DiscussionChanged{Operation: events.DiscussionReplace, Entries: []byte(`["` + strings.Repeat("x", 400<<10) + `"]`)})
	c := f.connection(t)
	for range 64 { // far more than the buffers between the two hold
		_, err := fmt.Fprintf(c, "GET /api/session HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", c.host,
			f.token(access.RightRead))
		if err != nil {
			break
		}
	}
	require.Eventually(t, func() bool {
		a, err := f.trySend(f.request(http.MethodGet, "/status", access.RightNone, ""))
		return err == nil && a.status == http.StatusOK
	}, eventstest.Patience, 5*time.Millisecond, "its place is free again")
}

func TestTheTimeLimitOfAnAnswerDoesNotReachTheNextRequest(t *testing.T) {
	t.Parallel()
	const limit = 400 * time.Millisecond // a busy machine is that slow
	f := open(t, limited(func(l *request.Limits) { l.WriteTimeout = limit }))
	c := f.connection(t)
	c.asks("GET /status HTTP/1.1")
	require.Equal(t, http.StatusOK, c.hears())
	<-time.After(limit + limit/8)
	c.asks("GET /status HTTP/1.1")
	require.Equal(t, http.StatusOK, c.hears())
	<-time.After(limit + limit/8)
	body := `{"session":{"entries":["late"]}}`
	c.asks("POST /api/session HTTP/1.1", "Authorization: Bearer "+f.token(access.RightHuman),
		"Content-Type: application/json",
		fmt.Sprint("Content-Length: ", len(body)), "Expect: 100-continue")
	line, err := c.r.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 100 Continue\r\n", line)
	_, err = c.r.ReadString('\n')
	require.NoError(t, err)
	_, err = io.WriteString(c, body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, c.hears())
}
