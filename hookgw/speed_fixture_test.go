package hookgw_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/hookgw/access"
	"manualslop/projections/sessiongen"
)

// lived fills the log with a session of so many events, and returns its id.
func (f *fixture) lived(length int) string {
	f.t.Helper()
	var last uint64
	for _, e := range sessiongen.GenerateSession(7, length) {
		e.Project, e.Seq = project, 0
		seq, err := f.log.Append(f.t.Context(), e, nil)
		require.NoError(f.t, err)
		last = seq
	}
	require.NoError(f.t, f.models.WaitFor(f.t.Context(), last))
	return sessiongen.SessionID(7)
}

// reads are the routes whose speed is measured, by name.
func reads(session string) map[string]string {
	of := "?session=" + session
	return map[string]string{
		"mma_status": "/api/gui/mma_status" + of, "diagnostics": "/api/gui/diagnostics" + of, "session": "/api/session" + of,
		"asks": "/api/asks?state=all&session=" + session, "current": "/api/gui/diagnostics",
	}
}

// constant serves one body and does nothing else: what net/http costs by itself.
func constant(t testing.TB, body []byte) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return "http://" + l.Addr().String()
}

// plain is a request as bytes.
func (f *fixture) plain(url string, right access.Right) []byte {
	host, path, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	auth := ""
	if right != access.RightNone {
		auth = "Authorization: Bearer " + f.token(right) + "\r\n"
	}
	return fmt.Appendf(nil, "GET /%s HTTP/1.1\r\nHost: %s\r\n%s\r\n", path, host, auth)
}

// hammer sends a request n times over conns connections, one at a time on each,
// and returns how long each answer took.
func hammer(t testing.TB, request []byte, conns, n int) []time.Duration {
	t.Helper()
	host := ""
	for line := range strings.Lines(string(request)) {
		if rest, ok := strings.CutPrefix(line, "Host: "); ok {
			host = strings.TrimSpace(rest)
		}
	}
	took := make([][]time.Duration, conns)
	var group sync.WaitGroup
	for i := range conns {
		conn, err := net.Dial("tcp", host)
		require.NoError(t, err)
		defer conn.Close()
		group.Go(func() { took[i] = turns(conn, request, n/conns) })
	}
	group.Wait()
	var all []time.Duration
	for _, some := range took {
		require.Len(t, some, n/conns, "every request is answered with 200")
		all = append(all, some...)
	}
	return all
}

// turns asks n times on one connection; it stops early where an answer is no 200.
func turns(conn net.Conn, request []byte, n int) []time.Duration {
	r := bufio.NewReaderSize(conn, 64<<10)
	took := make([]time.Duration, 0, n)
	for range n {
		begun := time.Now()
		if err := exchange(conn, r, request, io.Discard); err != nil {
			return took
		}
		took = append(took, time.Since(begun))
	}
	return took
}

// exchange sends a request and writes the body of its answer, which must be a
// 200, with as little of its own as possible.
func exchange(conn net.Conn, r *bufio.Reader, request []byte, body io.Writer) error {
	if _, err := conn.Write(request); err != nil {
		return err
	}
	status, length := "", int64(0)
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		if status == "" {
			status = string(line[9:12])
		} else if value, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
			if length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil {
				return err
			}
		}
	}
	if status != "200" {
		return fmt.Errorf("status %s", status)
	}
	_, err := io.CopyN(body, r, length)
	return err
}
