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

// FileIndex finds the events and blobs of a file that [Export] wrote without
// keeping their bytes: events come before the blobs that they name. It proves
// nothing; [Read] does.
type FileIndex struct {
	file   io.ReaderAt
	reader *reader
	pieces map[string][]span // SHA-256 to the lines of its pieces
	events []eventAt         // in the order of the file, which is that of their sequences
	odd    bool              // some lines are not as Export writes them
}

// span is where a line stands.
type span struct{ at, size int64 }

// eventAt is where the line of an event stands.
type eventAt struct {
	seq uint64
	span
}

// IndexFile looks for events and blobs in the first size bytes of a file. Lines
// that cannot be read are left to [Read].
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

// line notes a line of the file.
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

// Events reads an event again by its sequence; nil if the file is not as
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

// digestSize is how long a SHA-256 is in hexadecimal.
const digestSize = 64

// add notes a piece of a blob. What [Read] refuses anyway takes no memory here.
func (x *FileIndex) add(sha256 string, at span) {
	pieces, known := x.pieces[sha256]
	if len(sha256) == digestSize && (known || len(x.pieces) < MaxBlobs) {
		x.pieces[sha256] = append(pieces, at)
	}
}

// Blob reads the bytes of a digest; events.ErrNoBlob where the file has none,
// ErrLimit where it has more of them than a blob has.
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
			return nil, ErrBlob // the file changes while it is read
		}
		if out = append(out, l.Data...); len(out) > MaxBlobBytes {
			return nil, fmt.Errorf("%w: a blob of more than %d bytes", ErrLimit, MaxBlobBytes)
		}
	}
	return out, nil
}
