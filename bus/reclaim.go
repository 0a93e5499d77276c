package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"manualslop/events"
)

// LostClaim stands for a claim that was lost with the store's record of begun
// calls: nobody knows whether the call has begun. A worker that meets one runs
// nothing; the call goes to a person as interrupted.
type LostClaim struct {
	Worker     string `json:"worker"` // always LostWorker
	Generation int    `json:"generation"`
	Tool       string `json:"tool"`
	Approved   uint64 `json:"approved"` // sequence of the approval
	Lost       bool   `json:"lost"`     // always true
}

// LostWorker is the holder of a LostClaim.
const LostWorker = "lost"

// approvedCall is one call that may have begun.
type approvedCall struct{ session, call string }

// approval is the newest one of a call.
type approval struct {
	generation int
	tool       string
	seq        uint64
}

// claimOpenCalls puts a LostClaim on record for every approved call without an
// outcome or a claim. It may run again at any time.
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
		if errors.Is(err, ErrClaimed) {
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

// errStands says that a claim of the newest generation is there.
var errStands = errors.New("the claim stands")

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

// openCalls are the approved calls without an outcome.
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
	err := each(events.Filter{Actor: events.ActorApproval, Type: "ToolApproved"}, func(call approvedCall, a approval,
		_ string) {
		if was, is := open[call]; !is || a.generation >= was.generation {
			open[call] = a
		}
	})
	if err != nil {
		return nil, err
	}
	return open, each(events.Filter{Type: "ToolSettled"}, func(call approvedCall, a approval, actor string) {
		if at, is := open[call]; is && a.generation >= at.generation && events.IsWorker(actor) {
			delete(open, call)
		}
	})
}
