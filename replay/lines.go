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

// next appends one line to buf and returns both, the line without its end.
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

// parsed is a line, read as far as that depends on no other line.
type parsed struct {
	line  line
	event events.Event
	seq   uint64           // that a plain line says
	refs  []events.BlobRef // that the event names
	err   error            // the line cannot be read
	wrong error            // the event cannot be read
}

// batch is a few lines that are parsed together.
type batch struct {
	raw   [][]byte
	lines []parsed
	buf   []byte        // holds raw
	err   error         // what comes after the lines
	ready chan struct{} // closed when lines are parsed
}

// batchBytes is how many bytes a batch holds at least, but the last one and one of
// batchLines lines: what is made of a line takes memory however short it is.
const (
	batchBytes = 64 << 10
	batchLines = 512
)

var batches = sync.Pool{New: func() any { return &batch{buf: make([]byte, 0, batchBytes+16<<10)} }}

// release gives the memory of a batch to the next ones.
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

// ahead parses lines on all processors and gives them in their order, batch by
// batch. It reads a few batches ahead and no more, and ends with ctx.
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
	go func() { // it may wait for the file when nobody waits for it any more
		defer close(order)
		defer close(work)
		for ctx.Err() == nil {
			b := batches.Get().(*batch)
			b.fill(r)
			last := b.err != nil // the batch is another's once it is sent
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
