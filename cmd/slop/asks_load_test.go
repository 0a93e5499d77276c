package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// TestWaitingAsksAreEachReleasedWithTheirAnswer lets many programs wait for the
// person of a real engine. make load takes the designed number, which the engine
// must hold in the designed memory.
func TestWaitingAsksAreEachReleasedWithTheirAnswer(t *testing.T) {
	t.Parallel()
	asks := load(60, 5000)
	s := newSite(t, nil)
	engine, conn := s.serve("--script", s.script(onePlan(says("unused"))))
	pid := engine.cmd.Process.Pid
	before := residentOf(t, pid)
	session, end := s.engine().Session, events.Filter{Project: filepath.Base(s.dir), Type: "AskRaised"}
	_, raised, err := conn.Watch(t.Context(), end, 1)
	require.NoError(t, err)
	waiting := make([]net.Conn, asks)
	for i := range waiting {
		waiting[i] = s.ask(fmt.Sprintf("r%d", i))
	}
	count := 0
	for e, err := range raised {
		require.NoError(t, err)
		require.Equal(t, session, e.Session)
		if count++; count == asks {
			break
		}
	}
	held := residentOf(t, pid)
	if os.Getenv("SLOP_LOAD") == "full" {
		defer func() { require.LessOrEqual(t, held, 200<<20) }() // when all are answered
	}
	var answering sync.WaitGroup
	wrong := make(chan string, asks)
	for i, c := range waiting {
		answering.Go(func() { wrong <- answered(c, fmt.Sprintf(`{"status": "ok", "response": {"n":%d}}`, i)) })
	}
	for i := range waiting {
		status, _ := s.post("/api/ask/respond", fmt.Sprintf(`{"request_id":"r%d","response":{"n":%d}}`, i, i))
		require.Equal(t, http.StatusOK, status)
	}
	answering.Wait()
	close(wrong)
	for w := range wrong {
		require.Empty(t, w)
	}
	t.Logf("%d asks wait: %d MiB more, %d KiB each; the engine then has %d MiB", asks, (held-before)>>20,
		(held-before)/asks>>10, held>>20)
}

// ask posts a question and leaves the answer to be read.
func (s *site) ask(id string) net.Conn {
	s.t.Helper()
	e := s.engine()
	token, err := os.ReadFile(filepath.Join(e.Tokens, "ask.token"))
	require.NoError(s.t, err)
	host := strings.TrimPrefix(e.Hooks, "http://")
	conn, err := net.Dial("tcp", host)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { conn.Close() })
	body := fmt.Sprintf(`{"request_id":%q,"tool":"run_powershell"}`, id)
	_, err = fmt.Fprintf(conn, "POST /api/ask HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: %d\r\n\r\n%s",
		host, strings.TrimSpace(string(token)), len(body), body)
	require.NoError(s.t, err)
	return conn
}

// answered reads an answer and says what is wrong with it.
func answered(conn net.Conn, want string) string {
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err.Error()
	}
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || string(bytes.TrimSpace(body)) != want {
		return fmt.Sprint(err, response.StatusCode, string(body))
	}
	return ""
}
