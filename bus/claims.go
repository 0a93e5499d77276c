package bus

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"manualslop/events"
)

// MaxClaim bounds the value of a claim in bytes.
const MaxClaim = 8 << 10

// CreateClaim puts a claim on record: whoever acts on a call that changes
// something writes its name first, and one of all wins. ErrClaimed when there
// is one under the key already. A claim stays until its outcome is on the log.
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

// PurgeClaim removes a claim that still stands at rev; one that moved on stays.
// Only a claim whose outcome is on the log, or whose holder has not begun, may go.
func (c *Conn) PurgeClaim(ctx context.Context, key string, rev uint64) error {
	if err := checkKey(key); err != nil {
		return fmt.Errorf("purge claim: %w", err)
	}
	var out struct{}
	err := c.api(ctx, apiPurge+streamClaims, purgeRequest{Filter: subjectClaims + key, Before: rev + 1}, &out)
	if err != nil {
		return fmt.Errorf("purge claim %s: %w", key, err)
	}
	return nil
}

type purgeRequest struct {
	Filter string `json:"filter"`
	Before uint64 `json:"seq"`
}

// ClaimKeys lists the claims that are there.
func (c *Conn) ClaimKeys(ctx context.Context) ([]string, error) {
	var info struct {
		State struct {
			Subjects map[string]uint64 `json:"subjects"`
		} `json:"state"`
	}
	req := map[string]string{"subjects_filter": subjectClaims + ">"}
	if err := c.api(ctx, apiStreamInfo+streamClaims, req, &info); err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	var keys []string
	for _, subject := range slices.Sorted(maps.Keys(info.State.Subjects)) {
		keys = append(keys, strings.TrimPrefix(subject, subjectClaims))
	}
	return keys, nil
}

// eachClaim calls take for each claim that is there. One that is purged meanwhile
// is left out.
func (c *Conn) eachClaim(ctx context.Context, take func(key string, value []byte) error) error {
	keys, err := c.ClaimKeys(ctx)
	if err != nil {
		return err
	}
	for _, key := range keys {
		value, _, err := c.Claim(ctx, key)
		if errors.Is(err, ErrNoKey) {
			continue
		}
		if err == nil {
			err = take(key, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Conn) getClaim(ctx context.Context, key string) (*stored, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	// Of the leader: a replica that is behind would show a claim as free.
	m, err := c.askLeader(ctx, streamClaims, getRequest{LastFor: subjectClaims + key})
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
	}}, nil)
	if errors.Is(err, events.ErrConflict) {
		// The answer to an earlier attempt of this very call may have been lost.
		if m, gerr := c.getClaim(ctx, key); gerr == nil && m.MsgID == id {
			return m.Seq, nil
		}
	}
	return a.Sequence, err
}

// checkKey returns ErrNoKey if the key is not valid in a bucket.
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
