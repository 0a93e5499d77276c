package bus

import (
	"bytes"
	"sync"

	"manualslop/events"
)

// Bounds of Recent.
const (
	recentEvents = 256
	recentBytes  = 16 << 10 // of one event; a larger one is decoded by each reader
)

// Recent is the newest events that came to a process, decoded. A watch, the pools and
// the live feed of all connections that share one decode each event once, whichever of
// them gets it first. Make it with NewRecent.
type Recent struct {
	registry *events.Registry

	mu    sync.Mutex
	slots [recentEvents]*recentEvent
}

// recentEvent is one event and its bytes, by which it is known again.
type recentEvent struct {
	stored
	decode sync.Once
	event  events.Event
	err    error
}

// NewRecent returns a Recent that all connections of one process share.
func NewRecent() *Recent { return &Recent{registry: events.Catalogue()} }

// event decodes a message and its payload, once for all who share r. The error is that
// of fromStored.
func (r *Recent) event(m stored) (events.Event, error) {
	e := r.find(m)
	e.decode.Do(func() {
		if e.event, e.err = fromStored(e.stored); e.err == nil {
			r.registry.Decode(&e.event)
		}
	})
	return e.event, e.err
}

// find is the place of a message: one of its own where it is too large, or older than
// what stands in its place.
func (r *Recent) find(m stored) *recentEvent {
	fresh := &recentEvent{stored: m}
	if len(m.Body) > recentBytes {
		return fresh
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	slot := &r.slots[m.Seq%recentEvents]
	switch is := *slot; {
	case is == nil || is.Seq < m.Seq:
		*slot = fresh
	case is.Seq == m.Seq && is.Subject == m.Subject && is.MsgID == m.MsgID && is.copied == m.copied &&
		is.Time.Equal(m.Time) && bytes.Equal(is.Body, m.Body):
		return is
	}
	return fresh
}
