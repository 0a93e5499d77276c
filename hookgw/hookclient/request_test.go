package hookclient_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/hookgw/hookclient"
)

// answers is a gateway that gives one answer after another and then fails the test.
func answers(t *testing.T, all ...http.HandlerFunc) (*hookclient.Client, *atomic.Int32) {
	t.Helper()
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := int(n.Add(1)) - 1
		if i >= len(all) {
			t.Errorf("request %d: %s %s was not expected", i+1, r.Method, r.URL)
			w.WriteHeader(http.StatusTeapot)
			return
		}
		all[i](w, r)
	}))
	t.Cleanup(server.Close)
	return client(t, hookclient.Options{BaseURL: server.URL}), &n
}

func client(t *testing.T, o hookclient.Options) *hookclient.Client {
	t.Helper()
	o.RetryDelay = time.Millisecond
	c, err := hookclient.New(o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

func refuses(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// hangsUp closes the connection instead of answering.
func hangsUp(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.Close()
	}
}

func TestAReadIsRepeatedWhenItsAnswerIsLostOrTheGatewayIsBusy(t *testing.T) {
	t.Parallel()
	c, n := answers(t, hangsUp, refuses(503, `{"error":"stopping","hint":"wait"}`), says(`{"status": "ok"}`))
	got, err := c.GetStatus(t.Context())
	require.NoError(t, err)
	require.Equal(t, "ok", got.Status)
	require.EqualValues(t, 3, n.Load())
}

func TestAReadIsGivenUpAfterTheLastRetry(t *testing.T) {
	t.Parallel()
	c, n := answers(t, hangsUp, hangsUp, hangsUp, hangsUp, hangsUp, hangsUp)
	_, err := c.GetStatus(t.Context())
	require.ErrorIs(t, err, hookclient.ErrUnreachable)
	require.EqualValues(t, hookclient.DefaultMaxRetries+1, n.Load())
}

func TestEventsOfALostAnswerAreReadAgain(t *testing.T) {
	t.Parallel()
	batch := `{"events":[{"type":"tick","ts":"","payload":1}],"through":7}`
	c, n := answers(t, hangsUp, says(batch), hangsUp, says(`{"events":[],"through":7}`))
	got, err := c.GetEvents(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.EqualValues(t, 4, n.Load())
}

func TestEventsAreAcknowledgedInTheirSession(t *testing.T) {
	t.Parallel()
	var asked []string
	acknowledged := func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Get("session"), r.URL.Query().Get("through"))
		says(`{"events":[],"through":7}`)(w, r)
	}
	c, _ := answers(t, says(`{"events":[{"type":"tick","ts":"","payload":1}],"through":7,"session":"S1"}`), acknowledged)
	_, err := c.GetEvents(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"S1", "7"}, asked)
}

func TestEventsThatCannotBeAcknowledgedAreReturned(t *testing.T) {
	t.Parallel()
	batch := `{"events":[{"type":"tick","ts":"","payload":1}],"through":7}`
	lost := []http.HandlerFunc{says(batch)}
	for range 2 * (hookclient.DefaultMaxRetries + 1) { // the transport repeats some, too
		lost = append(lost, hangsUp)
	}
	c, _ := answers(t, lost...)
	got, err := c.GetEvents(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 1)
}

func TestAWriteWhoseAnswerIsLostIsNotRepeated(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]http.HandlerFunc{"lost": hangsUp, "503": refuses(503, `{}`)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, n := answers(t, lost)
			require.Error(t, c.SetValue(t.Context(), "ai_input", "hello"))
			require.EqualValues(t, 1, n.Load())
		})
	}
}

func TestAWriteThatNobodySawIsRepeated(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(says(`{"status": "queued"}`))
	t.Cleanup(server.Close)
	var dials atomic.Int32
	c := client(t, hookclient.Options{BaseURL: server.URL, Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if dials.Add(1) < 3 {
				addr = "127.0.0.1:1" // nothing listens there
			}
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		}}})
	require.NoError(t, c.SetValue(t.Context(), "ai_input", "hello"))
	require.EqualValues(t, 3, dials.Load())
}

func TestALostAskIsSentAgainUnderItsRequestID(t *testing.T) {
	t.Parallel()
	var ids []string
	note := func(then http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			var body struct {
				RequestID string `json:"request_id"`
			}
			_ = json.NewDecoder(r.Body).Decode(&body)
			ids = append(ids, body.RequestID)
			then(w, r)
		}
	}
	c, _ := answers(t, note(hangsUp), note(says(`{"status": "ok", "response": {"approved": true}}`)))
	got, err := c.RequestConfirmation(t.Context(), "edit_file", map[string]any{"path": "a.py"})
	require.NoError(t, err)
	require.JSONEq(t, `{"approved": true}`, string(got))
	require.Len(t, ids, 2)
	require.NotEmpty(t, ids[0])
	require.Equal(t, ids[0], ids[1])
}

