package transport_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

// slow is an endpoint that waits for its header and then before each byte.
func slow(header, each time.Duration, bytes int) llm.Endpoint {
	return llm.Endpoint{Client: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		select {
		case <-time.After(header):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		out, in := io.Pipe()
		go func() {
			for range bytes {
				select {
				case <-time.After(each):
				case <-r.Context().Done():
					in.CloseWithError(r.Context().Err())
					return
				}
				_, _ = in.Write([]byte("x"))
			}
			_ = in.Close()
		}()
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: out}, nil
	})}}
}

func TestAnAnswerThatBringsNothingIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header, each, silence, ends time.Duration
		fails                       bool
	}{
		"slow, but never silent": {transport.FirstContent - 1, transport.FirstContent - 1, 0,
			4 * (transport.FirstContent - 1), false},
		"no header": {transport.FirstContent + 1, 0, 0, transport.FirstContent, true},
		"silent before content": {time.Second, transport.FirstContent + 1, 0, transport.FirstContent + time.Second,
			true},
		"silent for a limit of yours": {0, 3 * time.Second, 2 * time.Second, 2 * time.Second, true},
		"a longer limit of yours": {0, transport.FirstContent * 2, transport.FirstContent * 3, transport.FirstContent * 6,
			false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				text, failed := attempt(t, transport.Begin(slow(c.header, c.each, 3), transport.Options{Stream: true,
					Silence: c.silence}), "http://server.invalid")
				require.InDelta(t, c.ends.Seconds(), time.Since(began).Seconds(), 0.001)
				if !c.fails {
					require.Nil(t, failed)
					require.Equal(t, "xxx", text)
					return
				}
				require.Equal(t, events.ModelNetwork, failed.Kind)
				require.Contains(t, failed.Message, "the server sent nothing for")
			})
		})
	}
}

func TestSilenceBehindContentEndsAStreamSooner(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		chunk llm.Chunk
		ends  time.Duration
	}{
		"text":   {llm.TextDelta("x"), transport.Silence},
		"a call": {llm.CallBegin{}, transport.Silence},
		"usage":  {llm.Usage{}, transport.FirstContent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				call := transport.Begin(slow(0, transport.FirstContent*2, 1), transport.Options{Stream: true})
				call.Watch(func(llm.Chunk, error) bool { return true })(c.chunk, nil)
				_, failed := attempt(t, call, "http://server.invalid")
				require.Equal(t, events.ModelNetwork, failed.Kind)
				require.InDelta(t, c.ends.Seconds(), time.Since(began).Seconds(), 0.001)
			})
		})
	}
}

// TestSilenceRightBehindTheFirstContentEndsAStreamSooner has a stream whose first
// byte is its first content.
func TestSilenceRightBehindTheFirstContentEndsAStreamSooner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		call := transport.Begin(slow(0, transport.FirstContent-time.Second, 2), transport.Options{Stream: true})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://server.invalid", http.NoBody)
		require.NoError(t, err)
		resp, err := call.Client().Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		_, err = io.ReadFull(resp.Body, make([]byte, 1))
		require.NoError(t, err)
		began := time.Now()
		call.Watch(func(llm.Chunk, error) bool { return true })(llm.TextDelta("x"), nil)
		_, err = io.ReadAll(resp.Body)
		require.ErrorContains(t, err, "the server sent nothing for "+transport.Silence.String())
		require.InDelta(t, transport.Silence.Seconds(), time.Since(began).Seconds(), 0.001)
	})
}

func TestAnAnswerThatNeverEndsIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, failed := attempt(t, transport.Begin(slow(0, transport.Silence/2, 1<<30), transport.Options{Stream: true}),
			"http://server.invalid")
		require.InDelta(t, transport.Longest.Seconds(), time.Since(began).Seconds(), 0.001)
		require.Equal(t, events.ModelNetwork, failed.Kind)
		require.Contains(t, failed.Message, "the answer did not end within 2h0m0s")
	})
}
