package replay

import (
	"context"
	"io"

	"manualslop/events"
)

// File is the content of a file in memory.
type File struct {
	// Header has only project and session for plain JSON lines.
	Header  Header
	Summary Summary
	// Events are decoded and in file order.
	Events []events.Event
	// Blobs holds the bytes of each blob by its SHA-256.
	Blobs map[string][]byte
}

// Sink receives the content of a file as it is read. A nil function skips its part. An error ends the reading and
// is returned unchanged.
type Sink struct {
	Event func(events.Event) error
	Blob  func(ref events.BlobRef, b []byte) error
}

// Import reads a whole file into memory. It returns the same errors as [Read].
func Import(ctx context.Context, r io.Reader) (File, error) {
	f := File{Blobs: map[string][]byte{}}
	var err error
	f.Header, f.Summary, err = Read(ctx, r, Sink{
		Event: func(e events.Event) error { f.Events = append(f.Events, e); return nil },
		Blob:  func(ref events.BlobRef, b []byte) error { f.Blobs[ref.SHA256] = b; return nil },
	})
	return f, err
}

// Read reads a file that [Export] wrote, or plain JSON lines of events (each an envelope, or {"seq","event"};
// without a seq they are numbered from 1), and passes its decoded events and its blobs to sink. Both formats are
// strict: the file may not contain anything else, all events must be of one session, and every blob that an
// export's events name must be included. It returns a *[FileError] with ErrFormat, ErrLimit, ErrTruncated or
// ErrBlob, a *[Divergence] with CodeChain if the hash chain does not match, or the error of the reader, the sink
// or the context.
//
// Events are delivered before the footer is read, so a caller that stores them must be able to undo that.
func Read(ctx context.Context, r io.Reader, sink Sink) (Header, Summary, error) {
	p := newReader(r, sink)
	err := p.run(ctx)
	return p.head, p.sum, p.located(err)
}
