package replay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sync"

	"manualslop/events"
)

// lineReader reads the lines of a file.
type lineReader struct {
	in     *bufio.Reader
	limits limits
	size   int64 // bytes read
}

// next appends one line to buf and returns both. The line does not include its end.
func (r *lineReader) next(buf []byte) (grown, line []byte, err error) {
	from := len(buf)
	for {
		piece, err := r.in.ReadSlice('\n')
		buf = append(buf, piece...)
		r.size += int64(len(piece))
		switch {
		case len(buf)-from > r.limits.line:
			return buf, nil, fmt.Errorf("%w: a line of more than %d bytes", ErrLimit, r.limits.line)
		case r.size > r.limits.file:
			return buf, nil, fmt.Errorf("%w: more than %d bytes", ErrLimit, r.limits.file)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(buf) > from, err == nil:
			return buf, bytes.TrimSuffix(buf[from:], []byte("\n")), nil
		default:
			return buf, nil, err
		}
	}
}

// parsed is a line, parsed as far as possible without other lines.
type parsed struct {
	line  line
	event events.Event
	seq   uint64           // sequence that a plain line gives
	refs  []events.BlobRef // blobs that the event names
	err   error            // the line cannot be parsed
	wrong error            // the event cannot be decoded
}

// batch is a few lines that are parsed together.
type batch struct {
	raw   [][]byte
	lines []parsed
	buf   []byte        // holds the bytes of raw
	err   error         // error after the lines
	ready chan struct{} // closed when lines are parsed
}

// batchBytes is the minimum size of a batch, except for the last one and for one of batchLines lines. The number
// of lines is limited because a parsed line takes memory however short it is.
const (
	batchBytes = 64 << 10
	batchLines = 512
)

var batches = sync.Pool{New: func() any { return &batch{buf: make([]byte, 0, batchBytes+16<<10)} }}

// release makes the memory of a batch available to later ones.
func (b *batch) release() {
	clear(b.lines)
	b.raw, b.lines, b.buf, b.err = b.raw[:0], b.lines[:0], b.buf[:0], nil
	batches.Put(b)
}

// fill reads lines up to the size of a batch.
func (b *batch) fill(r *lineReader) {
	b.ready = make(chan struct{})
	for len(b.buf) < batchBytes && len(b.raw) < batchLines {
		var l []byte
		if b.buf, l, b.err = r.next(b.buf); b.err != nil {
			return
		}
		b.raw = append(b.raw, l)
	}
}

// ahead parses lines on all processors and yields them in order, batch by batch. It reads only a few batches
// ahead, and ends with ctx.
func (r *lineReader) ahead(ctx context.Context, parse func([]byte) parsed) iter.Seq[*batch] {
	workers := runtime.GOMAXPROCS(0)
	work, order := make(chan *batch, workers), make(chan *batch, workers)
	for range workers {
		go func() {
			for b := range work {
				for _, l := range b.raw {
					b.lines = append(b.lines, parse(l))
				}
				close(b.ready)
			}
		}()
	}
	go func() { // may still wait for the file after the caller has stopped
		defer close(order)
		defer close(work)
		for ctx.Err() == nil {
			b := batches.Get().(*batch)
			b.fill(r)
			last := b.err != nil // read it now, because the batch may not be used after it is sent
			select {
			case work <- b:
			case <-ctx.Done():
				return
			}
			select {
			case order <- b:
			case <-ctx.Done():
				return
			}
			if last {
				return
			}
		}
	}()
	return func(yield func(*batch) bool) {
		for {
			select {
			case <-ctx.Done():
				return
			case b, more := <-order:
				if !more {
					return
				}
				if <-b.ready; !yield(b) {
					return
				}
			}
		}
	}
}
