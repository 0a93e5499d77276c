package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"

	"manualslop/events"
)

// maxSnapshotBytes limits one message of a stored snapshot, which is
// compressed.
const maxSnapshotBytes = 960 << 10

// snapshotWindow is what a writer of snapshots keeps in memory. Writers are
// recreated after each garbage collection.
const snapshotWindow = 256 << 10

// maxSnapshotWindow limits what reading a damaged or hostile one keeps in
// memory.
const maxSnapshotWindow = 8 << 20

// MaxSnapshot limits a snapshot in bytes before compression.
const MaxSnapshot = 256 << 20

// snapshotWriters are kept, because making one takes longer than most snapshots.
var snapshotWriters = sync.Pool{New: func() any {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(snapshotWindow))
	if err != nil {
		panic(err) // the options are ours
	}
	return w
}}

// PutSnapshot stores v as JSON under key and replaces what was there. A v that
// implements io.WriterTo and io.ReaderFrom has its own form. What does not fit
// into one message is stored in pieces where the role is Gateway.
// events.ErrTooLarge when it is over MaxSnapshot, or over what one snapshot may
// take of the stream. A snapshot is a state that can be computed again from the
// log: losing one costs time and nothing else, so a caller may continue after
// an error.
func (c *Conn) PutSnapshot(ctx context.Context, key string, v any) error {
	err := checkKey(key)
	if err == nil {
		err = c.putSnapshot(ctx, key, v)
	}
	if err != nil {
		return fmt.Errorf("put snapshot %s: %w", key, err)
	}
	return nil
}

func (c *Conn) putSnapshot(ctx context.Context, key string, v any) error {
	var buf bytes.Buffer
	zip := snapshotWriters.Get().(*zstd.Encoder)
	zip.Reset(&buf)
	err := writeSnapshot(&limited{zip, MaxSnapshot}, v)
	if err == nil {
		err = zip.Close()
	}
	zip.Reset(nil)
	snapshotWriters.Put(zip)
	if err != nil {
		return err
	}
	if buf.Len() > maxSnapshotBytes {
		return c.putPieces(ctx, key, buf.Bytes())
	}
	return c.putMessage(ctx, key, buf.Bytes())
}

func (c *Conn) putMessage(ctx context.Context, key string, body []byte) error {
	_, err := c.publish(ctx, &nats.Msg{Subject: subjectSnaps + key, Data: body}, nil)
	return err
}

func writeSnapshot(w io.Writer, v any) error {
	if own, ok := v.(io.WriterTo); ok {
		_, err := own.WriteTo(w)
		return err
	}
	return json.NewEncoder(w).Encode(v)
}

// limited takes so many bytes and no more.
type limited struct {
	to   io.Writer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	if len(b) > l.left {
		return 0, fmt.Errorf("%w: over %d bytes", events.ErrTooLarge, MaxSnapshot)
	}
	l.left -= len(b)
	return l.to.Write(b)
}

// DropSnapshot removes the snapshot under key, if there is one.
func (c *Conn) DropSnapshot(ctx context.Context, key string) error {
	err := checkKey(key)
	if err == nil {
		err = c.putMessage(ctx, key, nil)
	}
	if err != nil {
		return fmt.Errorf("drop snapshot %s: %w", key, err)
	}
	return nil
}

// Snapshot decodes the snapshot under key into the zero value that v points to;
// events.ErrNoKey if there is none.
func (c *Conn) Snapshot(ctx context.Context, key string, v any) error {
	err := checkKey(key)
	if err == nil {
		err = c.snapshot(ctx, key, v)
	}
	if err != nil {
		return fmt.Errorf("get snapshot %s: %w", key, err)
	}
	return nil
}

func (c *Conn) snapshot(ctx context.Context, key string, v any) error {
	body, err := c.getMessage(ctx, key)
	if err != nil {
		return err
	}
	if body[0] == '{' {
		if body, err = c.pieces(ctx, key, body); err != nil {
			return err
		}
	}
	return readSnapshot(body, v)
}

