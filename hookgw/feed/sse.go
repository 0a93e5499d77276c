package feed

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"manualslop/events"
	"manualslop/hookgw/request"
)

// SSE writes server-sent events. They are collected in the response's buffer; Flush sends them.
type SSE struct {
	// At is the sequence up to which everything was shown or filtered out.
	At uint64
	// Filter selects the facts that are shown; text also shows live text.
	Filter Filter
	Text   bool
	// Snapshot is shown once everything up to the cutoff has been shown; then shown is called. It is nil if there is
	// none, or after it was shown.
	Snapshot []byte
	Cutoff   uint64
	Shown    func()

	w       http.ResponseWriter
	conn    *http.ResponseController
	limits  request.Limits
	armed   bool          // the write timeout is running
	sent    int           // bytes since it started
	blocked time.Duration // time of it spent waiting for the client
	ending  bool          // the last frame is being sent
}

// NewSSE writes to a client that has everything up to at. A client that takes longer than WriteTimeout to read what is
// sent gets its position as the last frame; beyond FeedGrace the connection ends without it.
func NewSSE(w http.ResponseWriter, limits request.Limits, at uint64) *SSE {
	return &SSE{w: w, conn: http.NewResponseController(w), limits: limits, At: at}
}

// Begin opens the feed, and shows the snapshot at once if nothing comes before it.
func (s *SSE) Begin() error {
	if err := s.Send([]byte("retry: 1000\n\n")); err != nil {
		return err
	}
	if err := s.showSnapshot(); err != nil {
		return err
	}
	return s.Flush()
}

// Send writes bytes that are sent by the next flush at the latest.
func (s *SSE) Send(b []byte) error {
	began := time.Now()
	if !s.armed {
		if err := s.conn.SetWriteDeadline(began.Add(s.limits.WriteTimeout + s.limits.FeedGrace)); err != nil {
			return err
		}
		s.armed, s.sent, s.blocked = true, 0, 0
	}
	_, err := s.w.Write(b)
	s.sent, s.blocked = s.sent+len(b), s.blocked+time.Since(began)
	return err
}

// Flush sends what was written. It ends the feed with events.ErrSlow if the client took longer than WriteTimeout to
// read it.
func (s *SSE) Flush() error {
	if !s.armed {
		return nil
	}
	s.armed = false
	began := time.Now()
	err := s.conn.Flush()
	if s.blocked += time.Since(began); err != nil || s.ending || s.blocked <= s.limits.WriteTimeout {
		return err
	}
	return s.Disconnect("the reader was too slow", events.ErrSlow)
}

// showSnapshot writes the snapshot once every event up to the cutoff has been shown.
func (s *SSE) showSnapshot() error {
	if s.Snapshot == nil || s.At < s.Cutoff {
		return nil
	}
	body := s.Snapshot
	s.Snapshot = nil
	defer s.Shown()
	return s.Send(fmt.Appendf(nil, "event: snapshot\nid: %d\ndata: %s\n\n", s.At, body))
}

// Show writes frames and sends them.
func (s *SSE) Show(frames []*Frame) error {
	for _, f := range frames {
		if err := s.Write(f); err != nil {
			return err
		}
	}
	return s.Flush()
}

// Write writes a frame if the client does not have it and the filter selects it.
func (s *SSE) Write(f *Frame) error {
	if f.Subject == nil {
		if !s.Text {
			return nil
		}
		return s.Send(f.text)
	}
	if f.Seq <= s.At {
		return nil
	}
	if s.Filter.Match(f.Subject) {
		if err := s.Send(f.text); err != nil {
			return err
		}
	}
	s.At = f.Seq
	if s.sent > maxTaken { // the timeout applies to this many bytes at a time
		if err := s.Flush(); err != nil {
			return err
		}
	}
	return s.showSnapshot()
}

// Pass notes that the log has no further events for this feed up to a sequence.
func (s *SSE) Pass(seq uint64) error {
	s.At = max(s.At, seq)
	return s.showSnapshot()
}

// Heartbeat keeps the connection alive and moves the client's position past what the filter left out.
func (s *SSE) Heartbeat() error {
	if err := s.Send(fmt.Appendf(nil, ": heartbeat\nid: %d\n\n", s.At)); err != nil {
		return err
	}
	return s.Flush()
}

// Disconnect ends the feed with the client's position. It returns the cause.
func (s *SSE) Disconnect(reason string, cause error) error {
	body, err := json.Marshal(map[string]any{
		"position": s.At, "reason": reason, "hint": "Connect again with Last-Event-ID: " + strconv.FormatUint(s.At, 10) + ".",
	})
	if err != nil {
		return err
	}
	s.ending = true
	err = s.Send(fmt.Appendf(nil, "event: disconnected\nid: %d\ndata: %s\n\n", s.At, body))
	return errors.Join(cause, err, s.Flush())
}
