package transport_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

func TestTheRequestCarriesTheGivenBodyAndHeaders(t *testing.T) {
	t.Parallel()
	text, failed := ask(t, transport.Options{Body: []byte(`{"exact": 1}`)}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		require.Equal(t, `{"exact": 1}`, string(body))
		require.EqualValues(t, len(body), r.ContentLength)
		require.Equal(t, "Bearer gatekeeper-token", r.Header.Get("X-Gate"))
		require.Equal(t, "application/json", r.Header.Get("Content-Type"))
		_, _ = io.WriteString(w, "ok")
	})
	require.Nil(t, failed)
	require.Equal(t, "ok", text)
}

func TestASuccessThatIsNoEventStreamIsAnError(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"text/html", "application/json", ""} {
		_, failed := ask(t, transport.Options{Stream: true}, says(200, "<html>Please log in, "+key, "Content-Type", kind))
		require.Equal(t, events.ModelNetwork, failed.Kind)
		require.Contains(t, failed.Message, "must be an event stream")
		require.Contains(t, failed.Message, "Please log in, [key]")
	}
	text, failed := ask(t, transport.Options{Stream: true}, says(200, "data: x\n\n", eventStream...))
	require.Nil(t, failed)
	require.Equal(t, "data: x\n\n", text)
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed")
	}))
	t.Cleanup(other.Close)
	for _, code := range []int{301, 302, 303, 307, 308} {
		_, failed := ask(t, transport.Options{}, says(code, "", "Location", other.URL))
		require.Equal(t, events.ModelInvalidRequest, failed.Kind)
		require.Contains(t, failed.Message, "base_url")
	}
}

func TestCompressedAnswersAreUnpacked(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := io.WriteString(z, ": x\r\ndata: y\r\n\r\n")
	require.NoError(t, err)
	require.NoError(t, z.Close())
	gzipped := append([]string{"Content-Encoding", "gzip"}, eventStream...)

	text, failed := ask(t, transport.Options{Stream: true}, says(200, packed.String(), gzipped...))
	require.Nil(t, failed)
	require.Equal(t, "data: y\n\n", text)

	_, failed = ask(t, transport.Options{Stream: true}, says(200, packed.String()[:packed.Len()-4], gzipped...))
	require.Equal(t, events.ModelNetwork, failed.Kind, "cut off")
	_, failed = ask(t, transport.Options{Stream: true}, says(200, "no gzip at all", gzipped...))
	require.Equal(t, events.ModelNetwork, failed.Kind)
	_, failed = ask(t, transport.Options{}, says(200, "x", "Content-Encoding", "br"))
	require.Equal(t, events.ModelNetwork, failed.Kind)
}

func TestWhatAnAnswerMayHoldIsBounded(t *testing.T) {
	t.Parallel()
	_, failed := ask(t, transport.Options{}, says(200, "", "X-Long", strings.Repeat("x", transport.MaxHeader)))
	require.Equal(t, events.ModelNetwork, failed.Kind)
	require.Contains(t, failed.Message, "header")

	text, failed := ask(t, transport.Options{}, says(200, strings.Repeat("x", transport.MaxAnswer)))
	require.Nil(t, failed)
	require.Len(t, text, transport.MaxAnswer)
	_, failed = ask(t, transport.Options{}, says(200, strings.Repeat("x", transport.MaxAnswer+1)))
	require.Equal(t, events.ModelNetwork, failed.Kind)
	require.Contains(t, failed.Message, "has more than")

	for size, want := range map[int]string{transport.MaxStream: "", transport.MaxStream + 1: events.ModelNetwork} {
		c := transport.Begin(llm.Endpoint{Client: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response,
			error) {
			return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}},
				Body: io.NopCloser(io.LimitReader(colons{}, int64(size)))}, nil
		})}}, transport.Options{Stream: true})
		_, failed := attempt(t, c, "http://server.invalid")
		if want == "" {
			require.Nil(t, failed)
			continue
		}
		require.Equal(t, want, failed.Kind)
	}
}

