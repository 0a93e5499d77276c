package hookgw

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"manualslop/events"
)

// sse writes server-sent events.
type sse struct {
	w        http.ResponseWriter
	conn     *http.ResponseController
	timeout  time.Duration
	filter   subjectFilter
	cutoff   uint64
	snapshot []byte // nil once it is written
	at       uint64 // everything up to here is with the client
	buf      bytes.Buffer
}

// begin opens the feed, and shows the snapshot at once where nothing precedes it.
func (s *sse) begin() error {
	s.buf.WriteString("retry: 1000\n\n")
	s.showSnapshot()
	return s.flush()
}

// showSnapshot writes the snapshot once everything up to the cutoff was shown.
func (s *sse) showSnapshot() {
	if s.snapshot == nil || s.at < s.cutoff {
		return
	}
	fmt.Fprintf(&s.buf, "event: snapshot\nid: %d\ndata: %s\n\n", s.at, s.snapshot)
	s.snapshot = nil
}

// event shows e if the filter selects it. The bytes leave when quiet says that
// no other event is at hand.
func (s *sse) event(e *events.Event, quiet bool) error {
	if s.filter.match(e.Subject()) {
		body, err := json.Marshal(e)
		if err != nil {
			return err
		}
		fmt.Fprintf(&s.buf, "id: %d\ndata: %s\n\n", e.Seq, body)
	}
	s.at = e.Seq
	s.showSnapshot()
	if quiet || s.buf.Len() > 32<<10 {
		return s.flush()
	}
	return nil
}

// heartbeat keeps the connection alive and moves the client's position over
// what the filter left out.
func (s *sse) heartbeat() error {
	fmt.Fprintf(&s.buf, ": heartbeat\nid: %d\n\n", s.at)
	return s.flush()
}

// disconnect ends the feed with the client's position.
func (s *sse) disconnect(reason string, cause error) error {
	body, err := json.Marshal(map[string]any{
		"position": s.at, "reason": reason, "hint": "Connect again with Last-Event-ID: " + strconv.FormatUint(s.at, 10) + ".",
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(&s.buf, "event: disconnected\nid: %d\ndata: %s\n\n", s.at, body)
	return errors.Join(cause, s.flush())
}

func (s *sse) flush() error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(s.timeout)); err != nil {
		return err
	}
	_, err := s.w.Write(s.buf.Bytes())
	s.buf.Reset()
	return errors.Join(err, s.conn.Flush())
}
