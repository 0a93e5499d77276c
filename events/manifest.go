package events

import (
	"encoding/json"
	"fmt"
)

// ManifestDigest is the SHA-256 of the manifest's canonical JSON: two prompts
// are the same to the byte exactly when their digests are.
func ManifestDigest(parts []Part) (string, error) {
	raw, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("manifest: %w", err)
	}
	return CanonicalDigest(raw)
}
