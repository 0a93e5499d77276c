package hookgw_test

import (
	"context"
	"iter"
	"sync"
	"testing"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw"
	"manualslop/projections"
)

type standin struct {
	log    *eventstest.Memory
	mu     sync.Mutex
	grown  chan struct{}
	seq    uint64
	sets   map[string]*projections.Set
	order  []string
	buffer uint64
}

var _ hookgw.Models = (*standin)(nil)

func openModels(t *testing.T, log *eventstest.Memory, buffer int) *standin {
	s := &standin{log: log, grown: make(chan struct{}), sets: map[string]*projections.Set{}, buffer: uint64(buffer)}
	reg := events.Catalogue()
	go func() {
		_, feed, werr := log.Watch(t.Context(), events.Filter{}, 1)
		if werr != nil {
			return
		}
		for e, err := range feed {
			if err != nil {
				return
			}
			reg.Decode(&e)
			s.mu.Lock()
			if s.sets[e.Session] == nil {
				s.sets[e.Session] = projections.NewSet()
				s.order = append(s.order, e.Session)
			}
			s.sets[e.Session].Apply(&e)
			s.seq = e.Seq
			close(s.grown)
			s.grown = make(chan struct{})
			s.mu.Unlock()
		}
	}()
	return s
}

func (m *standin) Current() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.order) == 0 {
		return ""
	}
	return m.order[len(m.order)-1]
}

func (m *standin) Sessions() []projections.Summary {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []projections.Summary
	for _, s := range m.order {
		out = append(out, m.sets[s].Summary())
	}
	return out
}

func (m *standin) Read(session string, f func(*projections.Set)) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sets[session]
	if s == nil {
		return false
	}
	f(s)
	return true
}

func (m *standin) WaitFor(ctx context.Context, seq uint64) error {
	for {
		m.mu.Lock()
		now, grown := m.seq, m.grown
		m.mu.Unlock()
		if now >= seq {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (m *standin) Subscribe(ctx context.Context, session string, from uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		reg := events.Catalogue()
		f := events.Filter{Session: session}
		live, _ := m.log.Last(ctx, f)
		_, feed, werr := m.log.Watch(ctx, f, from)
		if werr != nil {
			return
		}
		for e, err := range feed {
			if err != nil {
				yield(e, err)
				return
			}
			reg.Decode(&e)
			if last, _ := m.log.Last(ctx, f); m.buffer > 0 && e.Seq > live && last-e.Seq > m.buffer {
				yield(events.Event{}, events.ErrSlow)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
