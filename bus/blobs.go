package bus

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"manualslop/events"
)

// blobChunk is the maximum size of a blob's part in one message.
const blobChunk = 256 << 10

// MaxBlob is the maximum size of a blob in bytes.
const MaxBlob = 64 << 20

const blobBucket = "SLOP_BLOBS"

// Put stores b under its SHA-256; see events.Blobs. It uses the layout of a NATS object store, with the digest as
// the name, so standard tools can read it. A crash leaves only chunks that no name refers to.
func (c *Conn) Put(ctx context.Context, b []byte, mediaType string) (events.BlobRef, error) {
	sum := sha256.Sum256(b)
	ref := events.BlobRef{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(b)), MediaType: mediaType}
	if len(b) > MaxBlob {
		return events.BlobRef{}, fmt.Errorf("put blob: %w: %d bytes, at most %d", events.ErrTooLarge, len(b), MaxBlob)
	}
	switch info, err := c.blobInfo(ctx, ref.SHA256, c.nearBlob); {
	case err != nil:
		return events.BlobRef{}, fmt.Errorf("put blob %s: %w", ref.SHA256, err)
	case info != nil:
		return ref, nil
	}
	if c.room != nil { // the remaining disk space is for events
		if why := c.room.why(); why != nil {
			return events.BlobRef{}, fmt.Errorf("put blob %s: %w", ref.SHA256, why)
		}
	}
	if err := c.putBlob(ctx, ref, sum, b); err != nil {
		return events.BlobRef{}, fmt.Errorf("put blob %s: %w", ref.SHA256, err)
	}
	return ref, nil
}

func (c *Conn) putBlob(ctx context.Context, ref events.BlobRef, sum [sha256.Size]byte, b []byte) error {
	id := nuid.Next()
	chunks := uint32(0)
	for at := 0; at < len(b); at += blobChunk {
		chunk := b[at:min(at+blobChunk, len(b))]
		h := nats.Header{jetstream.MsgIDHeader: {fmt.Sprintf("%s.%d", id, chunks)}}
		if _, err := c.publish(ctx, &nats.Msg{Subject: subjectBlobs + "C." + id, Data: chunk, Header: h}, nil); err != nil {
			return err
		}
		chunks++
	}
	info := jetstream.ObjectInfo{
		ObjectMeta: jetstream.ObjectMeta{
			Name: ref.SHA256, Metadata: map[string]string{"media_type": ref.MediaType},
			Opts: &jetstream.ObjectMetaOptions{ChunkSize: blobChunk},
		},
		Bucket: blobBucket, NUID: id, Size: uint64(len(b)), Chunks: chunks, ModTime: time.Now().UTC(),
		Digest: "SHA-256=" + base64.URLEncoding.EncodeToString(sum[:]),
	}
	body, err := json.Marshal(info)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	_, err = c.publish(ctx, &nats.Msg{Subject: blobSubject(ref.SHA256), Data: body,
		Header: nats.Header{jetstream.ExpectedLastSubjSeqHeader: {"0"}, jetstream.MsgIDHeader: {id}}}, nil)
	if errors.Is(err, events.ErrConflict) {
		return nil // another process has stored the same bytes
	}
	return err
}

// Get returns the bytes of a blob; see events.Blobs.
func (c *Conn) Get(ctx context.Context, digest string) ([]byte, error) {
	if raw, err := hex.DecodeString(digest); err != nil || len(raw) != sha256.Size {
		return nil, fmt.Errorf("get blob %.80q: %w: not a digest", digest, events.ErrNoBlob)
	}
	info, err := c.blobInfo(ctx, digest, c.getBlob)
	if err != nil {
		return nil, fmt.Errorf("get blob %s: %w", digest, err)
	}
	if info == nil || info.Deleted {
		return nil, fmt.Errorf("get blob %s: %w", digest, events.ErrNoBlob)
	}
	b, err := c.blobBytes(ctx, info)
	if err != nil {
		return nil, fmt.Errorf("get blob %s: %w", digest, err)
	}
	if events.Digest(b) != digest {
		return nil, fmt.Errorf("get blob %s: %w: the stored bytes have another digest", digest, ErrDamaged)
	}
	return b, nil
}

func (c *Conn) blobBytes(ctx context.Context, info *jetstream.ObjectInfo) ([]byte, error) {
	if info.Size > MaxBlob {
		return nil, fmt.Errorf("%w: %d bytes", events.ErrTooLarge, info.Size)
	}
	b := make([]byte, 0, info.Size)
	seq := uint64(1)
	for range info.Chunks {
		m, err := c.getBlob(ctx, getRequest{Seq: seq, NextFor: subjectBlobs + "C." + info.NUID})
		if err != nil {
			return nil, err
		}
		if m == nil {
			return nil, fmt.Errorf("%w: a part is missing", ErrDamaged)
		}
		b, seq = append(b, m.Body...), m.Seq+1
	}
	return b, nil
}

// blobInfo returns the description of a stored blob, read with get, or nil if there is none.
func (c *Conn) blobInfo(ctx context.Context, digest string, get getter) (*jetstream.ObjectInfo, error) {
	m, err := get(ctx, getRequest{LastFor: blobSubject(digest)})
	if err != nil || m == nil {
		return nil, err
	}
	var info jetstream.ObjectInfo
	if err := json.Unmarshal(m.Body, &info); err != nil {
		return nil, fmt.Errorf("%w: read its description: %w", ErrDamaged, err)
	}
	return &info, nil
}

// getter reads one message of the blobs, or returns nil if there is none.
type getter func(context.Context, getRequest) (*stored, error)

// nearBlob asks any replica, which may not have the newest blobs yet.
func (c *Conn) nearBlob(ctx context.Context, req getRequest) (*stored, error) {
	return c.directGet(ctx, apiDirectGet+streamBlobs, req)
}

// getBlob asks a replica first, and the leader if the replica does not have the blob.
func (c *Conn) getBlob(ctx context.Context, req getRequest) (*stored, error) {
	m, err := c.nearBlob(ctx, req)
	if err != nil || m != nil {
		return m, err
	}
	return c.askLeader(ctx, streamBlobs, req)
}

func blobSubject(digest string) string {
	return subjectBlobs + "M." + base64.URLEncoding.EncodeToString([]byte(digest))
}
