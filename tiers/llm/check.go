package llm

import (
	"errors"

	"manualslop/events"
)

// Checked counts the prompts of a record that [CheckBodies] looked at.
type Checked struct {
	Same int `json:"same"` // built again to the byte
	// Skipped could not be compared: the record names no body, or one in a format
	// that this program does not write, or bytes that are not at hand.
	Skipped int `json:"skipped"`
}

// Mismatch is a recorded body that is not the one that follows from the record.
type Mismatch struct {
	Position int           // of the reply in the history, from 0
	Reply    *events.Event // it
	Want     string        // digest of the body that follows from the record
	Err      error         // why none follows; nil where Want is one
}

// CheckBodies builds the body of every answered request of a history again and
// compares its digest with the recorded one. It is pure but for blob. The first
// mismatch ends it; nil means that there is none.
func CheckBodies(history []events.Event, providers map[string]Provider, blob Blob) (Checked, *Mismatch) {
	b := NewBodies(func(name string) Provider { return providers[name] }, blob, nil)
	for i := range history {
		if b.Take(&history[i]); b.bad != nil {
			break
		}
	}
	return b.End()
}

// Bodies is [CheckBodies] for a history that is read event by event.
type Bodies struct {
	record   *Record
	requests map[string]events.ModelRequested // that have no answer yet
	provider func(name string) Provider
	blob     Blob
	seen     Checked
	n        int
	bad      *Mismatch
}

// NewBodies begins a history. Provider finds a provider by its name, or nil. With
// again the texts of old outcomes are forgotten; nil: all are kept.
func NewBodies(provider func(name string) Provider, blob Blob, again Again) *Bodies {
	return &Bodies{record: &Record{recent: recent{again: again}}, requests: map[string]events.ModelRequested{},
		provider: provider, blob: blob}
}

// Take folds the next event. After the first mismatch it does nothing.
func (b *Bodies) Take(e *events.Event) {
	if b.bad != nil {
		return
	}
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		p.Manifest = nil // the record has it
		b.requests[e.ID] = p
	case events.ModelReplied:
		asked := b.requests[p.Request]
		if b.bad = checkBody(b.record, asked, p, b.provider(asked.Provider), b.blob, &b.seen); b.bad != nil {
			b.bad.Position, b.bad.Reply = b.n, e
			return
		}
		delete(b.requests, p.Request) // only the first answer counts
	case events.ModelFailed:
		delete(b.requests, p.Request)
	}
	b.record.Take(e)
	b.n++
}

// End is what [CheckBodies] returns of the events that were taken.
func (b *Bodies) End() (Checked, *Mismatch) { return b.seen, b.bad }

func checkBody(record *Record, asked events.ModelRequested, p events.ModelReplied, provider Provider, blob Blob,
	seen *Checked) *Mismatch {
	if provider == nil || p.BodySHA256 == "" || p.Wire != provider.Wire() {
		seen.Skipped++
		return nil
	}
	request, err := record.Request(p.Request, asked, blob)
	if errors.Is(err, events.ErrNoBlob) {
		seen.Skipped++
		return nil
	}
	if err != nil {
		return &Mismatch{Err: err}
	}
	digest, err := bodyDigest(provider, request)
	if err != nil {
		return &Mismatch{Err: err}
	}
	if digest != p.BodySHA256 {
		return &Mismatch{Want: digest}
	}
	seen.Same++
	return nil
}

// bodyDigest returns the digest of the body that a provider makes of a request.
func bodyDigest(provider Provider, r Request) (string, error) {
	if provider.Wire() == NeutralWire {
		return r.wireDigest()
	}
	body, err := provider.Body(r)
	return events.Digest(body), err
}
