package transport_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

func TestEveryStatusHasAKind(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{
		300: events.ModelInvalidRequest, 304: events.ModelInvalidRequest, 400: events.ModelInvalidRequest,
		401: events.ModelAuth, 402: events.ModelAuth, 403: events.ModelAuth,
		404: events.ModelInvalidRequest, 405: events.ModelInvalidRequest, 408: events.ModelOverloaded,
		409: events.ModelNetwork, 413: events.ModelContextTooLong,
		422: events.ModelInvalidRequest, 425: events.ModelNetwork, 429: events.ModelRateLimited, 500: events.ModelOverloaded,
		503: events.ModelOverloaded, 529: events.ModelOverloaded, 600: events.ModelNetwork,
	} {
		require.Equal(t, want, transport.Kind(code), code)
		_, failed := ask(t, transport.Options{Stream: true}, says(code, "why"))
		require.Equal(t, want, failed.Kind, code)
	}
}

func TestRetryAfterIsReadAndBounded(t *testing.T) {
	t.Parallel()
	const now = "Sun, 22 Nov 2026 10:00:00 GMT"
	for name, c := range map[string]struct {
		headers []string
		want    time.Duration
	}{
		"none":                   {nil, 0},
		"at once":                {[]string{"Retry-After", "0"}, 0},
		"a second":               {[]string{"Retry-After", "1"}, time.Second},
		"a part of one":          {[]string{"Retry-After", "0.25"}, 250 * time.Millisecond},
		"milliseconds":           {[]string{"Retry-After", "1", "Retry-After-Ms", "1500"}, 1500 * time.Millisecond},
		"an hour":                {[]string{"Retry-After", "3600"}, time.Hour},
		"more than an hour":      {[]string{"Retry-After", "3601"}, time.Hour},
		"for ever":               {[]string{"Retry-After", "1e300"}, time.Hour},
		"in the past":            {[]string{"Retry-After", "-5"}, 0},
		"no number":              {[]string{"Retry-After", "NaN"}, 0},
		"words":                  {[]string{"Retry-After", "soon"}, 0},
		"a date":                 {[]string{"Date", now, "Retry-After", "Sun, 22 Nov 2026 10:00:30 GMT"}, 30 * time.Second},
		"a date that has passed": {[]string{"Date", now, "Retry-After", "Sun, 22 Nov 2026 09:00:30 GMT"}, 0},
		"a date next year":       {[]string{"Date", now, "Retry-After", "Mon, 22 Nov 2027 10:00:30 GMT"}, time.Hour},
	} {
		_, failed := ask(t, transport.Options{}, says(429, "slow down", c.headers...))
		require.Equal(t, events.ModelRateLimited, failed.Kind, name)
		require.Equal(t, c.want, failed.RetryAfter, name)
	}
}

func TestAStatusSaysWhatTheServerSaid(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"type":"error","error":{"type":"x","message":"no such model"}}`: "the server answered 400 Bad Request: no such " +
			"model",
		`{"error":"no such model"}`:        "the server answered 400 Bad Request: no such model",
		`{"message":"no such model"}`:      "the server answered 400 Bad Request: no such model",
		`{"detail":"no such model"}`:       "the server answered 400 Bad Request: no such model",
		"<html>\n  <b>no such   model</b>": "the server answered 400 Bad Request: <html> <b>no such model</b>",
		`{"other":1}`:                      `the server answered 400 Bad Request: {"other":1}`,
		"":                                 "the server answered 400 Bad Request",
		"bad \xff byte " + strings.Repeat("x", 1000) + " tail": "the server answered 400 Bad Request: bad \uFFFD byte " +
			strings.Repeat("x", 300-len("bad \uFFFD byte ")) + "…",
	} {
		_, failed := ask(t, transport.Options{}, says(400, body))
		require.Equal(t, want, failed.Message)
	}
}

func TestAFailureSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{401: "slop models --check shows",
		403: "slop models --check shows",
		404: "is base_url right?"} {
		_, failed := ask(t, transport.Options{}, says(code, "no"))
		require.Contains(t, failed.Message, want)
	}
	_, failed := ask(t, transport.Options{}, says(500, "no"))
	require.Equal(t, "the server answered 500 Internal Server Error: no", failed.Message)
	server := httptest.NewServer(says(200, ""))
	server.Close()
	_, failed = attempt(t, transport.Begin(llm.Endpoint{}, transport.Options{}), server.URL)
	require.Equal(t, events.ModelNetwork, failed.Kind)
	require.Contains(t, failed.Message, "connection refused (is the network up, the server running, and base_url right?)")
}

func TestTheBodyOfAFailureIsBounded(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int{0: 0, transport.MaxFailure: transport.MaxFailure, transport.MaxFailure +
		1: transport.MaxFailure} {
		c := transport.Begin(llm.Endpoint{Client: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response,
			error) {
			return &http.Response{StatusCode: 400, Body: io.NopCloser(strings.NewReader(strings.Repeat("x", size)))}, nil
		})}}, transport.Options{})
		_, err := c.Client().Get("http://server.invalid")
		var s *transport.Status
		require.ErrorAs(t, err, &s)
		require.Len(t, s.Body, want)
	}
}

func TestAVendorRefinesAStatus(t *testing.T) {
	t.Parallel()
	c := transport.Begin(llm.Endpoint{Client: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response,
		error) {
		return &http.Response{StatusCode: 400, Header: http.Header{"Retry-After": {"7"}}, Body: http.NoBody}, nil
	})}}, transport.Options{})
	_, err := c.Client().Get("http://server.invalid")
	failed := c.Error(t.Context(), err, func(s *transport.Status) (string, string) {
		require.Equal(t, 400, s.Code)
		return events.ModelContextTooLong, "too long"
	})
	require.Equal(t, llm.Error{Kind: events.ModelContextTooLong, Message: "too long", RetryAfter: 7 * time.Second},
		*failed)
}
