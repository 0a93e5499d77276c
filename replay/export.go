package replay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"manualslop/events"
)

// Export writes one portable file: a header, a line per event with the hash
// chain, the blobs that the events name, and a footer. The history is one
// session's, decoded or not. Without a store (nil) a history that names blobs
// is refused with ErrBlob, as is a store that gives other bytes. A blob that the
// store does not have (anybody can name one) is counted as missing. The same
// history and blobs give the same bytes.
func Export(ctx context.Context, w io.Writer, history []events.Event, blobs events.Blobs) (Summary, error) {
	if len(history) == 0 {
		return Summary{}, fmt.Errorf("export: %w: the history is empty", ErrFormat)
	}
	if len(history) > MaxEvents {
		return Summary{}, fmt.Errorf("export: %w: %d events, at most %d", ErrLimit, len(history), MaxEvents)
	}
	x := &exporter{w: bufio.NewWriter(w)}
	if err := x.header(&history[0]); err != nil {
		return Summary{}, fmt.Errorf("export: %w", err)
	}
	refs, err := x.events(ctx, history)
	if err != nil {
		return Summary{}, fmt.Errorf("export: %w", err)
	}
	if len(refs) > MaxBlobs {
		return Summary{}, fmt.Errorf("export: %w: %d blobs, at most %d", ErrLimit, len(refs), MaxBlobs)
	}
	for _, ref := range refs {
		if err := x.blob(ctx, ref, blobs); err != nil {
			return Summary{}, fmt.Errorf("export blob %s: %w", ref.SHA256, err)
		}
	}
	x.sum.Chain = x.chain.String()
	if err := x.line(line{End: &x.sum}); err != nil {
		return Summary{}, fmt.Errorf("export: %w", err)
	}
	if err := x.w.Flush(); err != nil {
		return Summary{}, fmt.Errorf("export: %w", err)
	}
	return x.sum, nil
}

type exporter struct {
	w     *bufio.Writer
	chain chain
	sum   Summary
}

func (x *exporter) header(first *events.Event) error {
	b, err := json.Marshal(Header{Version: FormatVersion, Project: first.Project, Session: first.Session})
	if err != nil {
		return err
	}
	x.chain = startChain(b)
	return x.write(b)
}

// events writes a line per event and returns the blobs they name, each once.
func (x *exporter) events(ctx context.Context, history []events.Event) ([]events.BlobRef, error) {
	registry, known := events.Catalogue(), map[string]bool{}
	var refs []events.BlobRef
	for i := range history {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		e := history[i]
		if e.Project != history[0].Project || e.Session != history[0].Session {
			return nil, fmt.Errorf("%w: event %s belongs to another session", ErrFormat, e.ID)
		}
		if err := x.event(&e); err != nil {
			return nil, fmt.Errorf("event %s: %w", e.ID, err)
		}
		if e.Payload == nil {
			registry.Decode(&e)
		}
		for _, ref := range blobRefs(e.Payload) {
			if !known[ref.SHA256] {
				known[ref.SHA256] = true
				refs = append(refs, ref)
			}
		}
	}
	return refs, nil
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

// rawBody is what stands on the stream for an event that was no envelope.
func rawBody(e *events.Event) ([]byte, bool) {
	bad, ok := e.Payload.(events.Malformed)
	if !ok || bytes.Equal(bad.Raw, e.Data) {
		return nil, false
	}
	return bad.Raw, true
}

func (x *exporter) blob(ctx context.Context, ref events.BlobRef, blobs events.Blobs) error {
	if blobs == nil {
		return fmt.Errorf("%w: no store to read it from", ErrBlob)
	}
	b, err := blobs.Get(ctx, ref.SHA256)
	if errors.Is(err, events.ErrNoBlob) {
		x.sum.Missing++
		ref.Size = 0 // nobody knows; what an event says is not to be trusted
		x.chain.addBlob(ref, true)
		return x.line(line{Blob: &ref, Missing: true})
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBlob, err)
	}
	if events.Digest(b) != ref.SHA256 {
		return fmt.Errorf("%w: the store gave other bytes", ErrBlob)
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
