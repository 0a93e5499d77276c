package replay

import (
	"context"
	"io"

	"manualslop/events"
)

// File is a file in memory.
type File struct {
	// Header is zero for plain JSON lines, but for project and session.
	Header  Header
	Summary Summary
	// Events are decoded and stand in the order of the file.
	Events []events.Event
	// Blobs holds the bytes of each blob by its SHA-256.
	Blobs map[string][]byte
}

// Sink takes what a file holds as it is read. A nil function skips. An error
// ends the reading and is returned as it is.
type Sink struct {
	Event func(events.Event) error
	Blob  func(ref events.BlobRef, b []byte) error
}

// Import reads a whole file into memory: errors as [Read].
func Import(ctx context.Context, r io.Reader) (File, error) {
	f := File{Blobs: map[string][]byte{}}
	var err error
	f.Header, f.Summary, err = Read(ctx, r, Sink{
		Event: func(e events.Event) error { f.Events = append(f.Events, e); return nil },
		Blob:  func(ref events.BlobRef, b []byte) error { f.Blobs[ref.SHA256] = b; return nil },
	})
	return f, err
}

// Read reads a file that [Export] wrote, or plain JSON lines of events (each an
// envelope, or {"seq","event"}; without a seq they are numbered from 1), and
// hands out its events, decoded, and its blobs. Both are strict: nothing
// foreign may stand in the file, events are of one session, every blob that an
// export's events name must be there. Errors: a *[FileError] with ErrFormat,
// ErrLimit, ErrTruncated or ErrBlob; a *[Divergence] with CodeChain when the
// hash chain does not hold; the reader's, the sink's or the context's.
//
// Events are delivered before the footer was read: whoever stores them must be
// able to take them back.
func Read(ctx context.Context, r io.Reader, sink Sink) (Header, Summary, error) {
	p := newReader(r, sink)
	err := p.run(ctx)
	return p.head, p.sum, p.located(err)
}
