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

// maxSnapshotBytes limits one compressed message of a stored snapshot.
const maxSnapshotBytes = 960 << 10

// snapshotWindow is the memory that a writer of snapshots keeps. Writers are recreated after each garbage collection.
const snapshotWindow = 256 << 10

// maxSnapshotWindow limits the memory for reading a damaged or hostile snapshot.
const maxSnapshotWindow = 8 << 20

// MaxSnapshot limits a snapshot in bytes before compression.
const MaxSnapshot = 256 << 20

// snapshotWriters are reused, because creating one takes longer than writing most snapshots.
var snapshotWriters = sync.Pool{New: func() any {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(snapshotWindow))
	if err != nil {
		panic(err) // the options are constant
	}
	return w
}}

// PutSnapshot stores v as JSON under key and replaces the previous snapshot. If v implements io.WriterTo and
// io.ReaderFrom, that format is used instead. If the snapshot does not fit into one message, the role Gateway
// stores it in pieces. PutSnapshot returns events.ErrTooLarge if the snapshot exceeds MaxSnapshot or its share of
// the stream. A snapshot can be recomputed from the log, so losing one only costs time, and a caller may continue
// after an error.
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

// limited writes at most a limited number of bytes and then fails.
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

// DropSnapshot removes the snapshot under key if it exists.
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

// Snapshot decodes the snapshot under key into v, which must point to a zero value. It returns events.ErrNoKey if
// there is none.
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

// getMessage returns the message under key, or events.ErrNoKey.
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

// maxSnapshotPieces limits the messages of one snapshot. A stream of the default budget has room for fourteen of
// the longest.
const maxSnapshotPieces = 24

// snapshotHead is stored under the key of a snapshot that was split into pieces. It is written last, so that a
// mix of two writers' pieces, or the pieces of a killed writer, never count as a whole.
type snapshotHead struct {
	Pieces int    `json:"pieces"`
	SHA256 string `json:"sha256"` // of all pieces together
}

// errPieces means that the pieces of a snapshot do not match its head.
var errPieces = errors.New("the snapshot is incomplete")

func pieceKey(key string, n int) string { return key + ".piece-" + strconv.Itoa(n) }

// putPieces stores a snapshot that does not fit into one message. Surplus pieces of a longer previous snapshot
// stay until the stream needs their room.
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

// mostPieces returns how many messages a snapshot of this role may have. A snapshot never takes more than a
// quarter of the stream.
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

// pieces joins the pieces of a snapshot. It returns errPieces if they do not match the head.
func (c *Conn) pieces(ctx context.Context, key string, raw []byte) ([]byte, error) {
	var h snapshotHead
	if err := json.Unmarshal(raw, &h); err != nil || h.Pieces < 1 || h.Pieces > maxSnapshotPieces {
		return nil, fmt.Errorf("%w: its header is not valid", errPieces)
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
