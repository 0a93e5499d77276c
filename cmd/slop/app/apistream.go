package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"manualslop/events"
)

// maxStreamLine bounds one line of the gateway's stream that is kept. Longer
// ones, such as a large snapshot's, are passed over.
const maxStreamLine = 2 * events.MaxEventBytes

// errStreamEnded says that the gateway ended a stream that should go on.
var errStreamEnded = errors.New("the stream ended")

// apiStream is an open stream of server-sent events.
type apiStream struct {
	body io.Closer
	r    *bufio.Reader
	at   uint64 // the last sequence that the gateway named
}

// frame is one message of the stream.
type frame struct {
	kind string // "" for an event of the log, else snapshot or disconnected
	data []byte
	over bool // the data was too long to keep
}

// openStream opens the stream of a session behind a sequence.
func (c *apiClient) openStream(ctx context.Context, session string, after uint64, filters []subjectPattern) (*apiStream, error) {
	query := url.Values{"session": {session}, "client": {"slop"}}
	for _, f := range filters {
		query.Add("filter", f.String())
	}
	header := http.Header{"Accept": {"text/event-stream"}}
	if after > 0 {
		header.Set("Last-Event-ID", strconv.FormatUint(after, 10))
	}
	res, err := c.open(ctx, http.MethodGet, "/api/stream", query, nil, header)
	if err != nil {
		return nil, err
	}
	return &apiStream{body: res.Body, r: bufio.NewReaderSize(res.Body, 64<<10), at: after}, nil
}

// next reads the next frame that carries data.
func (s *apiStream) next() (frame, error) {
	var f frame
	for {
		line, over, err := s.line()
		if err != nil {
			return f, err
		}
		if len(line) == 0 {
			if f.data != nil || f.over {
				return f, nil
			}
			f = frame{}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			f.kind = string(value)
		case "id":
			if at, err := strconv.ParseUint(string(value), 10, 64); err == nil {
				s.at = max(s.at, at)
			}
		case "data":
			f.data, f.over = append(f.data, value...), f.over || over
		}
	}
}

// line reads one line without its end. One over maxStreamLine is cut, and over is true.
func (s *apiStream) line() (line []byte, over bool, err error) {
	for {
		part, err := s.r.ReadSlice('\n')
		if len(line)+len(part) > maxStreamLine {
			over = true
			part = part[:max(0, min(len(part), maxStreamLine-len(line)))]
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), over, err
		}
	}
}

// event reads an event of the log out of a frame.
func (s *apiStream) event(f frame) (events.Event, error) {
	var e events.Event
	if f.over {
		return e, fmt.Errorf("event %d: %w", s.at, errLongAnswer)
	}
	if err := json.Unmarshal(f.data, &e); err != nil {
		return e, fmt.Errorf("event %d: %w", s.at, err)
	}
	e.Seq = s.at
	return e, nil
}
