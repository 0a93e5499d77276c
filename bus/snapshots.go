package bus

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/nats-io/nats.go"

	"manualslop/events"
)

// maxSnapshotBytes bounds a stored snapshot after compression.
const maxSnapshotBytes = 960 << 10

// MaxSnapshot bounds a snapshot in bytes of JSON.
const MaxSnapshot = 64 << 20

// PutSnapshot stores v as JSON under key and replaces what was there.
// events.ErrTooLarge when it does not fit into one message. A snapshot is a
// state that can be computed again from the log: losing one costs time and
// nothing else, so a caller may go on after an error. A large v implements
// io.WriterTo and writes its JSON piece by piece; encoded at once it would take
// its size in memory twice over.
func (c *Conn) PutSnapshot(ctx context.Context, key string, v any) error {
	if err := checkKey(key); err != nil {
		return fmt.Errorf("put snapshot: %w", err)
	}
	var buf bytes.Buffer
	zip := gzip.NewWriter(&buf)
	err := writeJSON(zip, v)
	if err == nil {
		err = zip.Close()
	}
	if err != nil {
		return fmt.Errorf("put snapshot %s: %w", key, err)
	}
	if buf.Len() > maxSnapshotBytes {
		return fmt.Errorf("put snapshot %s: %w: %d bytes, at most %d", key, events.ErrTooLarge, buf.Len(), maxSnapshotBytes)
	}
	if _, err := c.publish(ctx, &nats.Msg{Subject: subjectSnaps + key, Data: buf.Bytes()}, nil); err != nil {
		return fmt.Errorf("put snapshot %s: %w", key, err)
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	if pieces, ok := v.(io.WriterTo); ok {
		_, err := pieces.WriteTo(w)
		return err
	}
	return json.NewEncoder(w).Encode(v)
}

// DropSnapshot removes the snapshot under key, if there is one.
func (c *Conn) DropSnapshot(ctx context.Context, key string) error {
	err := checkKey(key)
	if err == nil {
		_, err = c.publish(ctx, &nats.Msg{Subject: subjectSnaps + key}, nil)
	}
	if err != nil {
		return fmt.Errorf("drop snapshot %s: %w", key, err)
	}
	return nil
}

// Snapshot decodes the snapshot under key into v; ErrNoKey if there is none.
func (c *Conn) Snapshot(ctx context.Context, key string, v any) error {
	if err := checkKey(key); err != nil {
		return fmt.Errorf("get snapshot: %w", err)
	}
	m, err := c.directGet(ctx, apiDirectGet+streamSnapshots+"."+subjectSnaps+key, nil)
	if err == nil && (m == nil || len(m.Body) == 0) {
		err = ErrNoKey
	}
	if err != nil {
		return fmt.Errorf("get snapshot %s: %w", key, err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(m.Body))
	if err == nil {
		err = json.NewDecoder(io.LimitReader(zip, MaxSnapshot)).Decode(v)
	}
	if err != nil {
		return fmt.Errorf("get snapshot %s: %w", key, err)
	}
	return nil
}
