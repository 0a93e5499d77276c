package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"

	"manualslop/events"
)

// maxSnapshotBytes bounds a stored snapshot after compression.
const maxSnapshotBytes = 960 << 10

// snapshotWindow is what a writer of snapshots keeps in memory. Writers are made anew
// after each garbage collection.
const snapshotWindow = 256 << 10

// maxSnapshotWindow bounds what reading a damaged or hostile one keeps in memory.
const maxSnapshotWindow = 8 << 20

// MaxSnapshot bounds a snapshot in bytes of JSON.
const MaxSnapshot = 64 << 20

// snapshotWriters are kept, because making one takes longer than most snapshots.
var snapshotWriters = sync.Pool{New: func() any {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(snapshotWindow))
	if err != nil {
		panic(err) // the options are ours
	}
	return w
}}

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
	zip := snapshotWriters.Get().(*zstd.Encoder)
	zip.Reset(&buf)
	err := writeJSON(zip, v)
	if err == nil {
		err = zip.Close()
	}
	zip.Reset(nil)
	snapshotWriters.Put(zip)
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
	if err := readSnapshot(m.Body, v); err != nil {
		return fmt.Errorf("get snapshot %s: %w", key, err)
	}
	return nil
}

// readSnapshot decodes a snapshot as it is stored.
func readSnapshot(body []byte, v any) error {
	zip, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxSnapshotWindow))
	if err != nil {
		return err
	}
	defer zip.Close()
	return json.NewDecoder(io.LimitReader(zip, MaxSnapshot)).Decode(v)
}
