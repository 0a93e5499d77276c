package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"manualslop/events"
)

// wireSum is the state of the digest of [Request.Wire] after the messages that later requests of a
// conversation repeat, so that the next digest only encodes and hashes what is new.
type wireSum struct {
	hash     hash.Cloner // nil: nothing hashed yet
	messages int
}

// wireDigest returns the digest of [Request.Wire]. It must not run for two requests of one
// conversation at the same time.
func (r Request) wireDigest() (string, error) {
	if len(r.Messages) == 0 {
		b, err := r.Wire()
		return events.Digest(b), err
	}
	if r.begun == nil || r.begun.messages > r.final {
		r.begun = &wireSum{}
	}
	var w wireWriter
	next := func(i int) {
		if w.raw(","); i == 0 {
			w.out = append(w.out[:0], `{"messages":[`...)
		}
		w.message(&r.Messages[i])
	}
	sum := r.begun
	if sum.hash == nil {
		sum.hash = sha256.New().(hash.Cloner)
	}
	for ; sum.messages < r.final && w.err == nil; sum.messages++ {
		w.out = w.out[:0]
		next(sum.messages)
		sum.hash.Write(w.out)
	}
	whole, err := sum.hash.Clone()
	if err != nil {
		return "", fmt.Errorf("digest of the request: %w", err)
	}
	w.out = w.out[:0]
	for i := sum.messages; i < len(r.Messages); i++ {
		next(i)
	}
	w.raw("]")
	w.behind(&r)
	if w.err != nil {
		*sum = wireSum{}
		return "", fmt.Errorf("encode the request: %w", w.err)
	}
	whole.Write(w.out)
	return hex.EncodeToString(whole.Sum(nil)), nil
}
