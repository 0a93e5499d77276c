package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"manualslop/events"
)

// FileIndex finds the events and blobs of a file that [Export] wrote without keeping their bytes, because events
// come before the blobs that they name. It does not verify the file; [Read] does.
type FileIndex struct {
	file   io.ReaderAt
	reader *reader
	pieces map[string][]span // the lines of a blob's pieces, by SHA-256
	events []eventAt         // in file order, which is the order of their sequences
	odd    bool              // some lines are not as Export writes them
}

// span is the position of a line.
type span struct{ at, size int64 }

// eventAt is the position of an event's line.
type eventAt struct {
	seq uint64
	span
}

// IndexFile finds the events and blobs in the first size bytes of a file. It ignores lines that cannot be parsed;
// [Read] reports them.
func IndexFile(ctx context.Context, file io.ReaderAt, size int64) (*FileIndex, error) {
	x := &FileIndex{file: file, reader: newReader(nil, Sink{}), pieces: map[string][]span{}}
	lines := lineReader{in: bufio.NewReaderSize(io.NewSectionReader(file, 0, size), 64<<10), limits: limits{line: MaxLine,
		file: MaxFileBytes}}
	var buf []byte
	for ctx.Err() == nil {
		at := lines.size
		var l []byte
		var err error
		if buf, l, err = lines.next(buf[:0]); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, ErrLimit) {
				return x, nil
			}
			return nil, err
		}
		x.line(l, span{at, int64(len(l))})
	}
	return nil, context.Cause(ctx)
}

// line records a line of the file.
func (x *FileIndex) line(l []byte, at span) {
	var got line
	rest, isEvent := bytes.CutPrefix(l, []byte(`{"seq":`))
	if at.at == 0 {
		x.odd = !bytes.HasPrefix(l, []byte(`{"slop_export":`))
	}
	switch {
	case isEvent && len(x.events) < MaxEvents:
		digits, _, _ := bytes.Cut(rest, []byte(","))
		seq, err := strconv.ParseUint(string(digits), 10, 64)
		x.odd = x.odd || err != nil
		x.events = append(x.events, eventAt{seq, at})
	case bytes.HasPrefix(l, []byte(`{"blob":`)):
		if events.Quick(l, &got) && got.Blob != nil && !got.Missing {
			x.add(got.Blob.SHA256, at)
		}
	case at.at > 0 && !bytes.HasPrefix(l, []byte(`{"end":`)):
		x.odd = true
	}
}

// Events returns a function that reads an event again by its sequence. It returns nil if the file is not as
// [Export] writes one.
func (x *FileIndex) Events() func(seq uint64) (*events.Event, error) {
	if x.odd {
		return nil
	}
	return x.event
}

func (x *FileIndex) event(seq uint64) (*events.Event, error) {
	i, found := slices.BinarySearchFunc(x.events, seq, func(e eventAt, seq uint64) int { return cmp.Compare(e.seq, seq) })
	if !found {
		return nil, fmt.Errorf("%w: no event %d", ErrFormat, seq)
	}
	b := make([]byte, x.events[i].size)
	if _, err := x.file.ReadAt(b, x.events[i].at); err != nil {
		return nil, err
	}
	got := x.reader.parse(b)
	if err := errors.Join(got.err, got.wrong); err != nil {
		return nil, err
	}
	if got.event.Seq != seq {
		return nil, fmt.Errorf("%w: the line of event %d holds event %d", ErrFormat, seq, got.event.Seq)
	}
	return &got.event, nil
}

// digestSize is the length of a SHA-256 in hexadecimal.
const digestSize = 64

// add records a piece of a blob. It ignores pieces that [Read] would reject, to save memory.
func (x *FileIndex) add(sha256 string, at span) {
	pieces, known := x.pieces[sha256]
	if len(sha256) == digestSize && (known || len(x.pieces) < MaxBlobs) {
		x.pieces[sha256] = append(pieces, at)
	}
}

// Blob reads the bytes of a digest. It returns events.ErrNoBlob if the file does not have it, and ErrLimit if it
// is larger than a blob may be.
func (x *FileIndex) Blob(sha256 string) ([]byte, error) {
	pieces, known := x.pieces[sha256]
	if !known {
		return nil, events.ErrNoBlob
	}
	var out []byte
	for _, p := range pieces {
		b := make([]byte, p.size)
		if _, err := x.file.ReadAt(b, p.at); err != nil {
			return nil, err
		}
		var l line
		if !events.Quick(b, &l) {
			return nil, ErrBlob // the file changed while it was being read
		}
		if out = append(out, l.Data...); len(out) > MaxBlobBytes {
			return nil, fmt.Errorf("%w: a blob of more than %d bytes", ErrLimit, MaxBlobBytes)
		}
	}
	return out, nil
}
