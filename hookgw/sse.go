package hookgw

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// sse writes server-sent events. The response's own buffer gathers them; what
// was written leaves with flush.
type sse struct {
	w        http.ResponseWriter
	conn     *http.ResponseController
	timeout  time.Duration
	filter   subjectFilter
	text     bool // live text is wanted
	cutoff   uint64
	snapshot []byte // nil once it is written
	shown    func() // called then
	at       uint64 // everything up to here was shown or left out
	armed    bool   // the time limit of writing runs
}

// begin opens the feed, and shows the snapshot at once where nothing precedes it.
func (s *sse) begin() error {
	if err := s.send([]byte("retry: 1000\n\n")); err != nil {
		return err
	}
	if err := s.showSnapshot(); err != nil {
		return err
	}
	return s.flush()
}

// send writes bytes that leave with the next flush, or before.
func (s *sse) send(b []byte) error {
	if !s.armed {
		if err := s.conn.SetWriteDeadline(time.Now().Add(s.timeout)); err != nil {
			return err
		}
		s.armed = true
	}
	_, err := s.w.Write(b)
	return err
}

// flush lets go what was written.
func (s *sse) flush() error {
	if !s.armed {
		return nil
	}
	s.armed = false
	return s.conn.Flush()
}

// showSnapshot writes the snapshot once everything up to the cutoff was shown.
func (s *sse) showSnapshot() error {
	if s.snapshot == nil || s.at < s.cutoff {
		return nil
	}
	body := s.snapshot
	s.snapshot = nil
	defer s.shown()
	return s.send(fmt.Appendf(nil, "event: snapshot\nid: %d\ndata: %s\n\n", s.at, body))
}

// show writes frames, and lets them go.
func (s *sse) show(frames []*frame) error {
	for _, f := range frames {
		if err := s.write(f); err != nil {
			return err
		}
	}
	return s.flush()
}

// write shows a frame that the client does not have if the filter selects it.
func (s *sse) write(f *frame) error {
	if f.subject == nil {
		if !s.text {
			return nil
		}
		return s.send(f.sse)
	}
	if f.seq <= s.at {
		return nil
	}
	if s.filter.match(f.subject) {
		if err := s.send(f.sse); err != nil {
			return err
		}
	}
	s.at = f.seq
	return s.showSnapshot()
}

// pass notes that the log has nothing else up to a sequence.
func (s *sse) pass(seq uint64) error {
	s.at = max(s.at, seq)
	return s.showSnapshot()
}

// heartbeat keeps the connection alive and moves the client's position over
// what the filter left out.
func (s *sse) heartbeat() error {
	if err := s.send(fmt.Appendf(nil, ": heartbeat\nid: %d\n\n", s.at)); err != nil {
		return err
	}
	return s.flush()
}

// disconnect ends the feed with the client's position. It returns the cause.
func (s *sse) disconnect(reason string, cause error) error {
	body, err := json.Marshal(map[string]any{
		"position": s.at, "reason": reason, "hint": "Connect again with Last-Event-ID: " + strconv.FormatUint(s.at, 10) + ".",
	})
	if err != nil {
		return err
	}
	err = s.send(fmt.Appendf(nil, "event: disconnected\nid: %d\ndata: %s\n\n", s.at, body))
	return errors.Join(cause, err, s.flush())
}
