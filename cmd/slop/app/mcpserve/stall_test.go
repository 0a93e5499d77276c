package mcpserve

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A client that opens a stream and does not read it holds its session only for the time of a write.
func TestRequirement10AClientThatDoesNotReadLosesItsSession(t *testing.T) {
	w := startWeb(t)
	w.writes = 50 * time.Millisecond
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", w.addr)
	require.NoError(t, err)
	defer c.Close()
	_, err = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\n\r\n",
		pathSSE, w.addr, w.token)
	require.NoError(t, err)
	endpoint := ""
	for in := bufio.NewScanner(c); endpoint == "" && in.Scan(); {
		endpoint, _ = strings.CutPrefix(in.Text(), "data: ")
		if !strings.HasPrefix(endpoint, "/") {
			endpoint = ""
		}
	}
	require.NotEmpty(t, endpoint)
	post := func(body string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+w.addr+endpoint, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+w.token)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	require.Equal(t, http.StatusAccepted, post(initialize))
	require.Equal(t, http.StatusAccepted, post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	for n := 2; ; n++ { // until what the kernel holds for the client is full
		if status := post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, n)); status != http.StatusAccepted {
			require.Contains(t, []int{http.StatusNotFound, http.StatusBadRequest}, status)
			return
		}
	}
}