// getMessage is what stands under key; events.ErrNoKey for nothing.
func (c *Conn) getMessage(ctx context.Context, key string) ([]byte, error) {
	m, err := c.directGet(ctx, apiDirectGet+streamSnapshots+"."+subjectSnaps+key, nil)
	if err != nil {
		return nil, err
	}
	if m == nil || len(m.Body) == 0 {
		return nil, events.ErrNoKey
	}
	return m.Body, nil
}

// readSnapshot decodes a snapshot as it is stored.
func readSnapshot(body []byte, v any) error {
	zip, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxSnapshotWindow))
	if err != nil {
		return err
	}
	defer zip.Close()
	in := io.LimitReader(zip, MaxSnapshot)
	if own, ok := v.(io.ReaderFrom); ok {
		_, err := own.ReadFrom(in)
		return err
	}
	raw, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	return events.Unmarshal(raw, v)
}

// maxSnapshotPieces limits the messages of one snapshot; a stream of the
// default budget has room for fourteen of the longest.
const maxSnapshotPieces = 24

// snapshotHead is under the key of a snapshot that was stored in pieces. It is
// written last, so that pieces of two writers or of a killed one never count as
// a whole.
type snapshotHead struct {
	Pieces int    `json:"pieces"`
	SHA256 string `json:"sha256"` // of all pieces together
}

// errPieces means that a snapshot cannot be put together.
var errPieces = errors.New("the snapshot is incomplete")

func pieceKey(key string, n int) string { return key + ".piece-" + strconv.Itoa(n) }

// putPieces stores what does not fit into one message. Pieces of a longer one
// that was there before stay until the stream needs their room.
func (c *Conn) putPieces(ctx context.Context, key string, body []byte) error {
	most, err := c.mostPieces(ctx)
	if err != nil {
		return err
	}
	h := snapshotHead{Pieces: (len(body) + maxSnapshotBytes - 1) / maxSnapshotBytes, SHA256: events.Digest(body)}
	if h.Pieces > most {
		return fmt.Errorf("%w: %d bytes, at most %d", events.ErrTooLarge, len(body), most*maxSnapshotBytes)
	}
	for n := range h.Pieces {
		piece := body[n*maxSnapshotBytes : min((n+1)*maxSnapshotBytes, len(body))]
		if err := c.putMessage(ctx, pieceKey(key, n), piece); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return c.putMessage(ctx, key, raw)
}

// mostPieces returns how many messages a snapshot of this role may have: one
// never takes more than a quarter of the stream.
func (c *Conn) mostPieces(ctx context.Context) (int, error) {
	if c.role.Kind != Gateway {
		return 1, nil
	}
	info, err := c.stream(ctx, streamSnapshots)
	if err != nil {
		return 0, err
	}
	if info.Config.MaxBytes <= 0 {
		return maxSnapshotPieces, nil
	}
	return int(min(maxSnapshotPieces, info.Config.MaxBytes/4/maxSnapshotBytes)), nil
}

// pieces puts a snapshot together; errPieces where that is not what its head says.
func (c *Conn) pieces(ctx context.Context, key string, raw []byte) ([]byte, error) {
	var h snapshotHead
	if err := json.Unmarshal(raw, &h); err != nil || h.Pieces < 1 || h.Pieces > maxSnapshotPieces {
		return nil, fmt.Errorf("%w: its headerer", errPieces)
	}
	body := make([]byte, 0, h.Pieces*maxSnapshotBytes)
	for n := range h.Pieces {
		piece, err := c.getMessage(ctx, pieceKey(key, n))
		if errors.Is(err, events.ErrNoKey) {
			return nil, fmt.Errorf("%w: piece %d of %d is missing", errPieces, n+1, h.Pieces)
		}
		if err != nil {
			return nil, err
		}
		body = append(body, piece...)
	}
	if events.Digest(body) != h.SHA256 {
		return nil, fmt.Errorf("%w: its pieces do not match the digest", errPieces)
	}
	return body, nil
}
