package gemini

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
)

// tap stands between the transport and the SDK and reads the events. The SDK,
// which panics at values of a type that it does not expect, is shown an empty
// one for each.
type tap struct {
	under http.RoundTripper
	seen  []chunk // that the SDK has not yielded yet
}

// RoundTrip taps the body of an answer.
func (t *tap) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.under.RoundTrip(req)
	if err == nil {
		resp.Body = &tapped{tap: t, body: resp.Body, lines: bufio.NewReader(resp.Body)}
	}
	return resp, err
}

// next is the event that the SDK yielded now.
func (t *tap) next() chunk {
	if len(t.seen) == 0 {
		return chunk{unreadable: true}
	}
	c := t.seen[0]
	t.seen = t.seen[1:]
	return c
}

// tapped is the body of an answer. It ends where the stream does, whether that
// was in order or not: the transport knows, and the SDK would only log it.
type tapped struct {
	tap   *tap
	body  io.Closer
	lines *bufio.Reader
	out   []byte
	over  bool
}

func (t *tapped) Read(p []byte) (int, error) {
	for len(t.out) == 0 && !t.over {
		t.event()
	}
	if len(t.out) == 0 {
		return 0, io.EOF
	}
	n := copy(p, t.out)
	t.out = t.out[n:]
	return n, nil
}

// Close ends the reading; what it could say is said by the transport.
func (t *tapped) Close() error {
	_ = t.body.Close()
	return nil
}

// event reads one event. One that no empty line ended is none, and those of a
// kind that the API does not have are left out.
func (t *tapped) event() {
	var data []byte
	kind := ""
	for {
		line, err := t.lines.ReadBytes('\n')
		if err != nil {
			t.over = true
			return
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			data = append(append(data, value...), ' ') // lines of one JSON text
		case "event":
			kind = string(value)
		}
	}
	if data = bytes.TrimSpace(data); len(data) == 0 || kind != "" && kind != "message" && kind != "error" {
		return
	}
	t.tap.seen = append(t.tap.seen, readChunk(data))
	t.out = []byte("data: {}\n\n")
}
