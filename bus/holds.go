package bus

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"
)

// maxHeld bounds the sequences that one presence signal names for a pool.
const maxHeld = 2000

// Held are the deliveries of pools that a process of an actor has, by pool and
// sequence.
type Held struct {
	// Process is the name of the process; see [Conn.Process].
	Process string `json:"process"`
	// Now are those that a handler works on.
	Now map[string][]uint64 `json:"now,omitempty"`
	// Later are those that the actor gave back until a time that is still to come.
	Later map[string][]uint64 `json:"later,omitempty"`
	// Why are the reasons for which some of these were given back.
	Why map[string][]uint64 `json:"why,omitempty"`
}

// maxWhy bounds the sequences of which a presence signal says why they rest.
const maxWhy = 100

// Has tells whether an actor works on a sequence of any pool, or gave it back
// until later.
func (h Held) Has(seq uint64) bool {
	for _, by := range []map[string][]uint64{h.Now, h.Later} {
		// order-independent: any of them
		for _, list := range by {
			if slices.Contains(list, seq) {
				return true
			}
		}
	}
	return false
}

// holds are the deliveries of one connection.
type holds struct {
	mu      sync.Mutex
	pools   map[string]map[uint64]*hold
	changed chan struct{} // holds a value while nobody was told of the last change
}

// hold is one delivery. A pool may hand out what a handler still works on.
type hold struct {
	handlers int       // that work on it
	back     time.Time // when it comes back, where none does
	why      string    // it comes back then; empty: it is not said
}

// take notes that a handler works on a delivery.
func (h *holds) take(pool string, seq uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pools[pool] == nil {
		h.pools[pool] = map[uint64]*hold{}
	}
	if h.pools[pool][seq] == nil {
		h.pools[pool][seq] = &hold{}
	}
	h.pools[pool][seq].handlers++
	h.tell()
}

// leave notes that a handler is through with a delivery, which comes back at a
// time and for a reason; zero: it does not.
func (h *holds) leave(pool string, seq uint64, back time.Time, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	held := h.pools[pool][seq]
	held.handlers--
	held.back, held.why = back, why
	if held.handlers == 0 && back.IsZero() {
		delete(h.pools[pool], seq)
		return
	}
	h.tell()
}

// tell has the presence signal sent at once.
func (h *holds) tell() {
	select {
	case h.changed <- struct{}{}:
	default:
	}
}

// body is what the presence signal of a process says.
func (h *holds) body(process string, now time.Time) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := Held{Process: process, Now: map[string][]uint64{}, Later: map[string][]uint64{}, Why: map[string][]uint64{}}
	said := 0
	for _, pool := range slices.Sorted(maps.Keys(h.pools)) {
		for _, seq := range slices.Sorted(maps.Keys(h.pools[pool])) {
			switch held := h.pools[pool][seq]; {
			case held.handlers > 0 && len(out.Now[pool]) < maxHeld:
				out.Now[pool] = append(out.Now[pool], seq)
			case held.handlers > 0:
			case !held.back.After(now):
				delete(h.pools[pool], seq)
			case len(out.Later[pool]) < maxHeld:
				out.Later[pool] = append(out.Later[pool], seq)
				if held.why != "" && said < maxWhy {
					out.Why[held.why], said = append(out.Why[held.why], seq), said+1
				}
			}
		}
	}
	body, err := json.Marshal(out)
	if err != nil {
		return nil
	}
	return body
}

// Delays calls take with what each process of a project gave back and why, by
// sequence, until ctx ends; nothing for a process that is gone.
func (c *Conn) Delays(ctx context.Context, project string, take func(process string, why map[uint64]string)) error {
	return c.Signals(ctx, Signal{Project: project, Session: "-"}, func(s Signal) {
		if s.Name != signalHere && s.Name != signalGone {
			return
		}
		held, why := heldIn(s.Body), map[uint64]string{}
		for reason, seqs := range held.Why { // order-independent: each sequence stands once
			for _, seq := range seqs {
				why[seq] = reason
			}
		}
		if s.Name == signalGone {
			clear(why)
		}
		take(s.Actor+" "+held.Process, why)
	})
}

// heldIn reads the body of a presence signal.
func heldIn(body []byte) (out Held) {
	if json.Unmarshal(body, &out) != nil {
		return Held{}
	}
	return out
}
