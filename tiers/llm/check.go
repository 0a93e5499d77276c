package llm

import (
	"errors"

	"manualslop/events"
)

// Checked counts the prompts that [CheckBodies] checked.
type Checked struct {
	Same int `json:"same"` // rebuilt byte for byte
	// Skipped counts prompts that could not be compared: the record has no body digest, the body
	// has a format that this program does not write, or its bytes are not available.
	Skipped int `json:"skipped"`
}

// Mismatch is a recorded body that differs from the one rebuilt from the record.
type Mismatch struct {
	Position int           // of the reply in the history, from 0
	Reply    *events.Event // the reply
	Want     string        // digest of the rebuilt body
	Err      error         // why no body could be rebuilt; nil if Want is set
}

// CheckBodies rebuilds the body of every answered request of a history and compares its digest
// with the recorded one. Its only I/O is through blob. It stops at the first mismatch and returns
// nil if there is none.
func CheckBodies(history []events.Event, providers map[string]Provider, blob Blob) (Checked, *Mismatch) {
	b := NewBodies(func(name string) Provider { return providers[name] }, blob, nil)
	for i := range history {
		if b.Take(&history[i]); b.bad != nil {
			break
		}
	}
	return b.End()
}

// Bodies does the same as [CheckBodies], one event at a time.
type Bodies struct {
	record   *Record
	requests map[string]events.ModelRequested // without an answer yet
	provider func(name string) Provider
	blob     Blob
	seen     Checked
	n        int
	bad      *Mismatch
}

// NewBodies starts the check of a history. Provider returns the provider with a name, or nil. If
// again is set, the texts of old outcomes are forgotten and read again on demand; if it is nil,
// all are kept.
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
		p.Manifest = nil // the record keeps it
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

// End returns what [CheckBodies] would return for the events taken so far.
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
