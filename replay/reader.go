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

// limits are the limits of one read.
type limits struct {
	line, events, blobs int
	blob, file          int64
}

// reader is the state of reading one file.
type reader struct {
	lines    *lineReader
	sink     Sink
	registry *events.Registry
	limits   limits
	n        int // lines read

	head   Header
	plain  bool
	chain  chain
	seq    uint64 // sequence of the newest event
	sum    Summary
	ended  bool            // the footer was read
	wanted map[string]bool // blobs that events name; true until read
	blob   *openBlob
}

// openBlob is a blob that is not complete yet.
type openBlob struct {
	ref   events.BlobRef
	parts int
	bytes []byte
}

func newReader(r io.Reader, sink Sink) *reader {
	return &reader{lines: &lineReader{in: bufio.NewReaderSize(r, 64<<10)}, sink: sink, registry: events.Catalogue(),
		wanted: map[string]bool{},
		limits: limits{line: MaxLine, events: MaxEvents, blobs: MaxBlobs, blob: MaxBlobBytes, file: MaxFileBytes}}
}

// sinkError wraps an error of the sink until it is returned.
type sinkError struct{ error }

// located adds the line number to errors about the file. Divergences and the errors of the sink and the context
// are returned unchanged.
func (p *reader) located(err error) error {
	var d *Divergence
	var s sinkError
	switch {
	case err == nil, errors.As(err, &d), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &s):
		return s.error
	}
	return &FileError{Line: p.n, Err: err}
}

// run reads the first line, which determines the kind of file, and then all others. Lines are read and parsed
// ahead on all processors and processed in order.
func (p *reader) run(ctx context.Context) error {
	p.lines.limits = p.limits
	p.n++
	_, b, err := p.lines.next(nil)
	switch {
	case errors.Is(err, io.EOF):
		return p.finish()
	case err != nil:
		return err
	}
	if err := p.firstLine(b); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for batch := range p.lines.ahead(ctx, p.parse) {
		for i := range batch.lines {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			p.n++
			if err := p.line(&batch.lines[i]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(batch.err, io.EOF):
			p.n++
			return p.finish()
		case batch.err != nil:
			p.n++
			return batch.err
		}
		batch.release()
	}
	return context.Cause(ctx)
}

// parse parses a line as far as possible without other lines.
func (p *reader) parse(b []byte) parsed {
	if p.plain {
		return p.parsePlain(b)
	}
	var out parsed
	if !events.Quick(b, &out.line) {
		if out.err = strict(b, &out.line); out.err != nil {
			return out
		}
	}
	if l := &out.line; l.End == nil && l.Blob == nil && (len(l.Event) > 0 || len(l.Stored) > 0) {
		p.parseEvent(&out)
	}
	return out
}

func (p *reader) line(got *parsed) error {
	switch {
	case p.ended:
		return fmt.Errorf("%w: something follows the footer", ErrFormat)
	case got.err != nil:
		return got.err
	case p.plain:
		return p.plainEvent(got)
	}
	l := &got.line
	switch {
	case l.End != nil:
		return p.end(*l.End)
	case l.Blob != nil:
		return p.piece(*l)
	case len(l.Event) > 0 || len(l.Stored) > 0:
		return p.chained(got)
	}
	return fmt.Errorf("%w: line is neither an event, a blob nor a footer", ErrFormat)
}

// firstLine distinguishes the two kinds of file.
func (p *reader) firstLine(b []byte) error {
	var probe struct {
		Version *int `json:"slop_export"`
	}
	if err := json.Unmarshal(b, &probe); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if probe.Version == nil {
		p.plain = true
		got := p.parse(b)
		return p.line(&got)
	}
	if err := strict(b, &p.head); err != nil {
		return err
	}
	if p.head.Version != FormatVersion {
		return fmt.Errorf("%w: the file has version %d, this program reads version "+
			"%d", ErrFormat, p.head.Version, FormatVersion)
	}
	p.chain = startChain(b)
	return nil
}

// finish checks that the file is complete.
func (p *reader) finish() error {
	switch {
	case p.plain || p.ended:
		return nil
	case p.n == 1:
		return fmt.Errorf("%w: the file is empty", ErrFormat)
	}
	return fmt.Errorf("%w after %d events", ErrTruncated, p.sum.Events)
}

// end checks the footer against what was read.
func (p *reader) end(said Summary) error {
	if p.blob != nil {
		return fmt.Errorf("%w: %s ends after %d bytes of %d", ErrBlob, p.blob.ref.SHA256, len(p.blob.bytes), p.blob.ref.Size)
	}
	if here := p.sum.Blobs + p.sum.Missing; here < len(p.wanted) {
		return fmt.Errorf("%w: events name %d blobs, but the file has %d", ErrBlob, len(p.wanted), here)
	}
	p.sum.Chain = p.chain.String()
	if said != p.sum {
		return &Divergence{Code: CodeChain, Seq: p.seq, Position: p.sum.Events,
			Detail: fmt.Sprintf("the footer says %+v, but the file has %+v", said, p.sum)}
	}
	p.ended = true
	return nil
}

// strict decodes one JSON object that has no unknown fields.
func strict(b []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if rest := bytes.TrimSpace(b[dec.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("%w: something follows the object", ErrFormat)
	}
	return nil
}
