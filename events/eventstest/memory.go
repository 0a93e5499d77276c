package eventstest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"manualslop/events"
)

// Memory is an events.Log and events.Blobs in memory. It stores encoded events, as a stream does,
// so that data that cannot be encoded is lost here too. It has no permissions: any actor may write
// as any other.
type Memory struct {
	mu     sync.Mutex
	stored []events.Stored
	byID   map[string]int // index in stored
	grown  chan struct{}  // closed and replaced at each append
	closed bool
	blobs  map[string][]byte
}

var (
	_ events.Log   = (*Memory)(nil)
	_ events.Blobs = (*Memory)(nil)
)

// NewMemory returns an empty log.
func NewMemory() *Memory {
	return &Memory{byID: map[string]int{}, grown: make(chan struct{}), blobs: map[string][]byte{}}
}

// Close makes every later call, and every feed, fail with events.ErrClosed.
func (m *Memory) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.closed = true
		close(m.grown)
	}
}

// Append stores e; see events.Log.
func (m *Memory) Append(ctx context.Context, e events.Event, x *events.Expect) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	subject := e.Subject()
	if _, err := events.ParseSubject(subject); err != nil {
		return 0, fmt.Errorf("append %s: %w", e.ID, err)
	}
	body, err := json.Marshal(e)
	if err != nil {
		return 0, fmt.Errorf("append %s: %w", e.ID, err)
	}
	if len(body) > events.MaxEventBytes {
		return 0, fmt.Errorf("append %s: %w", e.ID, events.ErrTooLarge)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return 0, events.ErrClosed
	}
	if x != nil {
		if last := m.last(x.Filter); seqOf(last) != x.Last {
			if last != nil && last.MsgID == e.ID && last.Subject == subject {
				return last.Seq, nil
			}
			return 0, fmt.Errorf("append %s: %w: the last event is %d, not %d", e.ID, events.ErrConflict, seqOf(last), x.Last)
		}
	}
	if i, dup := m.byID[e.ID]; dup && m.stored[i].Subject == subject {
		return m.stored[i].Seq, nil
	}
	return m.put(events.Stored{Subject: subject, MsgID: e.ID, Time: e.Time, Body: body}), nil
}

// AppendBare stores a message as a plain client would publish it; see
// [BareAppender].
func (m *Memory) AppendBare(_ context.Context, subject, msgID string, body []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(events.Stored{Subject: subject, MsgID: msgID, Time: time.Now(), Body: slices.Clone(body)})
	return nil
}

func (m *Memory) put(s events.Stored) uint64 {
	s.Seq = uint64(len(m.stored)) + 1
	if s.MsgID != "" {
		m.byID[s.MsgID] = len(m.stored)
	}
	m.stored = append(m.stored, s)
	close(m.grown)
	m.grown = make(chan struct{})
	return s.Seq
}

// last returns the newest message under f; nil if there is none.
func (m *Memory) last(f events.Filter) *events.Stored {
	for i := len(m.stored) - 1; i >= 0; i-- {
		if selects(f, m.stored[i].Subject) {
			return &m.stored[i]
		}
	}
	return nil
}

func seqOf(s *events.Stored) uint64 {
	if s == nil {
		return 0
	}
	return s.Seq
}

func selects(f events.Filter, subject string) bool {
	t, err := events.ParseSubject(subject)
	if err != nil {
		return false
	}
	return f.Match(&events.Event{Project: t.Project, Session: t.Session, Actor: t.Actor, Type: t.Type, Topic: t.Topic})
}

// Last returns the sequence of the newest event under f; see events.Log.
func (m *Memory) Last(ctx context.Context, f events.Filter) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return 0, events.ErrClosed
	}
	return seqOf(m.last(f)), nil
}

// page returns copies of up to 256 messages under f from a sequence on, the sequence from which to
// continue, and a channel that is closed when there is more.
func (m *Memory) page(f events.Filter, from uint64) (page []events.Stored, next uint64, grown <-chan struct{},
	err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, from, nil, events.ErrClosed
	}
	next = max(from, 1)
	for ; next <= uint64(len(m.stored)) && len(page) < 256; next++ {
		if s := m.stored[next-1]; selects(f, s.Subject) {
			page = append(page, s)
		}
	}
	if next <= uint64(len(m.stored)) {
		more := make(chan struct{})
		close(more)
		return page, next, more, nil
	}
	return page, next, m.grown, nil
}

// Read yields stored events; see events.Log.
func (m *Memory) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		end, err := m.Last(ctx, f)
		if err != nil {
			yield(events.Event{}, err)
			return
		}
		if to != 0 {
			end = min(end, to)
		}
		m.run(ctx, f, from, end, yield)
	}
}

// Watch yields stored events and then new ones; see events.Log.
func (m *Memory) Watch(ctx context.Context, f events.Filter, from uint64) (uint64, iter.Seq2[events.Event, error],
	error) {
	cutoff, err := m.Last(ctx, f)
	if err != nil {
		return 0, nil, err
	}
	return cutoff, func(yield func(events.Event, error) bool) {
		m.run(ctx, f, from, ^uint64(0), func(e events.Event, err error) bool {
			if err != nil && ctx.Err() != nil {
				return false
			}
			return yield(e, err)
		})
	}, nil
}

func (m *Memory) run(ctx context.Context, f events.Filter, from, end uint64, yield func(events.Event, error) bool) {
	for from <= end {
		page, next, grown, err := m.page(f, from)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(events.Event{}, err)
			return
		}
		for _, s := range page {
			if s.Seq > end {
				return
			}
			e, err := events.FromStored(s)
			if err == nil && !yield(e, nil) {
				return
			}
			if ctx.Err() != nil {
				break
			}
		}
		if from = next; from > end {
			return
		}
		select {
		case <-grown:
		case <-ctx.Done():
		}
	}
}
