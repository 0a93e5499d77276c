package eventstest

import (
	"context"
	"fmt"
	"slices"

	"manualslop/events"
)

// Put stores b under its SHA-256; see events.Blobs.
func (m *Memory) Put(ctx context.Context, b []byte, mediaType string) (events.BlobRef, error) {
	if err := ctx.Err(); err != nil {
		return events.BlobRef{}, err
	}
	ref := events.BlobRef{SHA256: events.Digest(b), Size: int64(len(b)), MediaType: mediaType}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.blobs[ref.SHA256]; !ok {
		m.blobs[ref.SHA256] = slices.Clone(b)
	}
	return ref, nil
}

// Get returns the bytes of a blob; see events.Blobs.
func (m *Memory) Get(ctx context.Context, digest string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.blobs[digest]
	if !ok {
		return nil, fmt.Errorf("blob %s: %w", digest, events.ErrNoBlob)
	}
	return slices.Clone(b), nil
}
