package transport_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

// streamed is what an SDK reads of an event stream that comes through r.
func streamed(t *testing.T, r io.Reader) string {
	t.Helper()
	text, failed := attempt(t,
		transport.Begin(llm.Endpoint{Client: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}},
				Body: io.NopCloser(r)}, nil
		})}}, transport.Options{Stream: true}), "http://server.invalid")
	require.Nil(t, failed)
	return text
}

func TestEventStreamsAreCleaned(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"event: a\ndata: {}\n\n":                  "event: a\ndata: {}\n\n",
		"event: a\r\ndata: {}\r\n\r\ndata: y\r\n": "event: a\ndata: {}\n\ndata: y\n",
		"data: x\r\rdata: y\r\r":                  "data: x\n\ndata: y\n\n",
		": ping\n\ndata: x\n\n":                   "data: x\n\n",
		"data: x\n: in between\ndata: y\n\n:\n\n": "data: x\ndata: y\n\n",
		"\n\n\ndata: x\n\n\n\n":                   "data: x\n\n",
		"\xEF\xBB\xBFdata: ünï\n\n":               "data: ünï\n\n",
		"\xEF\xBBdata":                            "\xEF\xBBdata",
		"\xEF":                                    "\xEF",
		"data: a:b: c\n\n":                        "data: a:b: c\n\n",
		"data: no end":                            "data: no end",
		":only a comment":                         "",
		"":                                        "",
	} {
		require.Equal(t, want, streamed(t, strings.NewReader(given)))
		require.Equal(t, want, streamed(t, iotest.OneByteReader(strings.NewReader(given))))
		require.Equal(t, want, streamed(t, iotest.DataErrReader(strings.NewReader(given))))
	}
}
