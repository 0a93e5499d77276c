package bus

import (
	"context"
	"encoding/json"
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

// MaxClaim is the maximum size of a claim's value in bytes.
const MaxClaim = 8 << 10

// CreateClaim records a claim. Before anything acts on a call that has side effects, it claims the call under its
// own name, and only one claimant succeeds. CreateClaim returns events.ErrClaimed if the key is already claimed.
// A claim stays until the outcome is in the log.
func (c *Conn) CreateClaim(ctx context.Context, key string, value []byte) (rev uint64, err error) {
	rev, err = c.putClaim(ctx, key, value, 0)
	if errors.Is(err, events.ErrConflict) {
		err = events.ErrClaimed
	}
	if err != nil {
		return 0, fmt.Errorf("claim %s: %w", key, err)
	}
	return rev, nil
}

// Claim reads a claim and the revision that an update must name. It returns events.ErrNoKey if there is none.
func (c *Conn) Claim(ctx context.Context, key string) (value []byte, rev uint64, err error) {
	m, err := c.getClaim(ctx, key)
	if err != nil {
		return nil, 0, fmt.Errorf("claim %s: %w", key, err)
	}
	return m.Body, m.Seq, nil
}

// UpdateClaim replaces a claim that still has revision rev; otherwise it
// returns events.ErrConflict.
func (c *Conn) UpdateClaim(ctx context.Context, key string, value []byte, rev uint64) (uint64, error) {
	next, err := c.putClaim(ctx, key, value, rev)
	if err != nil {
		return 0, fmt.Errorf("claim %s: %w", key, err)
	}
	return next, nil
}

// PurgeClaim removes a claim if it still has revision rev. Only a claim whose
// outcome is in the log, or whose holder has not started, may be removed.
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

// ClaimKeys lists the keys of all claims.
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

// eachClaim calls take for each claim. A claim that is purged in the meantime
// is skipped.
func (c *Conn) eachClaim(ctx context.Context, take func(key string, value []byte) error) error {
	keys, err := c.ClaimKeys(ctx)
	if err != nil {
		return err
	}
	for _, key := range keys {
		value, _, err := c.Claim(ctx, key)
		if errors.Is(err, events.ErrNoKey) {
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
	// Ask the leader: a lagging replica would show a claim as free.
	m, err := c.askLeader(ctx, streamClaims, getRequest{LastFor: subjectClaims + key})
	if err == nil && m == nil {
		err = events.ErrNoKey
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
		// The answer to an earlier attempt of this call may have been lost.
		if m, gerr := c.getClaim(ctx, key); gerr == nil && m.MsgID == id {
			return m.Seq, nil
		}
	}
	return a.Sequence, err
}

// checkKey returns events.ErrNoKey if the key is not a valid bucket key.
func checkKey(key string) error {
	ok := key != "" && len(key) <= 256 && key[0] != '.' && key[len(key)-1] != '.'
	for i := range len(key) {
		ch := key[i]
		dot := ch == '.' && i > 0 && key[i-1] != '.'
		ok = ok && (dot || ch == '-' || ch == '_' || ch == '=' || ch == '/' ||
			ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch >= '0' && ch <= '9')
	}
	if !ok {
		return fmt.Errorf("%w: %.40q is not a valid key", events.ErrNoKey, key)
	}
	return nil
}

// LostClaim represents a claim that was lost with the store's record of started calls, so it is unknown whether
// the call has started. A worker that finds one does not run the call; the call is reported to a person as
// interrupted.
type LostClaim struct {
	Worker     string `json:"worker"` // always LostWorker
	Generation int    `json:"generation"`
	Tool       string `json:"tool"`
	Approved   uint64 `json:"approved"` // sequence of the approval
	Lost       bool   `json:"lost"`     // always true
}

// LostWorker is the holder of a LostClaim.
const LostWorker = "lost"

// approvedCall is a call that may have started.
type approvedCall struct{ session, call string }

// approval is the newest approval of a call.
type approval struct {
	generation int
	tool       string
	seq        uint64
}

// claimOpenCalls records a LostClaim for every approved call that has neither an outcome nor a claim. It can
// safely be repeated.
func (c *Conn) claimOpenCalls(ctx context.Context) (int, error) {
	open, err := c.openCalls(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	for call, a := range open {
		value, err := json.Marshal(LostClaim{LostWorker, a.generation, a.tool, a.seq, true})
		if err != nil {
			return n, err
		}
		key := call.session + "." + call.call
		_, err = c.CreateClaim(ctx, key, value)
		if errors.Is(err, events.ErrClaimed) {
			if err = c.renewLost(ctx, key, value, a.generation); errors.Is(err, errStands) {
				continue
			}
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// errStands means that a claim of the newest generation exists.
var errStands = errors.New("the claim already exists")

// renewLost replaces the claim of an older generation.
func (c *Conn) renewLost(ctx context.Context, key string, value []byte, generation int) error {
	old, rev, err := c.Claim(ctx, key)
	if err != nil {
		return err
	}
	var was LostClaim
	if json.Unmarshal(old, &was) == nil && was.Generation >= generation {
		return errStands
	}
	_, err = c.UpdateClaim(ctx, key, value, rev)
	return err
}

// openCalls returns the approved calls without an outcome.
func (c *Conn) openCalls(ctx context.Context) (map[approvedCall]approval, error) {
	open := map[approvedCall]approval{}
	each := func(f events.Filter, see func(call approvedCall, a approval, actor string)) error {
		for e, err := range c.Read(ctx, f, 1, 0) {
			if err != nil {
				return fmt.Errorf("read open calls: %w", err)
			}
			var b struct {
				Call       string `json:"call"`
				Tool       string `json:"tool"`
				Generation int    `json:"generation"`
			}
			if json.Unmarshal(e.Data, &b) == nil && b.Call != "" {
				see(approvedCall{e.Session, b.Call}, approval{b.Generation, b.Tool, e.Seq}, e.Actor)
			}
		}
		return nil
	}
	err := each(events.Filter{Actor: events.ActorApproval, Type: events.NameOf[events.ToolApproved]()},
		func(call approvedCall, a approval, _ string) {
			if was, is := open[call]; !is || a.generation >= was.generation {
				open[call] = a
			}
		})
	if err != nil {
		return nil, err
	}
	return open, each(events.Filter{Type: events.NameOf[events.ToolSettled]()},
		func(call approvedCall, a approval, actor string) {
			if at, is := open[call]; is && a.generation >= at.generation && events.IsWorker(actor) {
				delete(open, call)
			}
		})
}
