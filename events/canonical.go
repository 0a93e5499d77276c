package events

import (
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"
)

// Canonical is the RFC 8785 form of a JSON text: the bytes over which every
// digest of arguments and manifests is taken.
func Canonical(raw json.RawMessage) (json.RawMessage, error) {
	if b, ok := scanned(raw); ok {
		return b, nil
	}
	b, err := jcs.Transform(raw)
	if err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return b, nil
}

// CanonicalDigest is the SHA-256, in hexadecimal, of the canonical form of raw.
func CanonicalDigest(raw json.RawMessage) (string, error) {
	b, err := Canonical(raw)
	if err != nil {
		return "", err
	}
	return Digest(b), nil
}
