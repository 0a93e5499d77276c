package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/hookgw/hookclient"
)

// feedOf serves one stream of frames after another and notes the positions from
// which they were wanted.
func feedOf(t *testing.T, streams ...string) (*HTTP, *[]string) {
	t.Helper()
	var from []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from = append(from, r.Header.Get("Last-Event-ID"))
		if len(from) > len(streams) {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"error":"the gateway is stopping"}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, streams[len(from)-1])
	}))
	t.Cleanup(server.Close)
	data := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, "read.token"), []byte("secret\n"), 0o600))
	info := site.EngineInfo{PID: os.Getpid(), Hooks: server.URL, Tokens: data}
	remove, err := site.WriteRunFile(data, info)
	require.NoError(t, err)
	t.Cleanup(remove)
	d, err := NewHTTP(site.Place{Data: data}, info)
	require.NoError(t, err)
	return d, &from
}

// sent is an event as the gateway sends it.
func sent(t *testing.T, seq int) string {
	t.Helper()
	e, err := events.New(events.Origin{ID: fmt.Sprintf("E%d", seq), Time: time.Now(), Project: "p1", Session: "s1",
		Actor: "ada"}, events.PauseRequested{})
	require.NoError(t, err)
	b, err := json.Marshal(e)
	require.NoError(t, err)
	return fmt.Sprintf("id: %d\ndata: %s\n\n", seq, b)
}

func read(t *testing.T, d *HTTP, follow bool) (seqs []uint64, last error) {
	t.Helper()
	for e, err := range d.Feed(t.Context(), "s1", 0, nil, follow) {
		if err != nil {
			return seqs, err
		}
		seqs = append(seqs, e.Seq)
	}
	return seqs, nil
}

func TestAHistoryEndsAtTheSnapshotHoweverLargeThatIs(t *testing.T) {
	t.Parallel()
	snapshot := "event: snapshot\nid: 2\ndata: " + strings.Repeat("x", 2*hookclient.MaxStreamLine) + "\n\n"
	d, _ := feedOf(t, "retry: 1000\n\n"+sent(t, 1)+sent(t, 2)+snapshot+sent(t, 3))
	seqs, err := read(t, d, false)
	require.NoError(t, err)
	require.Equal(t, []uint64{1, 2}, seqs)
}

func TestAHistoryOfASlowReaderIsTakenUpWhereItBroke(t *testing.T) {
	t.Parallel()
	const snapshot = "event: snapshot\nid: 3\ndata: {}\n\n"
	d, from := feedOf(t,
		sent(t, 1)+"event: disconnected\nid: 1\ndata: {}\n\n",
		sent(t, 2)+strings.TrimSuffix(sent(t, 3), "\n"),
		sent(t, 3)+snapshot)
	seqs, err := read(t, d, false)
	require.NoError(t, err)
	require.Equal(t, []uint64{1, 2, 3}, seqs)
	require.Equal(t, []string{"", "1", "2"}, *from)
}

func TestABrokenHistoryIsAnErrorAndNotAShortOne(t *testing.T) {
	t.Parallel()
	d, _ := feedOf(t, sent(t, 1))
	seqs, err := read(t, d, false)
	var refused *hookclient.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, []uint64{1}, seqs)
	d, _ = feedOf(t, "")
	_, err = read(t, d, false)
	require.ErrorIs(t, err, ErrStreamEnded)
}

func TestAFollowedStreamIsTakenUpWhereItBroke(t *testing.T) {
	t.Parallel()
	d, from := feedOf(t,
		sent(t, 1)+": heartbeat\nid: 7\n\nevent: disconnected\nid: 7\ndata: {}\n\n",
		sent(t, 8)+sent(t, 9))
	seqs, err := read(t, d, true)
	var refused *hookclient.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, []uint64{1, 8, 9}, seqs)
	require.Equal(t, []string{"", "7", "9"}, *from)
}

func TestAnEventOverTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	d, _ := feedOf(t, "id: 1\ndata: {\"x\":\""+strings.Repeat("x", hookclient.MaxStreamLine)+"\"}\n\n")
	_, err := read(t, d, false)
	require.ErrorIs(t, err, hookclient.ErrTooLong)
}

func TestATokenIsNeverSentToAnotherMachine(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"http://example.org:8999", "https://127.0.0.1:1", "http://127.0.0.1.example.org", "//x",
		"file:///etc", ""} {
		_, err := NewAPIClient(site.EngineInfo{Hooks: url}, "human")
		require.ErrorContains(t, err, "is not on this machine", url)
	}
}

func TestAHistoryWhoseReaderGivesUpIsNotAShortOne(t *testing.T) {
	t.Parallel()
	d, _ := feedOf(t, sent(t, 1)+sent(t, 2))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range HistoryOf(ctx, d, "s1") {
		cancel()
		last = err
	}
	require.ErrorIs(t, last, context.Canceled)
}
