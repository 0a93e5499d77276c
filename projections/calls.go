package projections

import (
	"strings"

	"manualslop/events"
)

// call is what a read model remembers of a tool call until its last word.
type call struct {
	Tool       string `json:"tool"`
	Ticket     string `json:"ticket"`
	Attempt    int    `json:"attempt"`
	Round      int    `json:"round"`
	Generation int    `json:"generation,omitempty"` // newest approved one
	Digest     string `json:"digest,omitempty"`     // of the approved arguments
	Open       bool   `json:"open,omitempty"`       // approved and without an outcome of this generation
}

// calls are the tool calls that still may change, by id. They count facts as
// the deciders do: the first outcome for the approved bytes and the current
// generation. An interrupted or parked call waits for a person's word.
type calls map[string]*call

// take folds a fact about a call and tells whether it counts. The call is what
// it was about, also when that was its last word.
func (c calls) take(e *events.Event) (*call, bool) {
	switch p := e.Payload.(type) {
	case events.ToolRequested:
		if c[p.Call] != nil {
			return nil, false
		}
		k := &call{Tool: p.Tool, Ticket: p.Ticket, Attempt: p.Attempt, Round: p.Round}
		c[p.Call] = k
		return k, true
	case events.ToolApproved:
		return c.approved(&p)
	case events.ToolDenied:
		return c.ended(p.Call, c[p.Call] != nil)
	case events.ToolSettled:
		return c.settled(&p)
	case events.ToolParked:
		k := c[p.Call]
		if k == nil || !k.Open {
			return nil, false
		}
		k.Open = false
		return k, true
	case events.InterruptResolved:
		k := c[p.Call]
		if k == nil || p.Resolution == events.InterruptRetry {
			return k, k != nil
		}
		return c.ended(p.Call, true)
	}
	return nil, false
}

func (c calls) approved(p *events.ToolApproved) (*call, bool) {
	k := c[p.Call]
	if k == nil || p.Generation <= k.Generation {
		return nil, false
	}
	k.Generation, k.Digest, k.Open = p.Generation, p.ArgsSHA256, true
	return k, true
}

func (c calls) settled(p *events.ToolSettled) (*call, bool) {
	k := c[p.Call]
	if k == nil || !k.Open || p.Generation != k.Generation || p.ArgsSHA256 != k.Digest {
		return nil, false
	}
	if p.Outcome == events.ToolInterrupted {
		k.Open = false
		return k, true
	}
	return c.ended(p.Call, true)
}

func (c calls) ended(id string, counts bool) (*call, bool) {
	k := c[id]
	if counts {
		delete(c, id)
	}
	return k, counts
}

// requestOf is the model request that a call belongs to ([events.CallID]).
func requestOf(callID string) string {
	if i := strings.LastIndexByte(callID, '-'); i >= 0 {
		return callID[:i]
	}
	return callID
}