// colons is a comment without an end.
type colons struct{}

func (colons) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ':'
	}
	return len(p), nil
}

// roundTrip is a transport that is a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNoErrorHoldsAKey(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{key, "gatekeeper-token", "sk-secret%2Fkey+1", "sk-secret%2Fkey%2B1"} {
		_, failed := ask(t, transport.Options{}, says(400, `{"error":{"message":"bad key `+secret+`"}}`))
		require.NotContains(t, failed.Message, secret)
		require.Contains(t, failed.Message, "bad key [key]")
		c := transport.Begin(llm.Endpoint{Key: key, Headers: map[string]string{"A": "gatekeeper-token"},
			Client: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				return nil, errors.New("no route for " + secret)
			})}}, transport.Options{})
		_, failed = attempt(t, c, "http://server.invalid")
		for err := error(failed); err != nil; err = unwrap(err) {
			require.NotContains(t, err.Error(), secret)
		}
		require.Contains(t, failed.Message, "no route for [key]")
	}
}

func unwrap(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok {
		return u.Unwrap()
	}
	return nil
}

func TestACancelledAttemptIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: x\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	c := transport.Begin(llm.Endpoint{}, transport.Options{Stream: true})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	resp, err := c.Client().Do(req)
	require.NoError(t, err)
	begun := make([]byte, len("data: x\n\n"))
	_, err = io.ReadFull(resp.Body, begun)
	require.NoError(t, err, "what was streamed is here before the stream ends")
	cancel()
	_, err = io.ReadAll(resp.Body)
	require.Error(t, err)
	require.NoError(t, resp.Body.Close())
	failed := c.Error(ctx, err, nil)
	require.Equal(t, events.ModelCancelled, failed.Kind)
	require.ErrorIs(t, failed, context.Canceled)
}

func TestAConnectionThatBreaksIsANetworkError(t *testing.T) {
	t.Parallel()
	_, failed := ask(t, transport.Options{Stream: true}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: x\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	require.Equal(t, events.ModelNetwork, failed.Kind)
}

func TestWhatTheTransportSawCountsMoreThanWhatTheSDKSays(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(says(529, "busy"))
	t.Cleanup(server.Close)
	c := transport.Begin(llm.Endpoint{}, transport.Options{})
	_, err := c.Client().Get(server.URL)
	require.Error(t, err)
	require.Equal(t, events.ModelOverloaded, c.Error(t.Context(), io.ErrNoProgress, nil).Kind)
	require.Equal(t, events.ModelOverloaded, c.Error(t.Context(), nil, nil).Kind)
	require.Nil(t, transport.Begin(llm.Endpoint{}, transport.Options{}).Error(t.Context(), nil, nil))
}

// nothing is gzip that unpacks to nothing for ever: empty files with long headers.
type nothing struct {
	file []byte
	sent int
}

func newNothing() *nothing {
	const begin, extra, end = "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff", "\xff\xff",
		"\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	return &nothing{file: []byte(begin + extra + strings.Repeat("x", 0xffff) + end)}
}

func (n *nothing) Read(p []byte) (int, error) {
	copied := copy(p, n.file[n.sent%len(n.file):])
	n.sent += copied
	return copied, nil
}

func TestAnAnswerThatUnpacksToNothingIsBounded(t *testing.T) {
	t.Parallel()
	for _, code := range []int{200, 500} {
		sent := newNothing()
		c := transport.Begin(llm.Endpoint{Client: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response,
			error) {
			return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"text/event-stream"},
				"Content-Encoding": {"gzip"}}, Body: io.NopCloser(sent)}, nil
		})}}, transport.Options{Stream: true})
		_, failed := attempt(t, c, "http://server.invalid")
		require.NotNil(t, failed, code)
		require.InDelta(t, transport.MaxStream, sent.sent, 1<<20, "all that may come, and no more")
	}
}
