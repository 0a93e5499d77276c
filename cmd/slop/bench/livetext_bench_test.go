package bench

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/config"
	"manualslop/events"
)

// livePause is between two pieces of text of the fake provider.
const livePause = 2 * time.Millisecond

// BenchmarkLiveText is how long a piece of a model's text is on its way from the
// provider to a client of /api/stream. b.N is the pieces, each of which says when
// it was sent. The reference is a client of the provider itself.
func BenchmarkLiveText(b *testing.B) {
	pieces := max(b.N, 20)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stamp(w, r, pieces) }))
	defer provider.Close()
	b.Setenv("XDG_CONFIG_HOME", b.TempDir())
	m := newWorkers(b, nil, func(c *config.Config) {
		for n, t := range c.Tiers {
			t.Provider, t.Model = "vllm", "m"
			c.Tiers[n] = t
		}
		c.Providers = map[string]config.Provider{"vllm": {BaseURL: provider.URL}}
	})
	token, err := os.ReadFile(filepath.Join(m.Tokens(), "read.token"))
	require.NoError(b, err)
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, m.Hooks.URL()+"/api/stream?signals=1",
		http.NoBody)
	require.NoError(b, err)
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	feed, err := http.DefaultClient.Do(request)
	require.NoError(b, err)
	defer feed.Body.Close()
	require.Equal(b, http.StatusOK, feed.StatusCode)
	_, _, err = m.writer.Publish(m.Ctx, events.GoalSubmitted{Goal: "talk"})
	require.NoError(b, err)
	ours := delays(b, feed.Body, pieces, "delta")

	bare, err := http.Post(provider.URL, "application/json", http.NoBody)
	require.NoError(b, err)
	defer bare.Body.Close()
	theirs := delays(b, bare.Body, pieces, "content")
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(quantile(ours, 0.5), "µs")
	b.ReportMetric(quantile(ours, 0.99), "µs-p99")
	b.ReportMetric(quantile(theirs, 0.5), "bare-µs")
	b.ReportMetric(quantile(theirs, 0.99), "bare-µs-p99")
}

// stamp answers as a server of Chat Completions whose model tells the time.
func stamp(w http.ResponseWriter, r *http.Request, pieces int) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(format string, args ...any) {
		fmt.Fprintf(w, "data: "+format+"\n\n", args...)
		_ = http.NewResponseController(w).Flush()
	}
	pace := time.NewTicker(livePause)
	defer pace.Stop()
	for range pieces {
		<-pace.C // so that pieces come one by one
		say(`{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"%d "}}]}`,
			time.Now().UnixNano())
	}
	say(`{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	say("[DONE]")
}

// delays reads so many stamps from the fields of a name in server-sent events.
func delays(b *testing.B, feed io.Reader, pieces int, field string) []time.Duration {
	b.Helper()
	var out []time.Duration
	lines := bufio.NewScanner(feed)
	lines.Buffer(nil, 1<<20)
	for len(out) < pieces && lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		_, text, found := strings.Cut(data, `"`+field+`":"`)
		if !ok || !found {
			continue
		}
		now := time.Now()
		text, _, _ = strings.Cut(text, `"`)
		for _, word := range strings.Fields(text) {
			sent, err := strconv.ParseInt(word, 10, 64)
			require.NoError(b, err, "%s", data)
			out = append(out, now.Sub(time.Unix(0, sent)))
		}
	}
	require.GreaterOrEqual(b, len(out), pieces)
	return out
}
