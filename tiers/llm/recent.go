package llm

import (
	"fmt"

	"manualslop/events"
)

// MaxRecent limits the outcomes that a record keeps in memory if it can read them again, in bytes
// of their JSON. The next prompt names most of them, and later prompts never read them again.
const MaxRecent = 16 << 20

// Again reads and decodes an event of the session again, by its sequence number.
type Again func(seq uint64) (*events.Event, error)

// outcome is an event whose texts prompts may use.
type outcome struct {
	seq   uint64
	size  int
	event *events.Event // nil: must be read again
}

// recent forgets the oldest outcomes if they can be read again.
type recent struct {
	again Again // nil: all outcomes are kept
	kept  []*outcome
	bytes int
}

func (r *recent) keep(e *events.Event) *outcome {
	kept := *e
	kept.Data = nil // the payload has the same content
	o := &outcome{e.Seq, len(e.Data), &kept}
	if r.again == nil {
		return o
	}
	r.kept, r.bytes = append(r.kept, o), r.bytes+o.size
	for r.bytes > MaxRecent {
		r.kept[0].event = nil
		r.bytes -= r.kept[0].size
		r.kept = r.kept[1:]
	}
	return o
}

// outcome returns the event with the given id, which must have been taken before.
func (r *Record) outcome(id string) (*events.Event, error) {
	r.mu.Lock()
	o := r.byID[id]
	var e *events.Event
	if o != nil {
		e = o.event
	}
	r.mu.Unlock()
	if o == nil {
		return nil, fmt.Errorf("event %s, which holds the text, does not exist", id)
	}
	if e != nil {
		return e, nil
	}
	e, err := r.recent.again(o.seq)
	if err == nil && e.ID != id {
		err = fmt.Errorf("the log now has event %s at its sequence", e.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("read event %s again: %w", id, err)
	}
	return e, nil
}