func TestARefusalSaysWhatTheGatewaySaid(t *testing.T) {
	t.Parallel()
	c, _ := answers(t, refuses(409,
		`{"error":"this ask is already settled: no","hint":"look","settled_by":"ada","outcome":"no"}`))
	err := c.RespondToAsk(t.Context(), "r-1", true)
	var refused *hookclient.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 409, refused.Status)
	require.Equal(t, "ada", refused.SettledBy)
	require.EqualError(t, err, "this ask is already settled: no. look")
}

func TestWhatIsNoAnswerOfTheGatewayIsAnError(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"no JSON": says("<html>"),
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		},
		"refusal of another": refuses(404, "not found"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := answers(t, h)
			_, err := c.GetStatus(t.Context())
			require.Error(t, err)
		})
	}
}

func TestAMethodEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c, _ := answers(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := c.GetStatus(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestTheTokenOfTheFileIsSent(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "human.token")
	require.NoError(t, os.WriteFile(file, []byte("secret\n"), 0o600))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = w.Write([]byte(`{"status": "ok"}`))
	}))
	t.Cleanup(server.Close)
	_, err := client(t, hookclient.Options{BaseURL: server.URL, TokenFile: file}).GetStatus(t.Context())
	require.NoError(t, err)
}

func TestUnusableOptionsAreRefused(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for name, o := range map[string]hookclient.Options{
		"scheme":     {BaseURL: "ftp://127.0.0.1"},
		"host":       {BaseURL: "http://"},
		"query":      {BaseURL: "http://127.0.0.1:1/?token=x"},
		"no token":   {TokenFile: empty},
		"no file":    {TokenFile: filepath.Join(filepath.Dir(empty), "absent")},
		"unreadable": {BaseURL: "http://127.0.0.1:\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := hookclient.New(o)
			require.Error(t, err)
		})
	}
}

func TestMakeRequestTakesPathsOnly(t *testing.T) {
	t.Parallel()
	c := client(t, hookclient.Options{BaseURL: "http://127.0.0.1:1", MaxRetries: -1})
	for _, endpoint := range []string{"", "status", "http://example.com/status", "//example.com/status"} {
		_, err := c.MakeRequest(t.Context(), http.MethodGet, endpoint, nil)
		require.ErrorIs(t, err, hookclient.ErrOptions, endpoint)
	}
}

func TestWaitingForAServerThatDoesNotComeEnds(t *testing.T) {
	t.Parallel()
	c := client(t, hookclient.Options{BaseURL: "http://127.0.0.1:1"})
	require.ErrorIs(t, c.WaitForServer(t.Context(), 20*time.Millisecond), hookclient.ErrTimeout)
}

func TestWaitingForAServerEndsWhenItComes(t *testing.T) {
	t.Parallel()
	c, n := answers(t, hangsUp, refuses(503, `{}`), says(`{"status": "ok"}`))
	require.NoError(t, c.WaitForServer(t.Context(), time.Minute))
	require.EqualValues(t, 3, n.Load())
}

func TestWaitingForAValueComparesAsJSON(t *testing.T) {
	t.Parallel()
	c, _ := answers(t, says(`{"value": null}`), says(`{"value": {"b": 2, "a": [1]}}`))
	require.NoError(t, c.WaitForValue(t.Context(), "x", map[string]any{"a": []int{1}, "b": 2}, time.Minute))
	c, _ = answers(t, says(`{"value": 1}`))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, c.WaitForValue(ctx, "x", 2, time.Minute), context.Canceled)
}

func TestWaitingForAnEventPassesOthersOver(t *testing.T) {
	t.Parallel()
	taken := says(`{"events": []}`)
	c, _ := answers(t, says(`{"events": [{"type": "response"}], "through": 3}`), taken,
		says(`{"events": [{"type": "ask_received", "seq": 7, "payload": {"n": 1}}], "through": 7}`), taken)
	got, err := c.WaitForEvent(t.Context(), "ask_received", time.Minute)
	require.NoError(t, err)
	require.EqualValues(t, 7, got.Seq)
	require.JSONEq(t, `{"n": 1}`, string(got.Payload))
}

func TestANodesStatusFallsBackOnTheIndicator(t *testing.T) {
	t.Parallel()
	c, _ := answers(t, says(`{"value": null}`), says(`{"thinking": true, "live": false, "prior": false}`))
	status, known, err := c.GetNodeStatus(t.Context(), "thinking_indicator")
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, "active", status)
}

func TestAPositionCountsWithItsWholeFrame(t *testing.T) {
	t.Parallel()
	c, _ := answers(t, says("id: 1\ndata: {}\n\nid: 2\ndata: {}\n"))
	s, err := c.OpenStream(t.Context(), hookclient.StreamOptions{})
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Next()
	require.NoError(t, err)
	_, err = s.Next()
	require.Error(t, err)
	require.EqualValues(t, 1, s.Position(), "the next stream brings 2 again")
}
