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

// limits are the bounds of one reading.
type limits struct {
	line, events, blobs int
	blob, file          int64
}

// reader is one walk through a file.
type reader struct {
	in       *bufio.Reader
	sink     Sink
	registry *events.Registry
	limits   limits
	buf      []byte
	n        int   // lines read
	size     int64 // bytes read

	head   Header
	plain  bool
	chain  chain
	seq    uint64 // of the newest event
	sum    Summary
	ended  bool            // the footer was read
	wanted map[string]bool // blobs that events name: true until read
	blob   *openBlob
}

// openBlob is a blob of which more pieces must come.
type openBlob struct {
	ref   events.BlobRef
	parts int
	bytes []byte
}

func newReader(r io.Reader, sink Sink) *reader {
	return &reader{in: bufio.NewReaderSize(r, 64<<10), sink: sink, registry: events.Catalogue(), wanted: map[string]bool{},
		limits: limits{line: MaxLine, events: MaxEvents, blobs: MaxBlobs, blob: MaxBlobBytes, file: MaxFileBytes}}
}

// sinkError is an error of the sink on its way out.
type sinkError struct{ error }

// located adds the line to errors about the file; divergences, the sink's and
// the context's errors pass as they are.
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

func (p *reader) run(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b, err := p.next()
		if errors.Is(err, io.EOF) {
			return p.finish()
		}
		if err != nil {
			return err
		}
		if err := p.line(b); err != nil {
			return err
		}
	}
}

// next reads one line without its end; it is valid until the next call.
func (p *reader) next() ([]byte, error) {
	p.buf = p.buf[:0]
	p.n++
	for {
		piece, err := p.in.ReadSlice('\n')
		p.buf = append(p.buf, piece...)
		p.size += int64(len(piece))
		switch {
		case len(p.buf) > p.limits.line:
			return nil, fmt.Errorf("%w: a line of more than %d bytes", ErrLimit, p.limits.line)
		case p.size > p.limits.file:
			return nil, fmt.Errorf("%w: more than %d bytes", ErrLimit, p.limits.file)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(p.buf) > 0, err == nil:
			return bytes.TrimSuffix(p.buf, []byte("\n")), nil
		default:
			return nil, err
		}
	}
}

func (p *reader) line(b []byte) error {
	switch {
	case p.ended:
		return fmt.Errorf("%w: something follows the footer", ErrFormat)
	case p.n == 1:
		return p.firstLine(b)
	case p.plain:
		return p.plainEvent(b)
	}
	var l line
	if err := strict(b, &l); err != nil {
		return err
	}
	switch {
	case l.End != nil:
		return p.end(*l.End)
	case l.Blob != nil:
		return p.piece(l)
	case len(l.Event) > 0 || len(l.Stored) > 0:
		return p.chained(l)
	}
	return fmt.Errorf("%w: neither event, blob nor footer", ErrFormat)
}

// firstLine tells the two kinds of file apart.
func (p *reader) firstLine(b []byte) error {
	var probe struct {
		Version *int `json:"slop_export"`
	}
	if err := json.Unmarshal(b, &probe); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if probe.Version == nil {
		p.plain = true
		return p.plainEvent(b)
	}
	if err := strict(b, &p.head); err != nil {
		return err
	}
	if p.head.Version != FormatVersion {
		return fmt.Errorf("%w: version %d of the file, this program reads %d", ErrFormat, p.head.Version, FormatVersion)
	}
	p.chain = startChain(b)
	return nil
}

// finish checks that nothing is missing at the end of the file.
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
		return fmt.Errorf("%w: events name %d blobs and %d are here", ErrBlob, len(p.wanted), here)
	}
	p.sum.Chain = p.chain.String()
	if said != p.sum {
		return &Divergence{Code: CodeChain, Seq: p.seq, Position: p.sum.Events,
			Detail: fmt.Sprintf("the footer says %+v and the file holds %+v", said, p.sum)}
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
