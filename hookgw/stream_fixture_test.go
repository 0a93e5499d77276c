package hookgw_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/hookgw/access"
)

// frame is one server-sent event.
type frame struct {
	event, data, comment string
	id                   uint64
	hasID                bool
}

// typ is the type of the fact in a frame.
func (fr frame) typ(t *testing.T) string {
	t.Helper()
	var e struct {
		Type string `json:"type"`
	}
	require.NoError(t, json.Unmarshal([]byte(fr.data), &e), fr.data)
	return e.Type
}

// reader reads the frames of a feed.
type reader struct {
	t    testing.TB
	body *bufio.Reader
}

// feed opens a feed that must be accepted. It ends with the test, or before by end.
func (f *fixture) feed(path string, lastEventID ...string) (r *reader, end func()) {
	f.t.Helper()
	ctx, cancel := context.WithCancel(f.t.Context())
	req := f.request(http.MethodGet, path, access.RightRead, "").WithContext(ctx)
	if len(lastEventID) > 0 {
		req.Header.Set("Last-Event-ID", lastEventID[0])
	}
	resp, err := f.client.Do(req)
	require.NoError(f.t, err)
	end = func() { cancel(); resp.Body.Close() }
	f.t.Cleanup(end)
	require.Equal(f.t, http.StatusOK, resp.StatusCode)
	require.Equal(f.t, "text/event-stream", resp.Header.Get("Content-Type"))
	return &reader{f.t, bufio.NewReader(resp.Body)}, end
}

// next is the next frame, io.EOF at the feed's end.
func (r *reader) next() (frame, error) {
	var fr frame
	for {
		line, err := r.body.ReadString('\n')
		if err != nil {
			return frame{}, err
		}
		line = strings.TrimSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && fr == (frame{}):
		case line == "":
			return fr, nil
		case name == "":
			fr.comment = value
		case name == "id":
			fr.id, err = strconv.ParseUint(value, 10, 64)
			require.NoError(r.t, err)
			fr.hasID = true
		case name == "event":
			fr.event = value
		case name == "data":
			fr.data = value
		case name != "retry":
			r.t.Fatalf("line of a feed: %q", line)
		}
	}
}

// must is the next frame.
func (r *reader) must() frame {
	r.t.Helper()
	fr, err := r.next()
	require.NoError(r.t, err)
	return fr
}

// telling is the next frame that is no heartbeat.
func (r *reader) telling() frame {
	r.t.Helper()
	for {
		if fr := r.must(); fr.comment == "" {
			return fr
		}
	}
}

// rest reads until the feed ends.
func (r *reader) rest() []frame {
	r.t.Helper()
	var all []frame
	for {
		fr, err := r.next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(r.t, err)
		all = append(all, fr)
	}
}
