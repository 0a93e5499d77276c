package transport

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Reasons to give up an attempt: the server stays silent, or the answer never ends.
var (
	errSilent  = errors.New("the server sent nothing")
	errEndless = errors.New("the answer did not end")
)

// answer is the body of one response: timed, decompressed, bounded and normalised.
type answer struct {
	call   *Call
	ctx    context.Context
	cancel context.CancelCauseFunc
	quiet  *time.Timer
	end    *time.Timer
	raw    io.ReadCloser // the body on the wire
	from   io.Reader     // what Read reads
}

// Read returns the normalised body for the SDK.
func (a *answer) Read(p []byte) (int, error) {
	n, err := a.from.Read(p)
	if err != nil && err != io.EOF {
		err = a.fail(err)
	}
	return n, err
}

// Close ends the attempt.
func (a *answer) Close() error {
	a.quiet.Stop()
	a.end.Stop()
	defer a.cancel(nil)
	if a.raw == nil {
		return nil
	}
	return a.raw.Close()
}

// fail returns the reason why we gave up if that caused err, else err.
func (a *answer) fail(err error) error {
	if cause := context.Cause(a.ctx); errors.Is(cause, errSilent) || errors.Is(cause, errEndless) {
		err = cause
	}
	return a.call.note(err)
}

// watched reads the raw body and restarts the silence timer with each byte.
type watched struct{ *answer }

func (w watched) Read(p []byte) (int, error) {
	n, err := w.raw.Read(p)
	if n > 0 {
		w.heard()
	}
	return n, err
}

// heard restarts the silence timer.
func (a *answer) heard() {
	if a.ctx.Err() == nil {
		a.quiet.Reset(a.call.silence())
	}
}

// unpack prepares the body for reading, whether it is compressed or not.
func (a *answer) unpack(resp *http.Response) error {
	a.from = &bounded{from: watched{a}, left: MaxStream, most: MaxStream}
	switch coding := strings.ToLower(resp.Header.Get("Content-Encoding")); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		packed, err := gzip.NewReader(a.from)
		if err != nil {
			return fmt.Errorf("the answer must be gzip, but is not: %w", err)
		}
		a.from = packed
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	default:
		return fmt.Errorf("the answer has the content encoding %q, which was not requested", coding)
	}
	return nil
}

// bounded fails if more than the limit is read.
type bounded struct {
	from       io.Reader
	left, most int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.from.Read(p)
	if int64(n) > b.left {
		n = int(b.left)
		err = fmt.Errorf("the answer has more than %d bytes", b.most)
	}
	b.left -= int64(n)
	return n, err
}
