package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"manualslop/events"
)

// maxSnapshotPieces bounds the messages of one snapshot; a stream of the default
// budget has room for fourteen of the longest.
const maxSnapshotPieces = 24

// snapshotHead stands under the key of a snapshot that was stored in pieces. It is
// written last, so that pieces of two writers or of a killed one never count as
// a whole.
type snapshotHead struct {
	Pieces int    `json:"pieces"`
	SHA256 string `json:"sha256"` // of all pieces together
}

// errPieces says that a snapshot cannot be put together.
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

// mostPieces is how many messages a snapshot of this role may have: one never
// takes more than a quarter of the stream.
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
		return nil, fmt.Errorf("%w: its head", errPieces)
	}
	body := make([]byte, 0, h.Pieces*maxSnapshotBytes)
	for n := range h.Pieces {
		piece, err := c.getMessage(ctx, pieceKey(key, n))
		if errors.Is(err, ErrNoKey) {
			return nil, fmt.Errorf("%w: piece %d of %d is missing", errPieces, n+1, h.Pieces)
		}
		if err != nil {
			return nil, err
		}
		body = append(body, piece...)
	}
	if events.Digest(body) != h.SHA256 {
		return nil, fmt.Errorf("%w: its pieces have another digest", errPieces)
	}
	return body, nil
}
