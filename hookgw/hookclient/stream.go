package hookclient

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"manualslop/events"
)

// MaxStreamLine limits a line of a stream. Longer lines, such as those of a large snapshot, are skipped.
const MaxStreamLine = 2 * events.MaxEventBytes

// Kinds of frames besides the log's events, whose kind is empty.
const (
	// FrameSnapshot carries the state of the read models, after everything that was stored when the stream began.
	FrameSnapshot = "snapshot"
	// FrameDisconnected is the last frame of a stream that the gateway ends.
	FrameDisconnected = "disconnected"
)

// StreamOptions selects what a stream shows.
type StreamOptions struct {
	// Since is the position to begin after: the last known sequence.
	Since uint64
	// Filters are subjects with wildcards; a match of any selects an event. None: everything.
	Filters []string
	// Reader is the name under which the gateway counts the stream.
	Reader string
}

// Frame is one message of a stream.
type Frame struct {
	Kind string
	Data []byte
	// Cut means that the data was too long to keep.
	Cut bool
}

// Stream is an open GET /api/stream. It is not safe for concurrent use.
type Stream struct {
	r    *bufio.Reader
	at   uint64
	done func()
}

// OpenStream opens the server-sent events of the session. Close must be called.
func (c *Client) OpenStream(ctx context.Context, o StreamOptions) (*Stream, error) {
	query := url.Values{"filter": o.Filters}
	if o.Reader != "" {
		query.Set("client", o.Reader)
	}
	header := http.Header{"Accept": {"text/event-stream"}}
	if o.Since > 0 {
		header.Set("Last-Event-ID", strconv.FormatUint(o.Since, 10))
	}
	res, done, err := c.open(ctx, request{method: http.MethodGet, path: "/api/stream", query: query, header: header,
		patience: headTimeout})
	if err != nil {
		return nil, err
	}
	return &Stream{r: bufio.NewReaderSize(res.Body, 64<<10), at: o.Since, done: done}, nil
}

// Close ends the stream.
func (s *Stream) Close() { s.done() }

// Position returns the last sequence that the gateway named in a complete frame; the next stream continues there.
func (s *Stream) Position() uint64 { return s.at }

// Next reads the next frame that carries data. At the end of the stream the error is io.EOF or the cause of the break.
func (s *Stream) Next() (Frame, error) {
	var f Frame
	at := s.at
	for {
		line, over, err := s.line()
		if err != nil {
			return f, err
		}
		if len(line) == 0 {
			s.at = at
			if f.Data != nil || f.Cut {
				return f, nil
			}
			f = Frame{}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			f.Kind = string(value)
		case "id":
			if named, err := strconv.ParseUint(string(value), 10, 64); err == nil {
				at = max(at, named)
			}
		case "data":
			f.Data, f.Cut = append(f.Data, value...), f.Cut || over
		}
	}
}

// line reads one line without its line end. A line longer than MaxStreamLine is cut, and over is true.
func (s *Stream) line() (line []byte, over bool, err error) {
	for {
		part, err := s.r.ReadSlice('\n')
		if len(line)+len(part) > MaxStreamLine {
			over = true
			part = part[:max(0, min(len(part), MaxStreamLine-len(line)))]
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), over, err
		}
	}
}

// Event decodes an event of the log from the last frame. It returns ErrTooLong if the frame was cut.
func (s *Stream) Event(f Frame) (events.Event, error) {
	var e events.Event
	if f.Cut {
		return e, fmt.Errorf("event %d: %w", s.at, ErrTooLong)
	}
	if err := json.Unmarshal(f.Data, &e); err != nil {
		return e, fmt.Errorf("event %d: %w", s.at, err)
	}
	e.Seq = s.at
	return e, nil
}

// GetBlob reads the bytes of a body that an event names. It fails if they do not match the digest.
func (c *Client) GetBlob(ctx context.Context, sha256 string) ([]byte, error) {
	res, done, err := c.open(ctx, request{method: http.MethodGet, path: "/api/blobs/" + url.PathEscape(sha256),
		patience: headTimeout})
	if err != nil {
		return nil, err
	}
	defer done()
	body, err := readBounded(res.Body)
	if err == nil && events.Digest(body) != sha256 {
		return nil, fmt.Errorf("body %s: %w", sha256, ErrOtherBytes)
	}
	return body, err
}

// ErrOtherBytes means that a body does not match its digest.
var ErrOtherBytes = errors.New("the bytes do not match their digest")
