package replay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"manualslop/events"
)

// Export writes one portable file: a header, a line per event with the hash chain, the blobs that the events
// name, and a footer. The history must be of one session; its events may be decoded or not. They are written as
// they are read, and none is kept in memory. It returns ErrBlob if the history names blobs and blobs is nil, or
// if the store returns bytes that do not match a digest. Blobs that the store does not have are counted as
// missing, because anyone can name a blob. The same history and blobs give the same bytes. After an error the
// file is unusable.
func Export(ctx context.Context, w io.Writer, history iter.Seq2[events.Event, error], blobs events.Blobs) (Summary,
	error) {
	x := newExporter(w)
	if err := x.run(ctx, history, blobs); err != nil {
		return Summary{}, fmt.Errorf("export: %w", err)
	}
	return x.sum, nil
}

type exporter struct {
	w     *bufio.Writer
	most  int // limit on events
	chain chain
	sum   Summary
	known map[string]bool
	refs  []events.BlobRef // blobs that events name, each once
}

func newExporter(w io.Writer) *exporter {
	return &exporter{w: bufio.NewWriter(w), most: MaxEvents, known: map[string]bool{}}
}

func (x *exporter) run(ctx context.Context, history iter.Seq2[events.Event, error], blobs events.Blobs) error {
	if err := x.events(ctx, history); err != nil {
		return err
	}
	for _, ref := range x.refs {
		if err := x.blob(ctx, ref, blobs); err != nil {
			return fmt.Errorf("blob %s: %w", ref.SHA256, err)
		}
	}
	x.sum.Chain = x.chain.String()
	if err := x.line(line{End: &x.sum}); err != nil {
		return err
	}
	return x.w.Flush()
}

func (x *exporter) header(first *events.Event) error {
	b, err := json.Marshal(Header{Version: FormatVersion, Project: first.Project, Session: first.Session})
	if err != nil {
		return err
	}
	x.chain = startChain(b)
	return x.write(b)
}

// events writes the header and a line per event, and collects the blobs that events name.
func (x *exporter) events(ctx context.Context, history iter.Seq2[events.Event, error]) error {
	registry := events.Catalogue()
	var first events.Event
	for e, err := range history {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if x.sum.Events == 0 {
			first = events.Event{Project: e.Project, Session: e.Session}
			if err := x.header(&first); err != nil {
				return err
			}
		}
		if e.Project != first.Project || e.Session != first.Session {
			return fmt.Errorf("%w: event %s belongs to another session", ErrFormat, e.ID)
		}
		if err := x.event(&e); err != nil {
			return fmt.Errorf("event %s: %w", e.ID, err)
		}
		if e.Payload == nil {
			registry.Decode(&e)
		}
		x.names(blobRefs(e.Payload))
		switch {
		case x.sum.Events > x.most:
			return fmt.Errorf("%w: more than %d events", ErrLimit, x.most)
		case len(x.refs) > MaxBlobs:
			return fmt.Errorf("%w: more than %d blobs", ErrLimit, MaxBlobs)
		}
	}
	if x.sum.Events == 0 {
		return fmt.Errorf("%w: the history is empty", ErrFormat)
	}
	return nil
}

// names adds the blobs that an event names.
func (x *exporter) names(refs []events.BlobRef) {
	for _, ref := range refs {
		if !x.known[ref.SHA256] {
			x.known[ref.SHA256] = true
			x.refs = append(x.refs, ref)
		}
	}
}

func (x *exporter) event(e *events.Event) error {
	l := line{Seq: e.Seq, Subject: e.Subject()}
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	l.Event = body
	if raw, foreign := rawBody(e); foreign {
		if body, err = json.Marshal(stored{MsgID: e.ID, Time: e.Time, Body: raw}); err != nil {
			return err
		}
		l.Event, l.Stored = nil, body
	}
	x.chain.add(e.Seq, body)
	l.Chain = x.chain.String()
	x.sum.Events++
	return x.line(l)
}

// rawBody returns the stored bytes of an event that was not an envelope.
func rawBody(e *events.Event) ([]byte, bool) {
	bad, ok := e.Payload.(events.Malformed)
	if !ok || bytes.Equal(bad.Raw, e.Data) {
		return nil, false
	}
	return bad.Raw, true
}

func (x *exporter) blob(ctx context.Context, ref events.BlobRef, blobs events.Blobs) error {
	if blobs == nil {
		return fmt.Errorf("%w: there is no blob store to read it from", ErrBlob)
	}
	b, err := blobs.Get(ctx, ref.SHA256)
	if errors.Is(err, events.ErrNoBlob) {
		x.sum.Missing++
		ref.Size = 0 // unknown; the size in an event is not trusted
		x.chain.addBlob(ref, true)
		return x.line(line{Blob: &ref, Missing: true})
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBlob, err)
	}
	if events.Digest(b) != ref.SHA256 {
		return fmt.Errorf("%w: the store returned different bytes", ErrBlob)
	}
	if len(b) > MaxBlobBytes {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrLimit, len(b), MaxBlobBytes)
	}
	ref.Size = int64(len(b))
	x.sum.Blobs++
	x.chain.addBlob(ref, false)
	for part := 0; ; part++ {
		n := min(len(b), blobPiece)
		if err := x.line(line{Blob: &ref, Part: part, Data: b[:n]}); err != nil {
			return err
		}
		if b = b[n:]; len(b) == 0 {
			return nil
		}
	}
}

func (x *exporter) line(l line) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return x.write(b)
}

func (x *exporter) write(b []byte) error {
	if len(b)+1 > MaxLine {
		return fmt.Errorf("%w: a line of %d bytes, at most %d", ErrLimit, len(b)+1, MaxLine)
	}
	if _, err := x.w.Write(b); err != nil {
		return err
	}
	return x.w.WriteByte('\n')
}
