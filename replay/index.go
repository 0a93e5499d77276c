package replay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"manualslop/events"
)

// BlobIndex finds the blobs of a file that [Export] wrote without keeping their
// bytes: events stand before the blobs that they name. It proves nothing; [Read]
// does.
type BlobIndex struct {
	file   io.ReaderAt
	pieces map[string][]span // SHA-256 to the lines of its pieces
}

// span is where a line stands.
type span struct{ at, size int64 }

// IndexBlobs looks for the blobs in the first size bytes of a file. Lines that
// cannot be read are left to [Read].
func IndexBlobs(ctx context.Context, file io.ReaderAt, size int64) (*BlobIndex, error) {
	x := &BlobIndex{file: file, pieces: map[string][]span{}}
	lines := lineReader{in: bufio.NewReaderSize(io.NewSectionReader(file, 0, size), 64<<10), limits: limits{line: MaxLine, file: MaxFileBytes}}
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
		var got line
		if bytes.HasPrefix(l, []byte(`{"blob":`)) && events.Quick(l, &got) && got.Blob != nil && !got.Missing {
			x.add(got.Blob.SHA256, span{at, int64(len(l))})
		}
	}
	return nil, context.Cause(ctx)
}

// digestSize is how long a SHA-256 is in hexadecimal.
const digestSize = 64

// add notes a piece of a blob. What [Read] refuses anyway takes no memory here.
func (x *BlobIndex) add(sha256 string, at span) {
	pieces, known := x.pieces[sha256]
	if len(sha256) == digestSize && (known || len(x.pieces) < MaxBlobs) {
		x.pieces[sha256] = append(pieces, at)
	}
}

// Blob reads the bytes of a digest; events.ErrNoBlob where the file has none,
// ErrLimit where it has more of them than a blob has.
func (x *BlobIndex) Blob(sha256 string) ([]byte, error) {
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
