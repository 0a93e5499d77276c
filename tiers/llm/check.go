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
	Position int    // of the reply in the history, from 0
	Want     string // digest of the body that follows from the record
	Err      error  // why none follows; nil where Want is one
}

// CheckBodies builds the body of every answered request of a history again and
// compares its digest with the recorded one. It is pure but for blob. The first
// mismatch ends it; nil means that there is none.
func CheckBodies(history []events.Event, providers map[string]Provider, blob Blob) (Checked, *Mismatch) {
	var seen Checked
	record, requests := &Record{}, map[string]events.ModelRequested{}
	for i := range history {
		e := &history[i]
		switch p := e.Payload.(type) {
		case events.ModelRequested:
			requests[e.ID] = p
		case events.ModelReplied:
			if bad := checkBody(record, requests[p.Request], p, providers, blob, &seen); bad != nil {
				bad.Position = i
				return seen, bad
			}
			delete(requests, p.Request) // only the first answer counts
		case events.ModelFailed:
			delete(requests, p.Request)
		}
		record.Take(e)
	}
	return seen, nil
}

func checkBody(record *Record, asked events.ModelRequested, p events.ModelReplied, providers map[string]Provider, blob Blob, seen *Checked) *Mismatch {
	provider := providers[asked.Provider]
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
	if c := p.Cached; c != nil {
		request.Cached = &CachedPrefix{Name: c.Name, Messages: c.Messages}
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

// bodyDigest is the digest of the body that a provider makes of a request.
func bodyDigest(provider Provider, r Request) (string, error) {
	if provider.Wire() == NeutralWire {
		return r.wireDigest()
	}
	body, err := provider.Body(r)
	return events.Digest(body), err
}
