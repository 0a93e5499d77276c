package llmtest

import (
	"compress/gzip"
	"context"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"manualslop/events"
)

// playing is one response in progress.
type playing struct {
	s     *Server
	w     http.ResponseWriter
	ctx   context.Context
	view  View
	turn  Turn
	usage events.Usage
	out   io.Writer
	zip   *gzip.Writer
}

// play sends the response. It returns true if all of it was sent as intended.
func (p *playing) play() bool {
	if !p.pause(p.turn.Delay) {
		return false
	}
	if p.refusedByFault() {
		return true
	}
	p.begin()
	frames := p.s.wire.frames(p.view, p.turn, p.usage)
	at := p.turn.At
	if at < 0 || at > len(frames) {
		at = len(frames) / 2
	}
	for i, f := range frames {
		if i == at && p.strikes() || !p.gate() || !p.send(f) {
			return false
		}
	}
	return p.turn.Fault != EarlyEnd && p.close() == nil
}

// refusedByFault sends the response of a fault that replaces the stream.
func (p *playing) refusedByFault() bool {
	h := p.w.Header()
	code, kind := p.turn.Fault.status()
	switch {
	case p.turn.Error != "":
		code, kind = p.s.wire.status(p.turn.Error), p.turn.Error
		if wait := p.turn.RetryAfter; wait > 0 {
			h.Set("Retry-After", strconv.FormatFloat(math.Ceil(wait.Seconds()*1000)/1000, 'f', -1, 64))
		}
	case p.turn.Fault == Page:
		h.Set("Content-Type", "text/html")
		_, _ = io.WriteString(p.w, "<html><body>Sign in to the network. "+p.s.key+"</body></html>")
		return true
	case p.turn.Fault == Redirected:
		http.Redirect(p.w, &http.Request{Method: http.MethodPost}, p.s.URL+"/elsewhere", http.StatusTemporaryRedirect)
		return true
	case p.turn.Fault == StalledStart:
		p.hang()
		return true
	case p.turn.Fault == Unauthorized:
		code = p.s.wire.wrongKey()
	case code == 0:
		return false
	}
	switch p.turn.Fault {
	case RateLimitedNow:
		h.Set("Retry-After", "0")
	case RateLimited:
		h.Set("Retry-After", "1")
	case RateLimitedHour:
		h.Set("Retry-After", "3600")
	case RateLimitedDate:
		now := time.Now()
		h.Set("Date", now.UTC().Format(http.TimeFormat))
		h.Set("Retry-After", now.Add(30*time.Second).UTC().Format(http.TimeFormat))
	}
	h.Set("Content-Type", "application/json")
	p.w.WriteHeader(code)
	_, _ = p.w.Write(p.s.wire.failure(code, kind, p.s.leak(firstOf(p.turn.Message, "llmtest: "+string(p.turn.Fault)))))
	return true
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// begin opens the stream.
func (p *playing) begin() {
	p.out = p.w
	p.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	if p.turn.Fault == Gzip {
		p.w.Header().Set("Content-Encoding", "gzip")
		p.zip = gzip.NewWriter(p.w)
		p.out = p.zip
	}
	p.w.WriteHeader(http.StatusOK)
	p.flush()
}

// strikes applies the turn's fault to the stream. It returns true if that ends the stream.
func (p *playing) strikes() bool {
	switch p.turn.Fault {
	case ErrorEvent:
		p.send(p.s.wire.errorFrame("overloaded", p.s.leak("llmtest: the stream breaks off")))
		return true
	case EarlyEnd:
		return true
	case Reset:
		panic(http.ErrAbortHandler)
	case Stall:
		p.hang()
		return true
	}
	return false
}

// send writes one event. It returns false if the client has disconnected.
func (p *playing) send(frame string) bool {
	switch p.turn.Fault {
	case CRLF:
		frame = strings.ReplaceAll(frame, "\n", "\r\n")
	case Comments:
		frame = ": keep-alive\n\n: in front\n" + frame + ":\n"
	case OneByte:
		return p.pieces(frame, 1)
	case SplitUTF8:
		return p.split(frame)
	}
	return p.write(frame)
}

func (p *playing) pieces(frame string, size int) bool {
	for len(frame) > 0 {
		n := min(size, len(frame))
		if !p.write(frame[:n]) {
			return false
		}
		frame = frame[n:]
	}
	return true
}

// split writes a frame in pieces, split before the last byte of each multi-byte character.
func (p *playing) split(frame string) bool {
	from := 0
	for i, r := range frame {
		if n := utf8.RuneLen(r); n > 1 {
			if !p.write(frame[from : i+n-1]) {
				return false
			}
			from = i + n - 1
		}
	}
	return p.write(frame[from:])
}

func (p *playing) write(s string) bool {
	if _, err := io.WriteString(p.out, s); err != nil {
		return false
	}
	return p.flush()
}

func (p *playing) flush() bool {
	if p.zip != nil && p.zip.Flush() != nil {
		return false
	}
	return http.NewResponseController(p.w).Flush() == nil
}

func (p *playing) close() error {
	if p.zip == nil {
		return nil
	}
	return p.zip.Close()
}

// gate waits for permission to send a frame.
func (p *playing) gate() bool {
	if p.turn.Gate == nil {
		return true
	}
	select {
	case <-p.turn.Gate:
		return true
	case <-p.ctx.Done():
	case <-p.s.done:
	}
	return false
}

// hang waits until the client gives up or the server stops.
func (p *playing) hang() {
	select {
	case <-p.ctx.Done():
	case <-p.s.done:
	}
}

func (p *playing) pause(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-p.ctx.Done():
	case <-p.s.done:
	}
	return false
}

// frames returns the events of a turn without faults.
func (s *Server) frames(model string, t Turn) []string {
	return s.wire.frames(View{Model: model}, t.prepared(View{}), events.Usage{})
}
