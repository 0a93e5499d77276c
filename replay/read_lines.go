package replay

import (
	"encoding/json"
	"fmt"

	"manualslop/events"
)

// plainLine is a line of a file without header: an envelope, or an event with its sequence.
type plainLine struct {
	SpecVersion string          `json:"specversion"`
	Seq         uint64          `json:"seq"`
	Event       json.RawMessage `json:"event"`
}

func (p *reader) parsePlain(b []byte) (out parsed) {
	var l plainLine
	if out.err = json.Unmarshal(b, &l); out.err != nil {
		out.err = fmt.Errorf("%w: %w", ErrFormat, out.err)
		return out
	}
	body := l.Event
	if l.SpecVersion != "" {
		body = b
	}
	if out.err = out.event.UnmarshalJSON(body); out.err != nil {
		out.err = fmt.Errorf("%w: %w", ErrFormat, out.err)
		return out
	}
	p.registry.Decode(&out.event)
	out.seq = l.Seq
	return out
}

// plainEvent processes a line of a file without header. Events without a sequence are numbered.
func (p *reader) plainEvent(got *parsed) error {
	e := &got.event
	if e.Seq = got.seq; e.Seq == 0 {
		e.Seq = p.seq + 1
	}
	if p.sum.Events == 0 {
		p.head.Project, p.head.Session = e.Project, e.Session
	}
	return p.event(got)
}

// parseEvent parses the event in a line of an export.
func (p *reader) parseEvent(out *parsed) {
	l := &out.line
	if len(l.Stored) > 0 {
		if out.event, out.wrong = uncounted(l); out.wrong != nil {
			return
		}
	} else if err := out.event.UnmarshalJSON(l.Event); err != nil {
		out.wrong = fmt.Errorf("%w: %w", ErrFormat, err)
		return
	}
	out.event.Seq = l.Seq
	p.registry.Decode(&out.event)
	out.refs = blobRefs(out.event.Payload)
}

// chained processes an event line of an export.
func (p *reader) chained(got *parsed) error {
	l, e := &got.line, &got.event
	if p.blob != nil || p.sum.Blobs+p.sum.Missing > 0 {
		return fmt.Errorf("%w: an event follows a blob", ErrFormat)
	}
	if got.wrong != nil {
		return got.wrong
	}
	raw := l.Event
	if len(l.Stored) > 0 {
		raw = l.Stored
	}
	p.chain.add(l.Seq, raw)
	if l.Chain != p.chain.String() {
		return at(CodeChain, p.sum.Events, e, fmt.Sprintf("the chain is %.16s… but should be %.16s…", l.Chain, p.chain))
	}
	if l.Subject != e.Subject() {
		return fmt.Errorf("%w: event %s has the wrong subject %q", ErrFormat, e.ID, l.Subject)
	}
	return p.event(got)
}

// uncounted returns the event of a stored body. It never has an effect, whatever its bytes say: either they are
// not an envelope, or the server copied the event to its position.
func uncounted(l *line) (events.Event, error) {
	var s stored
	if err := strict(l.Stored, &s); err != nil {
		return events.Event{}, err
	}
	if len(l.Event) > 0 {
		return events.Event{}, fmt.Errorf("%w: a line must not have both an event and a stored body", ErrFormat)
	}
	m := events.Stored{Subject: l.Subject, MsgID: s.MsgID, Seq: l.Seq, Time: s.Time, Body: s.Body}
	e, err := events.FromStored(m)
	if _, bad := e.Payload.(events.Malformed); err == nil && !bad {
		m.Body = nil
		e, err = events.FromStored(m)
		e.Payload = events.Unreadable(e.Type, e.V, s.Body, "it is not where its author published it")
	}
	if err != nil {
		return events.Event{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return e, nil
}

// event passes one event to the sink.
func (p *reader) event(got *parsed) error {
	e := &got.event
	switch {
	case p.sum.Events == p.limits.events:
		return fmt.Errorf("%w: more than %d events", ErrLimit, p.limits.events)
	case e.Project != p.head.Project || e.Session != p.head.Session:
		return fmt.Errorf("%w: event %s belongs to another session", ErrFormat, e.ID)
	case e.Seq <= p.seq:
		return fmt.Errorf("%w: sequence %d follows %d", ErrFormat, e.Seq, p.seq)
	}
	p.seq = e.Seq
	p.sum.Events++
	if !p.plain {
		for _, ref := range got.refs {
			p.wanted[ref.SHA256] = true
		}
		if len(p.wanted) > p.limits.blobs {
			return fmt.Errorf("%w: more than %d blobs", ErrLimit, p.limits.blobs)
		}
	}
	if p.sink.Event != nil {
		if err := p.sink.Event(*e); err != nil {
			return sinkError{err}
		}
	}
	return nil
}

// piece adds one piece of a blob, and passes the blob to the sink when it is complete.
func (p *reader) piece(l line) error {
	if p.blob == nil {
		if err := p.openBlob(*l.Blob); err != nil {
			return err
		}
	}
	b := p.blob
	if l.Missing && b.parts == 0 && len(l.Data) == 0 {
		p.blob, p.wanted[b.ref.SHA256] = nil, false
		p.sum.Missing++
		p.chain.addBlob(b.ref, true)
		return nil
	}
	if *l.Blob != b.ref || l.Part != b.parts || l.Missing || len(l.Event) > 0 || len(l.Stored) > 0 {
		return fmt.Errorf("%w: piece %d of blob %s does not belong here", ErrFormat, l.Part, l.Blob.SHA256)
	}
	b.parts++
	b.bytes = append(b.bytes, l.Data...)
	switch have := int64(len(b.bytes)); {
	case have > b.ref.Size, len(l.Data) == 0 && b.ref.Size > 0:
		return fmt.Errorf("%w: piece %d of %s does not fit its size %d", ErrBlob, l.Part, b.ref.SHA256, b.ref.Size)
	case have < b.ref.Size:
		return nil
	}
	p.blob = nil
	if events.Digest(b.bytes) != b.ref.SHA256 {
		return fmt.Errorf("%w: the bytes do not match the digest %s", ErrBlob, b.ref.SHA256)
	}
	p.wanted[b.ref.SHA256] = false
	p.sum.Blobs++
	p.chain.addBlob(b.ref, false)
	if p.sink.Blob != nil {
		if err := p.sink.Blob(b.ref, b.bytes); err != nil {
			return sinkError{err}
		}
	}
	return nil
}

// openBlob begins a blob, which must be named by an event and not read yet.
func (p *reader) openBlob(ref events.BlobRef) error {
	switch {
	case !p.wanted[ref.SHA256]:
		return fmt.Errorf("%w: blob %s is not named by any event, or occurs twice", ErrFormat, ref.SHA256)
	case ref.Size < 0 || ref.Size > p.limits.blob:
		return fmt.Errorf("%w: blob of %d bytes, at most %d are allowed", ErrLimit, ref.Size, p.limits.blob)
	}
	p.blob = &openBlob{ref: ref}
	return nil
}
