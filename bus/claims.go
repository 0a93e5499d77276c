package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"manualslop/events"
)

// MaxClaim bounds the value of a claim in bytes.
const MaxClaim = 64 << 10

// CreateClaim puts a claim on record: whoever acts on a call that changes
// something writes its name first, and one of all wins. ErrClaimed when there
// is one under the key already. A claim is never deleted.
func (c *Conn) CreateClaim(ctx context.Context, key string, value []byte) (rev uint64, err error) {
	rev, err = c.putClaim(ctx, key, value, 0)
	if errors.Is(err, events.ErrConflict) {
		err = ErrClaimed
	}
	if err != nil {
		return 0, fmt.Errorf("claim %s: %w", key, err)
	}
	return rev, nil
}

// Claim reads a claim and the revision that an update must name; ErrNoKey if
// there is none.
func (c *Conn) Claim(ctx context.Context, key string) (value []byte, rev uint64, err error) {
	m, err := c.getClaim(ctx, key)
	if err != nil {
		return nil, 0, fmt.Errorf("claim %s: %w", key, err)
	}
	return m.Body, m.Seq, nil
}

// UpdateClaim replaces a claim that still stands at rev; events.ErrConflict if
// it moved on.
func (c *Conn) UpdateClaim(ctx context.Context, key string, value []byte, rev uint64) (uint64, error) {
	next, err := c.putClaim(ctx, key, value, rev)
	if err != nil {
		return 0, fmt.Errorf("claim %s: %w", key, err)
	}
	return next, nil
}

func (c *Conn) getClaim(ctx context.Context, key string) (*stored, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	m, err := c.directGet(ctx, apiDirectGet+streamClaims+"."+subjectClaims+key, nil)
	if err == nil && m == nil {
		err = ErrNoKey
	}
	return m, err
}

func (c *Conn) putClaim(ctx context.Context, key string, value []byte, rev uint64) (uint64, error) {
	if err := checkKey(key); err != nil {
		return 0, err
	}
	if len(value) > MaxClaim {
		return 0, fmt.Errorf("%w: %d bytes, at most %d", events.ErrTooLarge, len(value), MaxClaim)
	}
	id := nuid.Next()
	a, err := c.publish(ctx, &nats.Msg{Subject: subjectClaims + key, Data: value, Header: nats.Header{
		jetstream.MsgIDHeader:               {id},
		jetstream.ExpectedLastSubjSeqHeader: {strconv.FormatUint(rev, 10)},
	}})
	if errors.Is(err, events.ErrConflict) {
		// The answer to an earlier attempt of this very call may have been lost.
		if m, gerr := c.getClaim(ctx, key); gerr == nil && m.MsgID == id {
			return m.Seq, nil
		}
	}
	return a.Sequence, err
}

// checkKey refuses what is no key of a bucket.
func checkKey(key string) error {
	ok := key != "" && len(key) <= 256 && key[0] != '.' && key[len(key)-1] != '.'
	for i := range len(key) {
		ch := key[i]
		dot := ch == '.' && i > 0 && key[i-1] != '.'
		ok = ok && (dot || ch == '-' || ch == '_' || ch == '=' || ch == '/' ||
			ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch >= '0' && ch <= '9')
	}
	if !ok {
		return fmt.Errorf("%w: %.40q is no key", ErrNoKey, key)
	}
	return nil
}
